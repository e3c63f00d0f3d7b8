# SPDX-License-Identifier: Apache-2.0
# Finds nvcc and enables the language. Result: CATC_WITH_CUDA (TRUE or FALSE), CATC_NVCC, CATC_ARCHS_EFFECTIVE.
#
# CATC_CUDA=OFF: never looks. AUTO: no nvcc found is a build of the host backend alone; an nvcc that was found or named
# but does not work is an error. ON: not found is an error too. CMake's own check_language() is not used: it hides
# a broken nvcc and caches NOTFOUND, so that installing nvcc later changes nothing.
cmake_policy(VERSION 3.25) # of this file, whatever the project that includes it asks for

set(CATC_CUDA_MINIMUM 12.5) # cudaGetDriverEntryPointByVersion
set(CATC_CUDA_DEFAULT_ROOT /usr/local/cuda CACHE PATH "where nvcc is looked for last")
mark_as_advanced(CATC_CUDA_DEFAULT_ROOT)

# Sets CATC_NVCC (empty if none) and CATC_NVCC_FROM, where it was named or found.
function(catc_look_for_nvcc)
    set(nvcc "")
    set(from "")
    if(CMAKE_CUDA_COMPILER)
        set(nvcc "${CMAKE_CUDA_COMPILER}")
        set(from "CMAKE_CUDA_COMPILER")
    elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
        set(nvcc "$ENV{CUDACXX}")
        set(from "the environment variable CUDACXX")
    else()
        catc_user_venv(user_venv)
        set(venvs "$ENV{VIRTUAL_ENV}" "${PROJECT_SOURCE_DIR}/.venv" "${user_venv}")
        set(wheels "")
        foreach(venv IN LISTS venvs)
            if(NOT venv STREQUAL "")
                file(GLOB found LIST_DIRECTORIES true "${venv}/lib/python3*/site-packages/nvidia/cu[0-9]*/bin")
                list(APPEND wheels ${found})
            endif()
        endforeach()
        set(roots "")
        foreach(root "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" "${CATC_CUDA_DEFAULT_ROOT}")
            if(NOT root STREQUAL "")
                list(APPEND roots "${root}/bin")
            endif()
        endforeach()
        unset(CATC_NVCC_FOUND CACHE)
        find_program(CATC_NVCC_FOUND nvcc NO_CACHE NO_DEFAULT_PATH PATHS ENV PATH)
        if(NOT CATC_NVCC_FOUND)
            find_program(CATC_NVCC_FOUND nvcc NO_CACHE NO_DEFAULT_PATH PATHS ${roots} ${wheels})
        endif()
        if(CATC_NVCC_FOUND)
            set(nvcc "${CATC_NVCC_FOUND}")
            set(from "a search of PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda and the virtual environment")
        endif()
    endif()
    # a bare name ("nvcc") is looked up on PATH
    if(NOT nvcc STREQUAL "" AND NOT IS_ABSOLUTE "${nvcc}")
        find_program(CATC_NVCC_FOUND "${nvcc}" NO_CACHE)
        if(CATC_NVCC_FOUND)
            set(nvcc "${CATC_NVCC_FOUND}")
        endif()
    endif()
    set(CATC_NVCC "${nvcc}" PARENT_SCOPE)
    set(CATC_NVCC_FROM "${from}" PARENT_SCOPE)
endfunction()

