/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/gemm/gpu.h: whether tests can run on a GPU here. Skipped is only where there is no driver or no device, and not
 * even there with CATC_REQUIRE_GPU=1, since ctest counts skipped tests as passed. */
#ifndef CATC_TESTS_GEMM_GPU_H
#define CATC_TESTS_GEMM_GPU_H

#include <stdio.h>
#include <stdlib.h>

#include "catlass_c/catlass_c.h"
#if CATC_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* Exit status of a test that needs a GPU: 0 to run it; 77 (with the reason on stderr) to skip it; 1 if a GPU is required
 * or if there is a driver that does not work, such as one that is too old for the toolkit of this build. */
static inline int gpu_status(void)
{
    const char *const required = getenv("CATC_REQUIRE_GPU");
    struct catc_device device;
    if (catc_device_count() > 0) {
        return 0;
    }
    enum catc_status const status = catc_device_current(&device);
    fprintf(stderr, "no GPU: %s: %s\n", catc_status_name(status), catc_last_message());
#if CATC_WITH_CUDA
    /* CUDA's error 35 is both "no driver" and "driver too old"; the driver's version tells which: 0 is none. */
    int driver = 0, runtime = 0, devices = 0;
    cudaError_t const error = cudaGetDeviceCount(&devices);
    if (cudaDriverGetVersion(&driver) != cudaSuccess) {
        driver = 0;
    }
    if (driver != 0 && error != cudaErrorNoDevice && error != cudaErrorStubLibrary) {
        (void)cudaRuntimeGetVersion(&runtime);
        fprintf(stderr, "FAIL: the driver is there, for CUDA %d.%d, and this program was built with CUDA %d.%d: %s%s\n",
                driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, cudaGetErrorString(error),
                error == cudaErrorInsufficientDriver ? "; update the driver, or build with an older toolkit" : "");
        return 1;
    }
#endif
    if (required && required[0] == '1') {
        fprintf(stderr, "FAIL: CATC_REQUIRE_GPU=1, so that this is not skipped\n");
        return 1;
    }
    return 77;
}

/* Number of GPUs for a test that has a part for them; ends the program where gpu_status() is a failure. */
static inline int gpu_count(void)
{
    int const status = gpu_status();
    if (status == 1) {
        exit(1);
    }
    return status == 0 ? catc_device_count() : 0;
}

#endif /* CATC_TESTS_GEMM_GPU_H */
