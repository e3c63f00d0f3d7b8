/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole library in one file: parameters + skeleton + bodies, no build system, no Python.
 *   gcc  -std=gnu11 -Iinclude single.c -lm -lpthread                        the host backend
 *   nvcc -x cu -gencode=arch=compute_90,code=sm_90 -Iinclude single.c       the cuda backend */
#define CATC_IMPLEMENTATION
#define CATC_NO_LIBRARY_REGISTRY
enum { M = 70, N = 33, K = 19 };
#include "../problem.h" /* includes catlass_c/catlass_c.h */

#define CATC_P_NAME single_64x64x8
#define CATC_P_NAME_STRING "single_64x64x8"
#define CATC_P_SOURCE "single.c"
#define CATC_P_TYPE_A f32
#define CATC_P_TYPE_B f32
#define CATC_P_TYPE_ACC f32
#define CATC_P_TYPE_D f32
#define CATC_P_LAYOUT tn
#define CATC_P_TILE_M 64
#define CATC_P_TILE_N 64
#define CATC_P_TILE_K 8
#define CATC_P_WARP_M 32
#define CATC_P_WARP_N 32
#define CATC_P_THREAD_M 8
#define CATC_P_THREAD_N 4
#define CATC_P_STAGES 2
#define CATC_P_SCHEDULE simt
#define CATC_P_SWAP 0
#define CATC_P_UNROLL 8
#define CATC_P_MIN_BLOCKS 1
#define CATC_P_N_EPI 0
#define CATC_P_EPI_LIST(X)
#define CATC_TARGETS 900
#include "catlass_c/skeleton/gemm_simt.skel.h"

#ifdef __CUDACC__
#define INSTANCE catc_single_64x64x8_cuda_instance
#else
#define INSTANCE catc_single_64x64x8_host_instance
#endif

/* Copies to the device and back on cuda, nothing on host. */
static void *to_device(void *host, size_t bytes)
{
#ifdef __CUDACC__
    void *device = NULL;
    if (cudaMalloc(&device, bytes) != cudaSuccess || cudaMemcpy(device, host, bytes, cudaMemcpyDefault) != cudaSuccess)
        return NULL;
    return device;
#else
    (void)bytes;
    return host;
#endif
}

int main(void)
{
#ifdef __CUDACC__
    if (catc_device_count() == 0) {
        printf("single file: no GPU, compiled only\n");
        return 77;
    }
#endif
    struct catc_gemm_args args = problem_args();
    args.a = to_device(a, sizeof a);
    args.b = to_device(b, sizeof b);
    args.d = to_device(d, sizeof d);
    args.instance = &INSTANCE;
    args.backend = INSTANCE.backend;
    if (problem_failed("single file", catc_gemm(&args)))
        return 1;
#ifdef __CUDACC__
    if (cudaMemcpy(d, args.d, sizeof d, cudaMemcpyDefault) != cudaSuccess)
        return 1;
#endif
    if (problem_wrong("single file", 0.0f))
        return 1;
    printf("single file, %s: right\n", catc_backend_name(INSTANCE.backend));
    return 0;
}
