/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: prints, as one JSON object, the layout of the structs that catc.py mirrors, so that a header that has
 * changed since is found before a wrong struct is passed. Needs the headers only; nothing is linked. */
#include <stddef.h>
#include <stdio.h>

#include "catlass_c/ops/gemm.h"

/* X(struct, field) */
#define FIELDS_EPI(X, s) \
    X(s, op) \
    X(s, type) \
    X(s, ptr) \
    X(s, out) \
    X(s, ld) \
    X(s, batch_stride) \
    X(s, a) \
    X(s, b)
#define FIELDS_ARGS(X, s) \
    X(s, m) \
    X(s, n) \
    X(s, k) \
    X(s, batch) \
    X(s, layout) \
    X(s, type_a) \
    X(s, type_b) \
    X(s, type_d) \
    X(s, type_acc) \
    X(s, a) \
    X(s, b) \
    X(s, c) \
    X(s, d) \
    X(s, lda) \
    X(s, ldb) \
    X(s, ldc) \
    X(s, ldd) \
    X(s, stride_a) \
    X(s, stride_b) \
    X(s, stride_c) \
    X(s, stride_d) \
    X(s, alpha) \
    X(s, beta) \
    X(s, scalars_on_device) \
    X(s, epi) \
    X(s, n_epi) \
    X(s, fixed_m) \
    X(s, backend) \
    X(s, instance) \
    X(s, registry) \
    X(s, device) \
    X(s, workspace) \
    X(s, workspace_size) \
    X(s, workspace_clean) \
    X(s, stream)
#define FIELDS_PLAN(X, s) X(s, opaque)
#define FIELDS_INSTANCE(X, s) \
    X(s, name) \
    X(s, source)

/* X(enumerator) */
#define CONSTANTS(X) \
    X(CATC_EPI_MAX) \
    X(CATC_F32) \
    X(CATC_BF16) \
    X(CATC_TN) \
    X(CATC_CUDA) \
    X(CATC_HOST) \
    X(CATC_OK) \
    X(CATC_NOT_SUPPORTED)

#define PRINT_FIELD(s, field) \
    printf("\"%s\": [%zu, %zu], ", #field, offsetof(struct s, field), sizeof(((struct s *)0)->field));
#define PRINT_STRUCT(s, FIELDS) \
    printf("\"%s\": {", #s); \
    FIELDS(PRINT_FIELD, s) \
    printf("\"\": [0, %zu]},\n", sizeof(struct s));
#define PRINT_CONSTANT(e) printf("\"%s\": %d, ", #e, (int)e);

int main(void)
{
    printf("{\"structs\": {\n");
    PRINT_STRUCT(catc_epi, FIELDS_EPI)
    PRINT_STRUCT(catc_gemm_args, FIELDS_ARGS)
    PRINT_STRUCT(catc_gemm_plan, FIELDS_PLAN)
    PRINT_STRUCT(catc_gemm_instance, FIELDS_INSTANCE)
    printf("\"\": {}},\n\"constants\": {");
    CONSTANTS(PRINT_CONSTANT)
    printf("\"\": 0}}\n");
    return 0;
}
