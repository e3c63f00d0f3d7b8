/* SPDX-License-Identifier: Apache-2.0
 *
 * A user's program: one GEMM on the host backend, whose exact answer is known. */
#include "catlass_c/catlass_c.h"

#include <stdio.h>
#include <string.h>

enum { M = 37, N = 29, K = 41 };

int main(void)
{
    static float a[M * K], b[N * K], d[M * N];
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
    args.a = a;
    args.b = b;
    args.d = d;
    args.backend = CATC_HOST;
    enum catc_status status = catc_gemm(&args);
    if (status != CATC_OK) {
        fprintf(stderr, "%s: %s\n", catc_status_name(status), catc_last_message());
        return 1;
    }
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float want = 0;
            for (int k = 0; k < K; k++)
                want += a[i * K + k] * b[j * K + k];
            if (d[i * N + j] != want) {
                fprintf(stderr, "d[%d][%d] = %g, wanted %g\n", i, j, (double)d[i * N + j], (double)want);
                return 1;
            }
        }
    }
    /* Without a driver this is 0, and the program has started all the same. */
    printf("catlass_c %s, %d GPUs, gemm %dx%dx%d is right\n", catc_version(), catc_device_count(), M, N, K);
    return 0;
}
