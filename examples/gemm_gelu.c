/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_gelu.c: D = gelu(A B + bias) in one kernel, on a GPU if there is one and on the CPU if not. Copy this file. */
#include "example.h"

#include "catlass_c/operations.h" /* CATC_OP_BIAS, CATC_OP_GELU: generated, one constant for each operation */

int main(void)
{
    enum { M = 200, N = 136, K = 72 }; /* A: M x K, B stored N x K, D: M x N, all row by row */
    enum catc_backend const backend = catc_device_count() > 0 ? CATC_CUDA : CATC_HOST;
    float *const a = example_random(backend, M * K), *const b = example_random(backend, N * K);
    float *const bias = example_random(backend, N), *const d = example_random(backend, M * N);

    struct catc_gemm_args const args = {
        .m = M,
        .n = N,
        .k = K,
        .layout = CATC_TN, /* K is contiguous in both A and B */
        .type_a = CATC_F32,
        .a = a,
        .b = b,
        .d = d,
        .epi = {{.op = CATC_OP_BIAS, .ptr = bias}, {.op = CATC_OP_GELU}},
        .n_epi = 2,
        .backend = backend,
    };

    char why[4096];
    catc_gemm_explain(&args, why, sizeof why); /* which instance, why, and why each other was refused */
    printf("backend: %s\n%s", catc_backend_name(backend), why);

    if (catc_gemm(&args) != CATC_OK) {
        fprintf(stderr, "%s\n", catc_last_message());
        return 1;
    }
    double const error = example_gelu_error(backend, M, N, K, a, b, bias, d);
    printf("largest error against fp64: %.2g\n", error);
    if (backend == CATC_CUDA) {
        printf("time: %.1f us\n", example_microseconds(&args));
    }
    return error < 1e-5 ? 0 : 1;
}