# Compiles a three-line kernel file with nvcc: FATAL_ERROR with nvcc's last lines if it cannot.
function(catc_probe_nvcc)
    set(ways "Two ways out: name a working one (-DCMAKE_CUDA_COMPILER=/path/to/nvcc, and CUDAHOSTCXX=g++-NN for a host \
compiler that it accepts), or build the host backend alone with -DCATC_CUDA=OFF")
    if(NOT EXISTS "${CATC_NVCC}")
        message(FATAL_ERROR "catlass_c: ${CATC_NVCC_FROM} names ${CATC_NVCC}, which does not exist. ${ways}")
    endif()
    execute_process(COMMAND "${CATC_NVCC}" --version RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE out
                    TIMEOUT 10)
    if(NOT rc EQUAL 0 OR NOT out MATCHES "release ([0-9]+\\.[0-9]+)")
        message(FATAL_ERROR "catlass_c: ${CATC_NVCC} (from ${CATC_NVCC_FROM}) is not a working nvcc: --version "
                            "ended with '${rc}' and printed:\n${out}\n${ways}")
    endif()
    set(version "${CMAKE_MATCH_1}")
    if(version VERSION_LESS CATC_CUDA_MINIMUM)
        message(FATAL_ERROR "catlass_c: ${CATC_NVCC} is CUDA ${version}; ${CATC_CUDA_MINIMUM} or newer is needed (13.0 "
                            "is what is tested). ${ways}")
    endif()
    set(dir "${PROJECT_BINARY_DIR}/CMakeFiles/catc_nvcc_probe")
    file(MAKE_DIRECTORY "${dir}")
    file(WRITE "${dir}/probe.cu" "__global__ void catc_probe(int *p) { *p = 1; }\n")
    set(ccbin "")
    if(CMAKE_CUDA_HOST_COMPILER)
        set(ccbin -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
    elseif(NOT "$ENV{CUDAHOSTCXX}" STREQUAL "")
        set(ccbin -ccbin "$ENV{CUDAHOSTCXX}")
    endif()
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS} $ENV{CUDAFLAGS}")
    execute_process(COMMAND "${CATC_NVCC}" ${ccbin} ${flags} -c probe.cu -o probe.o WORKING_DIRECTORY "${dir}"
                    RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE out TIMEOUT 12)
    if(NOT rc EQUAL 0)
        # The last lines carry the reason; a template backtrace above them does not.
        string(REGEX REPLACE "\n+$" "" out "${out}")
        string(REPLACE ";" "\\;" out "${out}")
        string(REPLACE "\n" ";" lines "${out}")
        list(LENGTH lines n)
        if(n GREATER 8)
            math(EXPR first "${n} - 8")
            list(SUBLIST lines ${first} 8 lines)
        endif()
        list(JOIN lines "\n  " text)
        message(FATAL_ERROR "catlass_c: ${CATC_NVCC} (CUDA ${version}, from ${CATC_NVCC_FROM}) cannot compile a "
                            "three-line kernel ('${rc}'):\n  ${text}\n${ways}")
    endif()
    set(CATC_NVCC_VERSION "${version}" PARENT_SCOPE)
endfunction()

set_property(CACHE CATC_CUDA PROPERTY STRINGS AUTO ON OFF)
string(TOUPPER "${CATC_CUDA}" catc_cuda_wanted)
if(catc_cuda_wanted MATCHES "^(ON|1|YES|TRUE)$")
    set(catc_cuda_wanted ON)
elseif(catc_cuda_wanted MATCHES "^(OFF|0|NO|FALSE)$")
    set(catc_cuda_wanted OFF)
elseif(NOT catc_cuda_wanted STREQUAL "AUTO")
    message(FATAL_ERROR "catlass_c: CATC_CUDA=${CATC_CUDA} must be AUTO, ON or OFF")
endif()

if(DEFINED CMAKE_CUDA_COMPILER AND NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE) # NOTFOUND of an earlier run, before nvcc was installed
    unset(CMAKE_CUDA_COMPILER)
endif()
set(CATC_WITH_CUDA FALSE)
set(CATC_NVCC "")
if(NOT catc_cuda_wanted STREQUAL "OFF")
    catc_look_for_nvcc()
    if(CATC_NVCC STREQUAL "")
        if(catc_cuda_wanted STREQUAL "ON")
            message(FATAL_ERROR "catlass_c: CATC_CUDA=ON, but there is no nvcc in CMAKE_CUDA_COMPILER, CUDACXX, PATH, "
                                "CUDA_HOME, CUDA_PATH or /usr/local/cuda. Two ways out: install the CUDA toolkit "
                                "(`sh tools/setup.sh --cuda` puts it into a virtual environment, without root), or "
                                "build the host backend alone with -DCATC_CUDA=OFF")
        endif()
        message(STATUS "catlass_c: no nvcc found, building the host backend only; to add CUDA: "
                       "`sh tools/setup.sh --cuda`, or put nvcc on PATH, and configure again")
    else()
        if(NOT catc_nvcc_probed STREQUAL "${CATC_NVCC}|$ENV{CUDAHOSTCXX}|${CMAKE_CUDA_HOST_COMPILER}")
            catc_probe_nvcc()
            set(catc_nvcc_probed "${CATC_NVCC}|$ENV{CUDAHOSTCXX}|${CMAKE_CUDA_HOST_COMPILER}" CACHE INTERNAL
                "the nvcc that compiled the probe")
        endif()
        # The list of architectures is checked first: its sentence is better than the compiler test's.
        catc_check_archs(CATC_ARCHS_EFFECTIVE CATC_ARCHS "${CATC_NVCC}" ${CATC_ARCHS})
        if(NOT CMAKE_CUDA_COMPILER)
            set(CMAKE_CUDA_COMPILER "${CATC_NVCC}" CACHE FILEPATH "CUDA compiler")
        endif()
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(CATC_WITH_CUDA TRUE)
    endif()
endif()
