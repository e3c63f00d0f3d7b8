# SPDX-License-Identifier: Apache-2.0
# From YAML to object files: runs the generator at configure time and makes one OBJECT library per backend. Used by the
# library itself and, through catc_add_instances, by projects of users (from the build tree and from an installation).
#
# Facts about the library travel as global properties, because a variable of a subproject is not visible in its parent:
# CATC_CODEGEN_DIR, CATC_INCLUDE_DIR, CATC_MODULE_DIR, CATC_DRIVER_SOURCE, CATC_PYTHON, CATC_ARCHS_EFFECTIVE (empty
# without CUDA).
cmake_policy(VERSION 3.25) # of this file, whatever the project that includes it asks for

# Runs `python -m catlass_c generate` and hands the contents of instances.cmake (CATC_GEN_...) to the caller.
function(catc_generate)
    cmake_parse_arguments(PARSE_ARGV 0 ARG "" "OUT;PREFIX;NAME" "YAML;EPILOGUES;ARCHS;BACKENDS;SELECT;TUNED")
    get_property(codegen GLOBAL PROPERTY CATC_CODEGEN_DIR)
    get_property(include GLOBAL PROPERTY CATC_INCLUDE_DIR)
    get_property(python GLOBAL PROPERTY CATC_PYTHON)
    # The generator reads Python, the epilogue headers, the rules and the token lists: a change in any of them, or a new
    # file, makes `cmake --build` generate again.
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${codegen}/*.py" "${codegen}/*.j2" "${include}/catlass_c/epilogue/*.h"
         "${include}/catlass_c/check/*.h" "${include}/catlass_c/types.h")
    foreach(dir IN LISTS ARG_EPILOGUES)
        file(GLOB more CONFIGURE_DEPENDS "${dir}/*.h")
        list(APPEND inputs ${more})
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${inputs} ${ARG_YAML} ${ARG_TUNED})

    list(JOIN ARG_BACKENDS "," backends)
    list(JOIN ARG_ARCHS "," archs)
    list(JOIN ARG_SELECT "," select)
    set(command "${python}" -m catlass_c generate --out "${ARG_OUT}" --include "${include}" --backends "${backends}"
        --select "${select}" --prefix "${ARG_PREFIX}" --name "${ARG_NAME}")
    if(archs) # without CUDA there are none
        list(APPEND command --archs "${archs}")
    endif()
    foreach(yaml IN LISTS ARG_YAML)
        list(APPEND command --instances "${yaml}")
    endforeach()
    foreach(yaml IN LISTS ARG_TUNED)
        list(APPEND command --tuned "${yaml}")
    endforeach()
    foreach(dir IN LISTS ARG_EPILOGUES)
        list(APPEND command --epilogues "${dir}")
    endforeach()
    get_filename_component(parent "${ARG_OUT}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${codegen}" "CC=${CMAKE_C_COMPILER}"
                            "PYTHONPYCACHEPREFIX=${CMAKE_BINARY_DIR}/pycache" ${command}
                    RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE err)
    string(STRIP "${out}" out)
    string(STRIP "${err}" err)
    if(NOT rc EQUAL 0)
        message(FATAL_ERROR "catlass_c: code generation failed:\n${err}\n${out}")
    endif()
    if(NOT err STREQUAL "")
        message(STATUS "${err}")
    endif()
    include("${ARG_OUT}/instances.cmake")
    # A generated file that somebody deleted comes back at the next build.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CATC_GEN_FILES})
    foreach(name FILES REGISTRY LEFT_OUT BUILT SKELETONS INSTANCES_host INSTANCES_cuda)
        set(CATC_GEN_${name} "${CATC_GEN_${name}}" PARENT_SCOPE)
    endforeach()
    foreach(skeleton IN LISTS CATC_GEN_SKELETONS)
        foreach(backend host cuda)
            set(CATC_GEN_BUCKETS_${skeleton}_${backend} "${CATC_GEN_BUCKETS_${skeleton}_${backend}}" PARENT_SCOPE)
        endforeach()
    endforeach()
endfunction()

# What the instances of a skeleton are compiled for, as CATC_TARGETS spells it: 901 = sm_90a code, 800 = sm_80 code,
# -800 = compute_80 PTX. sm_90 skeletons: sm_90a only. All others: every target without a letter, and PTX of the lowest,
# so that a GPU without code of its own runs something (code for sm_80 alone fails on a later major version).
function(catc_skeleton_targets skeleton archs out)
    set(targets "")
    if(skeleton MATCHES "_sm90$")
        if("90a" IN_LIST archs)
            set(targets 901)
        endif()
    else()
        set(lowest "")
        foreach(arch IN LISTS archs)
            if(arch MATCHES "^[0-9]+$")
                math(EXPR number "${arch} * 10")
                list(APPEND targets ${number})
                if(lowest STREQUAL "" OR number LESS lowest)
                    set(lowest ${number})
                endif()
            endif()
        endforeach()
        if(targets)
            list(APPEND targets -${lowest})
        endif()
    endif()
    set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# The nvcc options for a target list: 800 -> sm_80 code, 901 -> sm_90a code, -800 -> compute_80 PTX.
function(catc_gencode_options out)
    set(options "")
    foreach(target IN LISTS ARGN)
        string(REGEX REPLACE "^-" "" number "${target}")
        math(EXPR cc "${number} / 10")
        math(EXPR letter "${number} % 10")
        if(letter EQUAL 1)
            string(APPEND cc "a")
        endif()
        if(target LESS 0)
            list(APPEND options "-gencode=arch=compute_${cc},code=compute_${cc}")
        else()
            list(APPEND options "-gencode=arch=compute_${cc},code=sm_${cc}")
        endif()
    endforeach()
    set(${out} "${options}" PARENT_SCOPE)
endfunction()

# OBJECT libraries <name>_host and <name>_cuda from the buckets of the last catc_generate. Sets <name>_OBJECTS to what
# a library or program adds to its sources.
function(catc_instance_objects name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "GENERATED;PREFIX" "INCLUDE;ARCHS")
    get_property(include GLOBAL PROPERTY CATC_INCLUDE_DIR)
    get_property(modules GLOBAL PROPERTY CATC_MODULE_DIR)
    get_property(python GLOBAL PROPERTY CATC_PYTHON)
    set(gate "${python}" -I -S "${modules}/gate.py")
    set(objects "")
    set(report "")
    foreach(backend host cuda)
        set(buckets "")
        foreach(skeleton IN LISTS CATC_GEN_SKELETONS)
            catc_skeleton_targets(${skeleton} "${ARG_ARCHS}" targets)
            list(JOIN targets "," list)
            if(backend STREQUAL "cuda")
                catc_gencode_options(options ${targets})
                # nvcc splits the value of -D at commas
                string(REPLACE "," "\\," list "${list}")
            else()
                set(options "")
                if(list STREQUAL "")
                    set(list 0)
                endif()
            endif()
            foreach(bucket IN LISTS CATC_GEN_BUCKETS_${skeleton}_${backend})
                set_source_files_properties("${bucket}" PROPERTIES COMPILE_OPTIONS "${options}"
                                            COMPILE_DEFINITIONS "CATC_TARGETS=${list}")
                list(APPEND buckets "${bucket}")
            endforeach()
        endforeach()
        if(NOT buckets)
            continue()
        endif()
        set(target ${name}_${backend})
        add_library(${target} OBJECT ${buckets})
        target_include_directories(${target} PRIVATE "${ARG_GENERATED}" "${ARG_GENERATED}/include" "${include}" ${ARG_INCLUDE})
        if(NOT ARG_PREFIX STREQUAL "catc_")
            target_compile_definitions(${target} PRIVATE CATC_PREFIX=${ARG_PREFIX})
        endif()
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_STANDARD 11 C_EXTENSIONS ON
            C_STANDARD_REQUIRED ON C_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden CUDA_ARCHITECTURES OFF
            EXPORT_COMPILE_COMMANDS ON)
        if(backend STREQUAL "cuda")
            # The C++ runtime stays out, so that a plain C program links without libstdc++.
            target_compile_options(${target} PRIVATE
                "-Xcompiler=-fno-threadsafe-statics,-fno-exceptions,-fno-rtti"
                "$<$<BOOL:${CATC_WERROR}>:-Werror=all-warnings>")
            set(allow "")
            foreach(glob IN LISTS CATC_GATE_ALLOW)
                list(APPEND allow --allow "${glob}")
            endforeach()
            # A user's own launcher (ccache) stays in place, behind the gate.
            set(launcher ${gate} cuda ${allow} -- ${CMAKE_CUDA_COMPILER_LAUNCHER})
            set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE catc_nvcc CUDA_COMPILER_LAUNCHER "${launcher}")
            get_property(pools GLOBAL PROPERTY JOB_POOLS)
            if(NOT "${pools}" MATCHES "catc_nvcc=")
                cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
                set_property(GLOBAL APPEND PROPERTY JOB_POOLS catc_nvcc=${cores})
            endif()
            # One relocatable file, in no language: otherwise CMake would link every user of the library with nvcc, and
            # a parent project in C alone could not link at all.
            set(merged "${CMAKE_CURRENT_BINARY_DIR}/${target}.o")
            add_custom_command(OUTPUT "${merged}"
                COMMAND "${CMAKE_LINKER}" -r -o "${merged}" "$<TARGET_OBJECTS:${target}>"
                DEPENDS ${target} "$<TARGET_OBJECTS:${target}>" COMMAND_EXPAND_LISTS VERBATIM
                COMMENT "Merging the cuda kernels of ${name}")
            set_source_files_properties("${merged}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
            add_custom_target(${target}_merged DEPENDS "${merged}")
            list(APPEND objects "${merged}")
        else()
            # -Og: 0.08 s per instance and tests 10 % slower than with -O1, which takes twice as long to compile. The
            # emulator spends its time in its own unit, which is compiled at -O3.
            # -ffp-contract=off: the kernels say catc_fma where they mean it, so that host and GPU agree bit for bit.
            target_compile_options(${target} PRIVATE -Og -ffp-contract=off
                "$<$<BOOL:${CATC_WERROR}>:-Wall;-Wextra;-Werror>")
            set(launcher ${gate} host -- ${CMAKE_C_COMPILER_LAUNCHER})
            set_target_properties(${target} PROPERTIES C_COMPILER_LAUNCHER "${launcher}")
            list(APPEND objects "$<TARGET_OBJECTS:${target}>")
        endif()
        string(APPEND report "${backend} $<JOIN:$<TARGET_OBJECTS:${target}>,\n${backend} >\n")
    endforeach()
    file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}_report.txt" CONTENT "${report}")
    set(${name}_OBJECTS "${objects}" PARENT_SCOPE)
endfunction()

# Prints seconds per instance when `target`, which contains the objects of `name`, was built anew.
function(catc_instance_report name target)
    get_property(modules GLOBAL PROPERTY CATC_MODULE_DIR)
    get_property(python GLOBAL PROPERTY CATC_PYTHON)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${name}_report.stamp")
    add_custom_command(OUTPUT "${stamp}"
        COMMAND "${python}" -I -S "${modules}/gate.py" report "${CMAKE_CURRENT_BINARY_DIR}/${name}_report.txt"
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS ${target} VERBATIM COMMENT "")
    add_custom_target(${name}_report ALL DEPENDS "${stamp}")
endfunction()

# One CTest per instance of a backend: host.<instance>, cuda.<instance>.
function(catc_instance_tests driver backend)
    foreach(instance IN LISTS ARGN)
        set(test ${backend}.${instance})
        add_test(NAME ${test} COMMAND ${driver} --backend ${backend} ${instance})
        if(backend STREQUAL "cuda")
            set_tests_properties(${test} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu TIMEOUT 120)
        else()
            set_tests_properties(${test} PROPERTIES LABELS host TIMEOUT 120)
        endif()
    endforeach()
endfunction()

# The driver's reference knows the library's operations; this header names those in the folders `ARGN`.
function(catc_test_operations file)
    set(includes "")
    set(list "")
    foreach(dir IN LISTS ARGN)
        file(GLOB headers CONFIGURE_DEPENDS "${dir}/*.h")
        foreach(header IN LISTS headers)
            file(STRINGS "${header}" lines REGEX "^CATC_EPI_OP\\([a-z0-9_]+, *[A-Z]+\\)")
            if(lines MATCHES "CATC_EPI_OP\\(([a-z0-9_]+), *([A-Z]+)\\)")
                string(APPEND list " X(${CMAKE_MATCH_1}, ${CMAKE_MATCH_2})")
                string(APPEND includes "#include \"${header}\"\n")
            endif()
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT "${file}" CONTENT "${includes}#define CATC_TEST_OPERATION_LIST(X)${list}\n" @ONLY)
endfunction()

# catc_add_instances(<target> YAML file... [EPILOGUES dir...] [ARCHS list] [BACKENDS host|cuda...] [PREFIX p] [TESTS]
#                    [SELECT pattern...] [TUNED file...])
#
# Adds the instances of the YAML files to <target> (made as a static library if there is none) and links the library.
# <p>registry() is the table that goes into catc_gemm_args.registry; its base is the library's own. PREFIX defaults to
# "<target>_" (made a C identifier); <target>/instances.h declares the instances and <target>/operations.h the ids of all
# operations. EPILOGUES: folders with <op>.h of your own operations. BACKENDS: default all that
# the library has; `cuda` needs the language CUDA in your own project() line. TESTS: one CTest per instance. TUNED: YAML
# files with measurements of these instances (codegen/catlass_c/tuned.py shows one).
function(catc_add_instances target)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "TESTS" "PREFIX" "YAML;EPILOGUES;ARCHS;BACKENDS;SELECT;TUNED")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "catc_add_instances(${target}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
    endif()
    if(NOT ARG_YAML)
        message(FATAL_ERROR "catc_add_instances(${target}): YAML must name at least one file")
    endif()
    get_property(archs GLOBAL PROPERTY CATC_ARCHS_EFFECTIVE)
    get_property(python GLOBAL PROPERTY CATC_PYTHON)
    if(NOT python)
        catc_find_python("${CMAKE_CURRENT_SOURCE_DIR}")
        set_property(GLOBAL PROPERTY CATC_PYTHON "${CATC_PYTHON}")
    endif()
    if(NOT ARG_BACKENDS)
        set(ARG_BACKENDS host)
        if(archs AND DEFINED CMAKE_CUDA_COMPILE_OBJECT)
            list(APPEND ARG_BACKENDS cuda)
        elseif(archs)
            message(STATUS "catc_add_instances(${target}): host backend only; for cuda add CUDA to the languages of "
                           "your project()")
        endif()
    elseif("cuda" IN_LIST ARG_BACKENDS AND NOT DEFINED CMAKE_CUDA_COMPILE_OBJECT)
        message(FATAL_ERROR "catc_add_instances(${target}): BACKENDS cuda needs CUDA in the languages of your project()")
    elseif("cuda" IN_LIST ARG_BACKENDS AND NOT archs)
        message(FATAL_ERROR "catc_add_instances(${target}): this catlass_c was built without CUDA")
    endif()
    if(ARG_ARCHS)
        set(archs ${ARG_ARCHS})
    endif()
    if(NOT ARG_PREFIX)
        string(MAKE_C_IDENTIFIER "${target}_" ARG_PREFIX)
    endif()
    if(NOT ARG_SELECT)
        set(ARG_SELECT all)
    endif()
    foreach(kind YAML EPILOGUES TUNED)
        set(absolute "")
        foreach(path IN LISTS ARG_${kind})
            get_filename_component(path "${path}" ABSOLUTE)
            list(APPEND absolute "${path}")
        endforeach()
        set(ARG_${kind} "${absolute}")
    endforeach()

    string(MAKE_C_IDENTIFIER "${target}_instances" name)
    set(generated "${CMAKE_CURRENT_BINARY_DIR}/${name}/generated")
    string(MAKE_C_IDENTIFIER "${target}" registry)
    catc_generate(OUT "${generated}" SELECT ${ARG_SELECT} PREFIX ${ARG_PREFIX} NAME ${registry} YAML ${ARG_YAML}
                  EPILOGUES ${ARG_EPILOGUES} ARCHS ${archs} BACKENDS ${ARG_BACKENDS} TUNED ${ARG_TUNED})
    catc_instance_objects(${name} GENERATED "${generated}" PREFIX ${ARG_PREFIX} INCLUDE ${ARG_EPILOGUES} ARCHS ${archs})
    list(LENGTH CATC_GEN_INSTANCES_host n_host)
    list(LENGTH CATC_GEN_INSTANCES_cuda n_cuda)
    message(STATUS "catc_add_instances(${target}): ${n_host} host and ${n_cuda} cuda instances")

    if(NOT TARGET ${target})
        add_library(${target} STATIC)
    endif()
    set(sources "${CATC_GEN_REGISTRY}" ${${name}_OBJECTS})
    target_sources(${target} PRIVATE ${sources})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${generated}/include>")
    # The static library, whatever catlass_c::catlass_c is: a kernel can only be launched by the CUDA runtime in which
    # it was registered, and a shared catlass_c has its own inside.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
        target_link_libraries(${target} PRIVATE catlass_c::static)
    else()
        target_link_libraries(${target} PUBLIC catlass_c::static)
    endif()
    if(TARGET ${name}_cuda_merged)
        add_dependencies(${target} ${name}_cuda_merged)
    endif()
    if(ARG_TESTS)
        get_property(driver_source GLOBAL PROPERTY CATC_DRIVER_SOURCE)
        add_executable(${name}_driver "${driver_source}" ${sources})
        get_filename_component(driver_dir "${driver_source}" DIRECTORY)
        set(with_cuda 0)
        if("cuda" IN_LIST ARG_BACKENDS)
            set(with_cuda 1)
        endif()
        catc_test_operations("${generated}/../test_operations.h" ${ARG_EPILOGUES})
        target_include_directories(${name}_driver BEFORE PRIVATE "${driver_dir}" "${generated}/include" ${ARG_EPILOGUES})
        target_compile_options(${name}_driver PRIVATE -ffp-contract=off)
        target_compile_definitions(${name}_driver PRIVATE CATC_DRIVER_REGISTRY=${ARG_PREFIX}registry
            CATC_TEST_OPERATIONS="${generated}/../test_operations.h" CATC_WITH_CUDA=${with_cuda})
        target_link_libraries(${name}_driver PRIVATE catlass_c::static m)
        if(with_cuda)
            find_package(CUDAToolkit REQUIRED)
            target_link_libraries(${name}_driver PRIVATE CUDA::cudart_static)
        endif()
        set_target_properties(${name}_driver PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
        if(TARGET ${name}_cuda_merged)
            add_dependencies(${name}_driver ${name}_cuda_merged)
        endif()
        foreach(backend host cuda)
            catc_instance_tests(${name}_driver ${backend} ${CATC_GEN_INSTANCES_${backend}})
        endforeach()
    endif()
endfunction()
