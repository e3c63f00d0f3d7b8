# SPDX-License-Identifier: Apache-2.0
# Finds a Python that imports what code generation needs. Result: CATC_PYTHON.
# Order: Python3_EXECUTABLE, VIRTUAL_ENV, .venv of this tree, the user's cache (tools/setup.sh writes there if the tree
# is read-only), PATH. Never creates an environment and never uses the network.
cmake_policy(VERSION 3.25) # of this file, whatever the project that includes it asks for

# Sets <out> to "" if `python` can run code generation, else to the reason; <real> to the program itself: a wrapper
# script on PATH (as pyenv has) would cost more than a kernel's whole compilation.
function(catc_python_works python out real)
    execute_process(COMMAND "${python}" -c
                    "import sys, jinja2, yaml, click, pydantic\nassert sys.version_info >= (3, 9)\nassert int(pydantic.VERSION.split('.')[0]) >= 2\nprint(sys.executable)"
                    RESULT_VARIABLE rc OUTPUT_VARIABLE executable OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE err TIMEOUT 30)
    string(REGEX REPLACE "\n+$" "" err "${err}")
    string(REGEX REPLACE "^.*\n" "" err "${err}")
    set(${real} "${executable}" PARENT_SCOPE)
    if(rc EQUAL 0)
        set(${out} "" PARENT_SCOPE)
    elseif(err STREQUAL "")
        set(${out} "${rc}" PARENT_SCOPE)
    else()
        set(${out} "${err}" PARENT_SCOPE)
    endif()
endfunction()

# The virtual environment that tools/setup.sh makes if the tree is read-only, by the same rule as there; empty without
# XDG_CACHE_HOME and HOME.
function(catc_user_venv out)
    set(venv "")
    if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(venv "$ENV{XDG_CACHE_HOME}/catlass_c/venv")
    elseif(NOT "$ENV{HOME}" STREQUAL "")
        set(venv "$ENV{HOME}/.cache/catlass_c/venv")
    endif()
    set(${out} "${venv}" PARENT_SCOPE)
endfunction()

function(catc_find_python root)
    set(advice "`sh tools/setup.sh` installs what is missing, or: python3 -m pip install jinja2 pyyaml 'pydantic>=2' click")
    if(Python3_EXECUTABLE)
        catc_python_works("${Python3_EXECUTABLE}" why real)
        if(NOT why STREQUAL "")
            message(FATAL_ERROR "catlass_c: Python3_EXECUTABLE=${Python3_EXECUTABLE} cannot run code generation "
                                "(${why}); ${advice}")
        endif()
        set(CATC_PYTHON "${real}" PARENT_SCOPE)
        return()
    endif()
    catc_user_venv(user_venv)
    set(candidates "")
    if(NOT "$ENV{VIRTUAL_ENV}" STREQUAL "")
        list(APPEND candidates "$ENV{VIRTUAL_ENV}/bin/python3")
    endif()
    list(APPEND candidates "${root}/.venv/bin/python3")
    if(NOT user_venv STREQUAL "")
        list(APPEND candidates "${user_venv}/bin/python3")
    endif()
    find_program(catc_python_on_path NAMES python3 python NO_CACHE)
    if(catc_python_on_path)
        list(APPEND candidates "${catc_python_on_path}")
    endif()
    set(tried "")
    foreach(candidate IN LISTS candidates)
        if(EXISTS "${candidate}")
            catc_python_works("${candidate}" why real)
            if(why STREQUAL "")
                set(CATC_PYTHON "${real}" PARENT_SCOPE)
                return()
            endif()
            string(APPEND tried "\n  ${candidate}: ${why}")
        endif()
    endforeach()
    if(tried STREQUAL "")
        set(tried " no python3 on PATH.")
    endif()
    message(FATAL_ERROR "catlass_c: code generation needs Python 3.9 or newer with jinja2, yaml, pydantic 2 and click; "
                        "tried:${tried}\n${advice}")
endfunction()
