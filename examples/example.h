/* SPDX-License-Identifier: Apache-2.0
 *
 * example.h: what the examples need besides the library: memory of either backend, random input, an fp64 reference, a
 * clock. */
#ifndef CATC_EXAMPLES_EXAMPLE_H
#define CATC_EXAMPLES_EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catlass_c/catlass_c.h"
#if CATC_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

static void example_copy(enum catc_backend backend, void *to, const void *from, size_t bytes)
{
    if (backend == CATC_HOST) {
        memcpy(to, from, bytes);
    } else {
#if CATC_WITH_CUDA
        if (cudaMemcpy(to, from, bytes, cudaMemcpyDefault) != cudaSuccess) {
            fprintf(stderr, "cudaMemcpy: %s\n", cudaGetErrorString(cudaGetLastError()));
            exit(1);
        }
#endif
    }
}

/* `count` floats in [-1, 1), where the backend's kernels can read them. */
static float *example_random(enum catc_backend backend, size_t count)
{
    static uint32_t state = 12345;
    float *const values = (float *)malloc(count * sizeof *values);
    void *memory = values;
    if (!values) {
        exit(1);
    }
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
    }
    if (backend == CATC_CUDA) {
#if CATC_WITH_CUDA
        if (cudaMalloc(&memory, count * sizeof *values) != cudaSuccess) {
            fprintf(stderr, "cudaMalloc: %s\n", cudaGetErrorString(cudaGetLastError()));
            exit(1);
        }
        example_copy(backend, memory, values, count * sizeof *values);
        free(values);
#endif
    }
    return (float *)memory;
}

/* Largest difference between d and gelu(a b + bias) computed in fp64; a is m x k, b is stored n x k. */
static double example_gelu_error(enum catc_backend backend, int m, int n, int k, const float *a, const float *b,
                                 const float *bias, const float *d)
{
    const float *const from[4] = {a, b, bias, d};
    size_t const count[4] = {(size_t)m * k, (size_t)n * k, (size_t)n, (size_t)m * n};
    float *host[4];
    double largest = 0;
    for (int i = 0; i < 4; ++i) {
        host[i] = (float *)malloc(count[i] * sizeof(float));
        example_copy(backend, host[i], from[i], count[i] * sizeof(float));
    }
    for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {
            double x = host[2][column];
            for (int i = 0; i < k; ++i) {
                x += (double)host[0][row * k + i] * host[1][column * k + i];
            }
            double const want = 0.5 * x * (1 + erf(x * 0.70710678118654752440));
            largest = fmax(largest, fabs(host[3][row * n + column] - want));
        }
    }
    for (int i = 0; i < 4; ++i) {
        free(host[i]);
    }
    return largest;
}

/* Mean time of 100 launches of one plan on the GPU; 0 in a build without CUDA. */
static double example_microseconds(const struct catc_gemm_args *args)
{
    float milliseconds = 0;
#if CATC_WITH_CUDA
    struct catc_gemm_plan plan;
    cudaEvent_t start, stop;
    if (catc_gemm_make_plan(&plan, args) != CATC_OK || cudaEventCreate(&start) != cudaSuccess ||
        cudaEventCreate(&stop) != cudaSuccess) {
        return 0;
    }
    for (int i = 0; i < 110; ++i) {
        if (i == 10) {
            cudaEventRecord(start, NULL);
        }
        catc_gemm_launch(&plan, NULL, NULL);
    }
    cudaEventRecord(stop, NULL);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&milliseconds, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
#else
    (void)args;
#endif
    return milliseconds * 10.0;
}

#endif /* CATC_EXAMPLES_EXAMPLE_H */
