/* SPDX-License-Identifier: Apache-2.0
 *
 * api/aliasing.c: D may be C itself or a TILE operand itself; any other sharing that can be decided is refused before the
 * launch; interleaved slices of one buffer share nothing and are right. */
#include "gemm/simple.h"

enum { M = 37, N = 24, K = 16 };

static double cell(int64_t row, int64_t column)
{
    return (double)((row * 5 + column) % 7);
}

/* A B + cell */
static double sum(int64_t row, int64_t column)
{
    double value = cell(row, column);
    for (int64_t k = 0; k < K; ++k) {
        value += simple_a(row, k) * simple_b(k, column);
    }
    return value;
}

static void d_fill(struct simple *s)
{
    for (int64_t i = 0; i < M; ++i) {
        for (int64_t j = 0; j < N; ++j) {
            element_write(s->args.type_d, s->d.host + s->d.offset, i * N + j, cell(i, j));
        }
    }
    buffer_upload(&s->d);
}

static void in_place(enum catc_backend backend)
{
    struct simple s;
    simple_open(&s, backend, CATC_F32, CATC_TN, M, N, K, simple_a, simple_b);
    d_fill(&s);
    s.args.c = s.args.d;
    s.beta = 1.0f;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sum) == 0);
    s.args.ldc = N; /* stated or by default: the same */
    d_fill(&s);
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sum) == 0);

    s.beta = 0.0f; /* the residual connection: D = A B + bias + D */
    s.args.c = NULL;
    d_fill(&s);
    simple_push(&s, "bias", CATC_EPI_COL, simple_zero);
    s.args.epi[s.args.n_epi].op = CATC_OP_ADD;
    s.args.epi[s.args.n_epi++].ptr = s.args.d;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sum) == 0);
    simple_close(&s);
}

static void refused(const struct catc_gemm_args *g, const char *with)
{
    CHECK(catc_gemm(g) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), with);
    CHECK(catc_gemm_explain(g, NULL, 0) == CATC_INVALID_ARGUMENT);
}

static void overlap(enum catc_backend backend)
{
    struct simple s;
    simple_open(&s, backend, CATC_F32, CATC_TN, 32, 32, 32, simple_a, simple_b);
    struct catc_gemm_args const good = s.args;
    char *const a = (char *)(uintptr_t)good.a, *const b = (char *)(uintptr_t)good.b, *const d = (char *)good.d;
    struct catc_gemm_args g = good;
    g.d = a;
    refused(&g, "with A");
    g.d = a + 4 * 32 * 31; /* only its first row is A's last */
    refused(&g, "with A");
    g.d = a - 4 * 32 * 31;
    refused(&g, "with A");
    g.d = b + 4; /* one element further, rows that run into the next line */
    refused(&g, "with B");

    float const one = 1.0f;
    g = good;
    g.beta = &one;
    g.c = d + 4 * 32; /* C one row further */
    refused(&g, "unless it is C itself");
    g.c = d;
    g.ldc = 33;
    refused(&g, "unless it is C itself");
    g.ldc = 0;
    g.batch = 2;
    g.stride_d = 32 * 32;
    g.stride_c = 0; /* every problem would read the first one's result */
    refused(&g, "unless it is C itself");
    g = good;
    g.c = d; /* beta is 0: C is not read, so it cannot matter */
    g.ldc = 77;
    CHECK(catc_gemm(&g) == CATC_OK);
    simple_download(&s);
    CHECK(simple_mismatches(&s, NULL) == 0);
    simple_close(&s);
}

/* One packed buffer [tokens][q | k | v]: D = slice of v = (slice of q) (weights); k stays as it was. */
static void slices(enum catc_backend backend)
{
    enum { TOKENS = 45, HEAD = 16, LINE = 3 * HEAD };
    struct simple s;
    simple_open(&s, backend, CATC_F32, CATC_TN, TOKENS, HEAD, HEAD, simple_a, simple_b);
    struct buffer qkv = buffer_output(backend, TOKENS * LINE * 4, 0);
    int wrong = 0;
    for (int64_t t = 0; t < TOKENS; ++t) {
        for (int64_t j = 0; j < LINE; ++j) {
            element_write(CATC_F32, qkv.host + qkv.offset, t * LINE + j, j < HEAD ? simple_a(t, j) : -777.0);
        }
    }
    buffer_upload(&qkv);
    float *const base = (float *)buffer_use(&qkv);
    s.args.a = base;
    s.args.d = base + 2 * HEAD;
    s.args.lda = s.args.ldd = LINE;
    CHECK(catc_gemm(&s.args) == CATC_OK);
    buffer_download(&qkv);
    for (int64_t t = 0; t < TOKENS; ++t) {
        for (int64_t j = 0; j < LINE; ++j) {
            double const want = j < HEAD ? simple_a(t, j) : j < 2 * HEAD ? -777.0 : simple_product(&s, t, j - 2 * HEAD);
            wrong += element_read(CATC_F32, qkv.host + qkv.offset, t * LINE + j) != want;
        }
    }
    CHECK(wrong == 0);
    s.args.d = base + HEAD - 1; /* one column too far to the left */
    refused(&s.args, "with A");
    s.args.d = base + 2 * HEAD + 1; /* one too far to the right: the last column is the next token's q */
    refused(&s.args, "with A");
    buffer_free(&qkv);
    simple_close(&s);
}

/* Problems of a batch against each other, and outputs of the chain against everything. */
static void batches_and_taps(enum catc_backend backend)
{
    struct simple s;
    simple_open(&s, backend, CATC_F32, CATC_TN, 32, 32, 32, simple_a, simple_b);
    struct catc_gemm_args const good = s.args;
    char *const a = (char *)(uintptr_t)good.a, *const d = (char *)good.d;
    int64_t const matrix = 32 * 32;

    struct catc_gemm_args g = good;
    g.batch = 2;
    g.stride_d = 32; /* the second problem starts in the second row of the first */
    refused(&g, "stride_d=32");
    g.stride_d = matrix;
    g.stride_a = matrix;
    g.d = a + 4 * matrix; /* D of the first problem is A of the second */
    refused(&g, "with A");
    g.m = 0; /* nothing is written, so nothing can be shared; stride_d = m * n is 0 then */
    g.stride_d = 0;
    CHECK(catc_gemm(&g) == CATC_OK);

    g = good;
    simple_push(&s, "bias", CATC_EPI_COL, simple_zero);
    g.epi[0] = s.args.epi[0];
    g.epi[1].op = CATC_OP_TAP;
    g.epi[2].op = CATC_OP_GELU;
    g.n_epi = 3;
    g.epi[1].out = a;
    refused(&g, "with A");
    g.epi[1].out = d;
    refused(&g, "with D");
    g.epi[1].out = (char *)(uintptr_t)g.epi[0].ptr - 4; /* over the bias */
    refused(&g, "with epi[0].ptr");
    simple_close(&s);
}

static void all(enum catc_backend backend)
{
    in_place(backend);
    overlap(backend);
    slices(backend);
    batches_and_taps(backend);
}

int main(void)
{
    return simple_main(all);
}
