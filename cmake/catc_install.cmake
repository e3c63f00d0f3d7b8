# SPDX-License-Identifier: Apache-2.0
# Installation: headers, both libraries, CMake package, pkg-config file, and the code generator, so that
# catc_add_instances works from an installed copy.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(catc_package "${CMAKE_INSTALL_LIBDIR}/cmake/catlass_c")
set(catc_share "${CMAKE_INSTALL_DATADIR}/catlass_c")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/catlass_c" "${catc_generated}/include/catlass_c"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(TARGETS catlass_c_headers catlass_c_static catlass_c_shared EXPORT catlass_c
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT catlass_c FILE catlass_cTargets.cmake NAMESPACE catlass_c:: DESTINATION "${catc_package}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/catlass_cConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/catlass_cConfig.cmake" INSTALL_DESTINATION "${catc_package}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR catc_share)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/catlass_cConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/catlass_cConfig.cmake" "${PROJECT_BINARY_DIR}/catlass_cConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/catc_python.cmake" "${PROJECT_SOURCE_DIR}/cmake/catc_instances.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/catc_archs.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/gate.py" DESTINATION "${catc_package}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/codegen" DESTINATION "${catc_share}"
        PATTERN "__pycache__" EXCLUDE PATTERN ".*" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/instances" DESTINATION "${catc_share}" FILES_MATCHING PATTERN "*.yaml")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY.md" DESTINATION "${catc_share}")
# The driver of TESTS in catc_add_instances and of `catlass-c generate`, with the headers of its own folder; and the
# sources that the latter puts into its trees.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/lib" DESTINATION "${catc_share}" FILES_MATCHING PATTERN "*.c")
install(FILES "${PROJECT_SOURCE_DIR}/tests/gemm_driver.c" DESTINATION "${catc_share}/tests")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tests/gemm" DESTINATION "${catc_share}/tests" FILES_MATCHING PATTERN "*.h")
configure_file("${PROJECT_SOURCE_DIR}/cmake/catlass-c.in" "${PROJECT_BINARY_DIR}/catlass-c" @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/catlass-c" DESTINATION "${CMAKE_INSTALL_BINDIR}")

# pkg-config: `--libs` for the shared library, `--static --libs` for the static one.
set(catc_pc_private "-lpthread -lm")
if(CATC_WITH_CUDA)
    get_filename_component(catc_cudart_dir "${CUDA_cudart_static_LIBRARY}" DIRECTORY)
    string(PREPEND catc_pc_private "-L\"${catc_cudart_dir}\" -lcudart_static -ldl -lrt ")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/catlass_c.pc.in" "${PROJECT_BINARY_DIR}/catlass_c.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/catlass_c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
