/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-05: zero-size dimensions crashed, were refused, or left D untouched; with K = 0 a pipelined kernel ran its prologue
 * and read out of bounds. */
#include "gemm/simple.h"

static double three(int64_t row, int64_t column)
{
    (void)row, (void)column;
    return 3.0;
}
static double six(int64_t row, int64_t column)
{
    return 2.0 * three(row, column);
}

/* K = 0: D = epilogue(beta C), with A and B NULL. `want` is D before the chain. */
static void no_depth(enum catc_backend backend, const struct catc_gemm_instance *instance, float beta, simple_value c,
                     simple_value want)
{
    struct simple s;
    int64_t const n = instance && instance->align_a > 4 ? 8 : 4; /* some need rows of whole 16 bytes */
    int const before = check_failures;
    if (instance) {
        simple_open_instance(&s, instance, 4, n, 0, simple_one, simple_one);
    } else {
        simple_open(&s, backend, CATC_F32, CATC_TN, 4, n, 0, simple_one, simple_one);
    }
    s.args.a = s.args.b = NULL;
    s.alpha = INFINITY; /* alpha * 0 must not appear */
    simple_c(&s, beta, c);
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, want) == 0);
    if (check_failures > before) {
        fprintf(stderr, "  in %s\n", instance ? instance->name : "the automatic choice");
    }
    simple_close(&s);
}

/* No pointer is valid here: nothing may be launched. */
static void nothing(enum catc_backend backend, int64_t m, int64_t n, int64_t k, int64_t batch, int64_t ld)
{
    struct catc_gemm_args g;
    struct catc_gemm_plan plan;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.batch = batch;
    g.stride_d = 1000; /* with this, batch 0 is an empty batch */
    g.lda = g.ldb = g.ldc = g.ldd = ld;
    g.layout = CATC_TN;
    g.type_a = CATC_F32;
    g.backend = backend;
    CHECK(catc_gemm(&g) == CATC_OK);
    CHECK(catc_gemm_make_plan(&plan, &g) == CATC_OK && catc_gemm_launch(&plan, NULL, NULL) == CATC_OK);
    if (check_failures) {
        fprintf(stderr, "  %lldx%lldx%lld batch %lld: %s\n", (long long)m, (long long)n, (long long)k, (long long)batch,
                catc_last_message());
    }
}

/* D of an empty problem stays as it is, guards and all. */
static void untouched(enum catc_backend backend)
{
    for (int which = 0; which < 3; ++which) {
        struct simple s;
        simple_open(&s, backend, CATC_F32, CATC_TN, 4, 4, 8, simple_one, simple_one);
        s.args.m = which == 0 ? 0 : 4;
        s.args.n = which == 1 ? 0 : 4;
        s.args.batch = 0;
        s.args.stride_d = which == 2 ? 16 : 0;
        CHECK(catc_gemm(&s.args) == CATC_OK);
        simple_download(&s);
        CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
        simple_close(&s);
    }
}

int main(void)
{
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        const struct catc_gemm_instance *i = NULL; /* the automatic choice first */
        for (int at = 0; at == 0 || i; i = simple_next(backend[b], &at)) {
            no_depth(backend[b], i, 2.0f, three, six);
            no_depth(backend[b], i, 0.0f, simple_nan, simple_zero);
        }
        nothing(backend[b], 0, 4, 8, 1, 0);
        nothing(backend[b], 4, 0, 8, 1, 0);
        nothing(backend[b], 0, 0, 0, 1, 0);
        nothing(backend[b], 4, 4, 8, 0, 0);
        nothing(backend[b], 0, 0, 0, 1, 1); /* any leading dimension from 1 up will do */
        nothing(backend[b], 0, 0, 0, 1, 12345);
        untouched(backend[b]);

        struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, -1, 4, 8);
        g.backend = backend[b];
        CHECK(catc_gemm(&g) == CATC_INVALID_ARGUMENT);
        CHECK_HAS(catc_last_message(), "m=-1");
    }
    return check_result();
}
