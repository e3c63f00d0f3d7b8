/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole library in one file: parameters + skeleton + bodies, no build system, no Python.
 *   gcc  -std=gnu11 -Iinclude single.c -lm -lpthread                        the host backend
 *   nvcc -x cu -gencode=arch=compute_90,code=sm_90 -Iinclude single.c       the cuda backend */
#define CATC_IMPLEMENTATION
#define CATC_NO_LIBRARY_REGISTRY
#include "catlass_c/catlass_c.h"

#include <stdio.h>
#include <string.h>

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

enum { M = 70, N = 33, K = 19 };

static float a[M * K], b[N * K], d[M * N];

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
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 5 - 2);
    for (int i = 0; i < N * K; i++)
        b[i] = (float)(i % 7 - 3);

    struct catc_gemm_args args;
    memset(&args, 0, sizeof args);
    args.m = M;
    args.n = N;
    args.k = K;
    args.layout = CATC_TN;
    args.type_a = CATC_F32;
    args.a = to_device(a, sizeof a);
    args.b = to_device(b, sizeof b);
    args.d = to_device(d, sizeof d);
    args.instance = &INSTANCE;
    args.backend = INSTANCE.backend;
    enum catc_status status = catc_gemm(&args);
    if (status != CATC_OK) {
        fprintf(stderr, "%s: %s\n", catc_status_name(status), catc_last_message());
        return 1;
    }
#ifdef __CUDACC__
    if (cudaMemcpy(d, args.d, sizeof d, cudaMemcpyDefault) != cudaSuccess)
        return 1;
#endif
    for (int i = 0; i < M * N; i++) {
        float want = 0;
        for (int k = 0; k < K; k++)
            want += a[i / N * K + k] * b[i % N * K + k];
        if (d[i] != want) {
            fprintf(stderr, "d[%d] = %g, wanted %g\n", i, (double)d[i], (double)want);
            return 1;
        }
    }
    printf("single file, %s: right\n", catc_backend_name(INSTANCE.backend));
    return 0;
}
