/* SPDX-License-Identifier: Apache-2.0
 *
 * EP-01: column-major output was done by swapping the operands, but the bias was not swapped with them, so it was indexed
 * along the wrong axis and read past its end. Vectors of exactly the length that is needed, the byte behind them
 * inaccessible on the host: row-major D, column-major D as the transposed problem, bias by column and by row. */
#include "gemm/simple.h"

enum { K = 16 };

/* A vector that ends where its memory ends (host), or with the pages of an allocation full of NaN behind it (cuda). */
struct vector {
    enum catc_backend backend;
    void *memory;
};

static double step(int64_t j)
{
    return (double)(j + 1);
}
static double neutral(int64_t j)
{
    (void)j;
    return 1.0;
}

static struct vector vector_make(enum catc_backend backend, enum catc_type type, int64_t length,
                                 double (*value)(int64_t))
{
    unsigned char line[64 * 4];
    size_t const bytes = (size_t)length * catc_type_size(type);
    memset(line, 0xff, sizeof line); /* NaN behind the last element */
    for (int64_t i = 0; i < length; ++i) {
        element_write(type, line, i, value(i));
    }
    struct vector const v = {backend, device_alloc(backend, backend == CATC_HOST ? bytes : sizeof line, 1)};
    if (backend == CATC_HOST) {
        memcpy(v.memory, line, bytes);
    } else {
#if CATC_WITH_CUDA
        CHECK(cudaMemcpy(v.memory, line, sizeof line, cudaMemcpyHostToDevice) == cudaSuccess);
#endif
    }
    return v;
}

static void vector_free(struct vector *v)
{
    struct buffer b; /* frees either kind */
    memset(&b, 0, sizeof b);
    b.backend = v->backend;
    b.device = (unsigned char *)v->memory;
    buffer_free(&b);
}

static double by_column(int64_t row, int64_t column)
{
    (void)row;
    return step(column);
}
static double by_row(int64_t row, int64_t column)
{
    (void)column;
    return step(row);
}

/* Row-major D, bias by column. */
static void row_major(enum catc_backend backend, enum catc_type type, int64_t m, int64_t n)
{
    struct simple s;
    struct vector bias = vector_make(backend, type, n, step);
    simple_open(&s, backend, type, CATC_TN, m, n, K, simple_zero, simple_zero);
    s.args.n_epi = 1;
    s.args.epi[0].op = CATC_OP_BIAS;
    s.args.epi[0].ptr = bias.memory;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, by_column) == 0);
    simple_close(&s);
    vector_free(&bias);
}

/* The chain bias_row, scale_col, scale_row on an n_rows x n_columns D: a bias by row, factors of 1. */
static void bias_by_row(enum catc_backend backend, enum catc_type type, int64_t rows, int64_t columns)
{
    struct simple s;
    struct vector operand[] = {vector_make(backend, type, rows, step), vector_make(backend, type, columns, neutral),
                               vector_make(backend, type, rows, neutral)};
    static const char *const op[] = {"bias_row", "scale_col", "scale_row"};
    simple_open(&s, backend, type, CATC_TN, rows, columns, K, simple_zero, simple_zero);
    for (int e = 0; e < 3; ++e) {
        s.args.epi[e].op = catc_op_id(op[e]);
        s.args.epi[e].ptr = operand[e].memory;
    }
    s.args.n_epi = 3;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, by_row) == 0);
    simple_close(&s);
    for (int e = 0; e < 3; ++e) {
        vector_free(&operand[e]);
    }
}

/* Is the chain built for this type? */
static bool has_chain(enum catc_backend backend, enum catc_type type, const char *first, int length)
{
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, backend, at)); ++at) {
        if (i->skeleton == CATC_GEMM_SIMT && i->type_d == type && i->type_a == type && i->layout == CATC_TN &&
            i->n_epi == length && strcmp(i->epi[0].name, first) == 0) {
            return true;
        }
    }
    return false;
}

int main(void)
{
    simple_needs_default_set();
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    static const int64_t shape[][2] = {{3, 5}, {5, 3}, {1, 33}, {33, 1}, {64, 64}};
    int ran = 0;
    for (int b = 0; b < backends; ++b) {
        for (int type = 1; type < CATC_TYPE_END; ++type) {
            for (size_t s = 0; s < sizeof shape / sizeof shape[0]; ++s) {
                int64_t const m = shape[s][0], n = shape[s][1];
                enum catc_type const t = (enum catc_type)type;
                if (has_chain(backend[b], t, "bias", 1)) {
                    row_major(backend[b], t, m, n);
                    ++ran;
                }
                if (has_chain(backend[b], t, "bias_row", 3)) {
                    bias_by_row(backend[b], t, m, n); /* bias of length M */
                    /* column-major M x N is row-major N x M, D^T = B^T A^T: the bias by column is one by row */
                    bias_by_row(backend[b], t, n, m);
                    ++ran;
                }
            }
        }
    }
    CHECK(ran >= 15 * backends); /* a plain build has both for f32, and bias for bf16 */
    return check_result();
}
