# SPDX-License-Identifier: Apache-2.0
# Read before cmake_minimum_required, so that an old CMake prints the way out and not only its refusal.
if(CMAKE_VERSION VERSION_LESS 3.25)
    message(FATAL_ERROR "catlass_c needs CMake 3.25 or newer, this is ${CMAKE_VERSION}; "
                        "`sh tools/setup.sh` installs it, or `python3 -m pip install 'cmake>=3.25'`")
endif()
