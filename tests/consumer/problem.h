/* SPDX-License-Identifier: Apache-2.0
 *
 * problem.h: one small GEMM with an exact answer, for the consumer projects. Define M, N and K before. */
#include "catlass_c/catlass_c.h"

#include <stdio.h>
#include <string.h>

static float a[M * K], b[N * K], d[M * N];

/* Fills a and b and describes the plain problem on them, backend host. */
static struct catc_gemm_args problem_args(void)
{
    struct catc_gemm_args args;
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 5 - 2);
    for (int i = 0; i < N * K; i++)
        b[i] = (float)(i % 7 - 3);
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
    return args;
}

/* 0 if the status is CATC_OK; prints why not. */
static int problem_failed(const char *what, enum catc_status status)
{
    if (status != CATC_OK)
        fprintf(stderr, "%s: %s: %s\n", what, catc_status_name(status), catc_last_message());
    return status != CATC_OK;
}

/* 0 if d is a b + add everywhere; prints the first element that is not. */
static int problem_wrong(const char *what, float add)
{
    for (int i = 0; i < M * N; i++) {
        float want = add;
        for (int k = 0; k < K; k++)
            want += a[i / N * K + k] * b[i % N * K + k];
        if (d[i] != want) {
            fprintf(stderr, "%s: d[%d] = %g, wanted %g\n", what, i, (double)d[i], (double)want);
            return 1;
        }
    }
    return 0;
}
