/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the user's instance through the user's registry, and one of the library's through the same registry's base. */
#include "catlass_c/catlass_c.h"
#include "main/instances.h"
#include "main/operations.h"

#include <stdio.h>
#include <string.h>

enum { M = 9, N = 11, K = 13 };

static float a[M * K], b[N * K], d[M * N];

static int run(const char *what, uint32_t op, float add)
{
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
    args.registry = mine_registry();
    if (op) {
        args.n_epi = 1;
        args.epi[0].op = op;
    }
    enum catc_status status = catc_gemm(&args);
    if (status != CATC_OK) {
        fprintf(stderr, "%s: %s: %s\n", what, catc_status_name(status), catc_last_message());
        return 1;
    }
    for (int i = 0; i < M * N; i++) {
        float want = add;
        for (int k = 0; k < K; k++)
            want += a[i / N * K + k] * b[i % N * K + k];
        if (d[i] != want) {
            fprintf(stderr, "%s: d[%d] = %g, wanted %g\n", what, i, (double)d[i], (double)want);
            return 1;
        }
    }
    printf("%s: right\n", what);
    return 0;
}

int main(void)
{
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i % 5 - 2);
    for (int i = 0; i < N * K; i++)
        b[i] = (float)(i % 3 - 1);
    return run("own operation", CATC_OP_PLUS_ONE, 1.0f) | run("the library's instance", 0, 0.0f);
}
