/* SPDX-License-Identifier: Apache-2.0
 *
 * EP-03: a fast tanh overshot 1, so that GELU(-100) came out as +2.2; another form gave NaN for x below about -13; a
 * fused instance was wrong at one shape only. The points that failed, the ends of the type and the row of a NaN through
 * every fused instance, so through every activation, then a whole problem through each, against the fp64 reference. */
#include "gemm/simple.h"

enum { SIZE = 16 };

static double const point[] = {-100, -13.24, -4, -2.25, -1, 0, 1, 4, 100, 3.38e38, -3.38e38, NAN};
enum { POINT_COUNT = sizeof point / sizeof point[0], NAN_ROW = POINT_COUNT - 1 };

static double largest; /* of the types of an instance: what is beyond is its largest number */

static double diagonal(int64_t i, int64_t k)
{
    double const x = i == k && i < POINT_COUNT ? point[i] : 0.0;
    return fabs(x) > largest ? copysign(largest, x) : x;
}
static double identity(int64_t k, int64_t j)
{
    return k == j ? 1.0 : 0.0;
}

/* The digits that tell the two forms apart. */
static void gelu_digits(const struct simple *s, bool tanh_form)
{
    CHECK(simple_d(s, 0, 0) == 0.0);        /* gelu(-100) */
    CHECK(fabs(simple_d(s, 1, 1)) <= 1e-6); /* gelu(-13.24) */
    CHECK(simple_d(s, 5, 5) == 0.0);
    CHECK(simple_d(s, 8, 8) == 100.0); /* gelu(100) */
    if (s->args.type_d == CATC_F32) {
        CHECK(fabs(simple_d(s, 4, 4) - (tanh_form ? -0.1588080 : -0.1586553)) < 2e-6);
        CHECK(fabs(simple_d(s, 3, 3) - (tanh_form ? -0.0272013 : -0.0275051)) < 2e-6);
    }
}

/* Every element, so also: the row of the NaN is NaN (0 * NaN), no other is, and nothing finite becomes NaN. */
static void through_points(const struct catc_gemm_instance *i)
{
    struct simple s;
    int wrong = 0;
    largest = fmin(type_max(i->type_a), type_max(i->type_d));
    simple_open_instance(&s, i, SIZE, SIZE, SIZE, diagonal, identity);
    CHECK(simple_run(&s) == CATC_OK);
    for (int64_t row = 0; row < SIZE; ++row) {
        for (int64_t column = 0; column < SIZE; ++column) {
            double const got = simple_d(&s, row, column);
            struct bounded x = {row == NAN_ROW  ? (double)NAN
                                : row == column ? element_read(i->type_a, s.a.host + s.a.offset, row * SIZE + row)
                                                : 0.0,
                                0.0};
            bool const nan_in = isnan(x.value);
            for (int e = 0; e < i->n_epi; ++e) {
                x = simple_apply(i, e, x, row, column);
            }
            if (!acceptable(i->type_d, got, x) || (isnan(got) && !nan_in)) {
                if (wrong++ < 3) {
                    fprintf(stderr, "  %s row %d column %d: got %.9g, want %.9g\n", i->name, (int)row, (int)column, got,
                            x.value);
                }
            }
        }
    }
    CHECK(wrong == 0);
    if (i->n_epi == 2 && strncmp(i->epi[1].name, "gelu", 4) == 0) {
        gelu_digits(&s, strcmp(i->epi[1].name, "gelu_tanh") == 0);
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
                x = simple_apply(i, e, x, row, column);
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

int main(void)
{
    simple_needs_default_set();
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    static const char *const activation[] = {"gelu", "gelu_tanh",  "relu",         "silu",      "sigmoid",
                                             "tanh", "hard_swish", "relu_squared", "leaky_relu"};
    enum { ACTIVATIONS = sizeof activation / sizeof activation[0] };
    for (int b = 0; b < backends; ++b) {
        int seen[ACTIVATIONS] = {0};
        const struct catc_gemm_instance *i;
        for (int at = 0; (i = simple_next_any(backend[b], &at));) {
            for (int e = 0; e < i->n_epi; ++e) {
                for (int a = 0; a < ACTIVATIONS; ++a) {
                    seen[a] += strcmp(i->epi[e].name, activation[a]) == 0;
                }
            }
            if (i->n_epi > 0) {
                through_points(i);
                fused(i);
            }
        }
        for (int a = 0; a < ACTIVATIONS; ++a) {
            CHECK(seen[a] > 0); /* a plain build has every one */
        }
    }
    return check_result();
}
