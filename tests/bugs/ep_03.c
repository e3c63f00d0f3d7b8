/* SPDX-License-Identifier: Apache-2.0
 *
 * EP-03: a fast tanh overshot 1, so that GELU(-100) came out as +2.2; another form gave NaN for x below about -13; a
 * fused instance was wrong at one shape only. Both forms at the points that failed, the row of a NaN, then every fused
 * instance against the fp64 reference. */
#include "gemm/simple.h"

enum { SIZE = 16 };

static double const point[] = {-100, -13.24, -4, -2.25, -1, 0, 1, 4, 100, NAN};
enum { POINTS = sizeof point / sizeof point[0], NAN_ROW = POINTS - 1 };

static double diagonal(int64_t i, int64_t k)
{
    return i == k && i < POINTS ? point[i] : 0.0;
}
static double identity(int64_t k, int64_t j)
{
    return k == j ? 1.0 : 0.0;
}

static void points(enum catc_backend backend, enum catc_type type, const char *op)
{
    struct simple s;
    bool const tanh_form = strcmp(op, "gelu_tanh") == 0;
    int const before = check_failures;
    simple_open(&s, backend, type, CATC_TN, SIZE, SIZE, SIZE, diagonal, identity);
    simple_push(&s, "bias", CATC_EPI_COL, simple_zero);
    simple_push(&s, op, CATC_EPI_NONE, simple_zero);
    CHECK(simple_run(&s) == CATC_OK);
    for (int64_t i = 0; i < SIZE; ++i) {
        for (int64_t j = 0; j < SIZE; ++j) {
            double const got = simple_d(&s, i, j);
            if (i == NAN_ROW) { /* 0 * NaN = NaN */
                CHECK(isnan(got));
            } else if (i != j || i >= POINTS) {
                CHECK(got == 0.0);
            } else { /* x as the type holds it */
                double const x = element_read(type, s.a.host + s.a.offset, i * SIZE + j);
                struct bounded const in = {x, 0.0};
                CHECK(acceptable(type, got, gelu_of(in, tanh_form)));
            }
        }
    }
    CHECK(simple_d(&s, 0, 0) == 0.0);        /* gelu(-100) */
    CHECK(fabs(simple_d(&s, 1, 1)) <= 1e-6); /* gelu(-13.24) */
    CHECK(simple_d(&s, 5, 5) == 0.0);
    CHECK(simple_d(&s, 8, 8) == 100.0); /* gelu(100) */
    if (type == CATC_F32) {             /* the two forms are told apart by these digits */
        CHECK(fabs(simple_d(&s, 4, 4) - (tanh_form ? -0.1588080 : -0.1586553)) < 2e-6);
        CHECK(fabs(simple_d(&s, 3, 3) - (tanh_form ? -0.0272013 : -0.0275051)) < 2e-6);
    }
    if (check_failures > before) {
        fprintf(stderr, "  %s of %s on %s\n", op, catc_type_name(type), catc_backend_name(backend));
    }
    simple_close(&s);
}

/* Values of a few tenths, so that the sums lie where GELU bends. */
static double small_a(int64_t i, int64_t k)
{
    return (double)((i * 7 + k * 3) % 11 - 5) / 32.0;
}
static double small_b(int64_t k, int64_t j)
{
    return (double)((k * 5 + j * 2) % 13 - 6) / 16.0;
}

static void fused(const struct catc_gemm_instance *i)
{
    struct simple s;
    int wrong = 0;
    simple_open_instance(&s, i, 100, 256, 256, small_a, small_b); /* exact in all types, and so are the sums in fp32 */
    CHECK(simple_run(&s) == CATC_OK);
    for (int64_t row = 0; row < 100; ++row) {
        for (int64_t column = 0; column < 256; ++column) {
            struct bounded x = {simple_product(&s, row, column), 0.0};
            for (int e = 0; e < i->n_epi; ++e) {
                x = apply(i->epi[e].name, i->epi[e].kind, x, simple_neutral(i->epi[e].name)(row, column), row, column);
            }
            if (!acceptable(i->type_d, simple_d(&s, row, column), x) && wrong++ < 3) {
                fprintf(stderr, "  %s row %d column %d: got %.9g, want %.9g\n", i->name, (int)row, (int)column,
                        simple_d(&s, row, column), x.value);
            }
        }
    }
    CHECK(wrong == 0);
    simple_close(&s);
}

static bool has(enum catc_backend backend, enum catc_type type, const char *op)
{
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, backend, at)); ++at) {
        if (i->n_epi == 2 && i->type_a == type && i->type_d == type && strcmp(i->epi[0].name, "bias") == 0 &&
            strcmp(i->epi[1].name, op) == 0) {
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
    static const char *const form[] = {"gelu", "gelu_tanh"};
    for (int b = 0; b < backends; ++b) {
        int seen = 0, fused_seen = 0;
        for (int type = 1; type < CATC_TYPE_END; ++type) {
            for (int f = 0; f < 2; ++f) {
                if (has(backend[b], (enum catc_type)type, form[f])) {
                    points(backend[b], (enum catc_type)type, form[f]);
                    ++seen;
                }
            }
        }
        CHECK(seen >= 4); /* a plain build has both forms for f32 and bf16 */
        const struct catc_gemm_instance *i;
        for (int at = 0; (i = simple_next(backend[b], &at));) {
            if (i->n_epi > 0) {
                fused(i);
                ++fused_seen;
            }
        }
        CHECK(fused_seen > 0);
    }
    return check_result();
}
