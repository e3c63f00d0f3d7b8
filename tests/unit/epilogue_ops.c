/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue_ops.c: every operation of the library against fp64, within the bound that its header states: all 65536 bf16
 * inputs and a dense sample of fp32 for operations of one value, the same with a set of operands for those of two, and
 * the exact answers for NaN, Inf, -0 and saturation. Prints the worst error of each operation. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "catlass_c/epilogue/add.h"
#include "catlass_c/epilogue/amax.h"
#include "catlass_c/epilogue/bias.h"
#include "catlass_c/epilogue/bias_row.h"
#include "catlass_c/epilogue/gelu.h"
#include "catlass_c/epilogue/gelu_tanh.h"
#include "catlass_c/epilogue/mul.h"
#include "catlass_c/epilogue/relu.h"
#include "catlass_c/epilogue/scale.h"
#include "catlass_c/epilogue/scale_col.h"
#include "catlass_c/epilogue/scale_row.h"
#include "catlass_c/epilogue/tap.h"
#include "check.h"

/* ---- formulas ---------------------------------------------------------------------------------------------------- */

static double relu(double x)
{
    return x > 0 ? x : isnan(x) ? x : 0;
}
/* Both are NaN at -Inf: -Inf times 0. */
static double gelu(double x)
{
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double gelu_tanh(double x)
{
    const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    return x * (1 / (1 + exp(-2 * u)));
}
static double sum(double x, double operand)
{
    return x + operand;
}
static double product(double x, double operand)
{
    return x * operand;
}

/* ---- the operations and the bounds of their headers -------------------------------------------------------------- */

/* |got - want| <= absolute + ulps * (spacing of fp32 at want); both 0: the correctly rounded value, bit for bit */
struct bound {
    double absolute, ulps;
};
#define EXACT \
    { \
        0, 0 \
    }

static const struct unary {
    const char *name;
    enum catc_epi_kind kind;
    float (*f)(float x);
    double (*formula)(double x);
    struct bound bound;
} unary[] = {
    {"relu", (enum catc_epi_kind)CATC_EPI_KIND_OF_relu, catc_epi_relu, relu, EXACT},
    {"gelu", (enum catc_epi_kind)CATC_EPI_KIND_OF_gelu, catc_epi_gelu, gelu, {0x1p-24, 2}},
    {"gelu_tanh", (enum catc_epi_kind)CATC_EPI_KIND_OF_gelu_tanh, catc_epi_gelu_tanh, gelu_tanh, {0x1p-24, 2}},
};

static const struct binary {
    const char *name;
    enum catc_epi_kind kind, want_kind;
    float (*f)(float x, float operand);
    double (*formula)(double x, double operand);
} binary[] = {
#define BINARY(op, kind, formula) \
    { \
#op, (enum catc_epi_kind)CATC_EPI_KIND_OF_##op, kind, catc_epi_##op, formula \
    }
    BINARY(bias, CATC_EPI_COL, sum),          BINARY(bias_row, CATC_EPI_ROW, sum),
    BINARY(add, CATC_EPI_TILE, sum),          BINARY(mul, CATC_EPI_TILE, product),
    BINARY(scale, CATC_EPI_SCALAR, product),  BINARY(scale_col, CATC_EPI_COL, product),
    BINARY(scale_row, CATC_EPI_ROW, product),
};
enum { UNARY = sizeof unary / sizeof unary[0], BINARY_OPS = sizeof binary / sizeof binary[0] };

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* Spacing of the fp32 numbers around x. */
static double ulp(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent > -125 ? exponent - 24 : -149);
}

struct worst {
    double error, excess; /* absolute; in units of what the bound allows there */
    float error_at, excess_at;
};

static void fail(const char *name, float x, float got, double want)
{
    if (check_failures++ < 20)
        fprintf(stderr, "%s(%a) = %a, want %a\n", name, (double)x, (double)got, want);
}

/* A NaN must be a NaN, an infinity that infinity, anything else within the bound. */
static void compare(const char *name, float x, float got, double want, struct bound bound, struct worst *worst)
{
    if (isnan(want) || fabs(want) >= 0x1.ffffffp127) { /* half of an ulp above FLT_MAX rounds to Inf */
        if (isnan(want) ? !isnan(got) : got != (float)want)
            fail(name, x, got, want);
        return;
    }
    if (bound.absolute == 0 && bound.ulps == 0) {
        const float rounded = (float)want;
        if (catc_f32_bits(got) != catc_f32_bits(rounded))
            fail(name, x, got, want);
        return;
    }
    const double error = fabs((double)got - want), excess = error / (bound.absolute + bound.ulps * ulp(want));
    if (!(excess <= 1))
        fail(name, x, got, want);
    if (error > worst->error)
        worst->error = error, worst->error_at = x;
    if (excess > worst->excess)
        worst->excess = excess, worst->excess_at = x;
}

/* 16-bit outputs (design rule of the project): 1 ulp of the type + 2^-10 for approximations; for these operations the
 * rounding of the store is nearly all of it. */
static void compare_16(const char *name, float x, float got, double want, int digits)
{
    if (isnan(want) || isinf(got) || isinf(want))
        return;
    int exponent;
    frexp(want, &exponent);
    const int least = digits == 8 ? -133 : -24; /* spacing of subnormals: 2^least */
    const double spacing = ldexp(1.0, exponent - digits > least ? exponent - digits : least);
    if (!(fabs((double)got - want) <= spacing + 0x1p-10))
        fail(name, x, got, want);
}

static void test_unary(void)
{
    for (size_t i = 0; i < UNARY; i++) {
        const struct unary *const o = &unary[i];
        struct worst bf16 = {0, 0, 0, 0}, f32 = {0, 0, 0, 0};
        CHECK(o->kind == CATC_EPI_NONE);
        for (uint32_t u = 0; u < 65536; u++) {
            const float x = catc_f32_from_bf16((uint16_t)u), got = o->f(x);
            const double want = o->formula((double)x);
            compare(o->name, x, got, want, o->bound, &bf16);
            compare_16(o->name, x, catc_f32_from_bf16(catc_bf16_from_f32(got)), want, 8);
            compare_16(o->name, x, catc_f32_from_f16(catc_f16_from_f32(got)), want, 11);
        }
        for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 4093) {
            const float x = catc_f32_from_bits((uint32_t)u);
            compare(o->name, x, o->f(x), o->formula((double)x), o->bound, &f32);
        }
        /* where the formulas bend, every 64th value */
        for (uint32_t u = 0x3a800000u; u < 0x41800000u; u += 64) {
            const float x = catc_f32_from_bits(u);
            compare(o->name, x, o->f(x), o->formula((double)x), o->bound, &f32);
            compare(o->name, -x, o->f(-x), o->formula(-(double)x), o->bound, &f32);
        }
        printf(
            "%-10s bf16: worst error %.3g at %.9g (%.0f%% of the bound at %.9g); fp32: %.3g at %.9g (%.0f%% at %.9g)\n",
            o->name, bf16.error, (double)bf16.error_at, 100 * bf16.excess, (double)bf16.excess_at, f32.error,
            (double)f32.error_at, 100 * f32.excess, (double)f32.excess_at);
    }
}

/* One rounding: fp64 holds every product of fp32 numbers, and rounds a sum of them so finely that rounding it again
 * gives the fp32 sum. */
static void test_binary(void)
{
    static const uint16_t chosen[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3b80, 0x3e99,
                                      0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x4000, 0xc049, 0x42f7, 0x7f00,
                                      0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1};
    struct worst unused = {0, 0, 0, 0};
    const struct bound exact = EXACT;
    for (size_t i = 0; i < BINARY_OPS; i++) {
        const struct binary *const o = &binary[i];
        uint32_t state = 1;
        long pairs = 0;
        CHECK(o->kind == o->want_kind);
        for (uint32_t u = 0; u < 65536; u++) {
            const float x = catc_f32_from_bf16((uint16_t)u);
            for (size_t k = 0; k < sizeof chosen / sizeof chosen[0] + 8; k++, pairs++) {
                float operand; /* a chosen bf16 value, or any fp32 bits */
                if (k < sizeof chosen / sizeof chosen[0]) {
                    operand = catc_f32_from_bf16(chosen[k]);
                } else {
                    state = state * 1664525u + 1013904223u;
                    operand = catc_f32_from_bits(state);
                }
                compare(o->name, x, o->f(x, operand), o->formula((double)x, (double)operand), exact, &unused);
            }
        }
        for (int k = 0; k < 1000000; k++, pairs++) {
            float value[2];
            for (int j = 0; j < 2; j++) {
                state = state * 1664525u + 1013904223u;
                value[j] = catc_f32_from_bits(state ^ state >> 13);
            }
            compare(o->name, value[0], o->f(value[0], value[1]), o->formula((double)value[0], (double)value[1]), exact,
                    &unused);
        }
        printf("%-10s %ld pairs, each the correctly rounded value\n", o->name, pairs);
    }
}

/* ---- exact answers ----------------------------------------------------------------------------------------------- */

static uint32_t bits_of(float (*f)(float), float x)
{
    return catc_f32_bits(f(x));
}

static void test_special(void)
{
    const uint32_t zero = 0, minus_zero = 0x80000000u;
    CHECK(bits_of(catc_epi_relu, -0.0f) == zero && bits_of(catc_epi_relu, 0.0f) == zero);
    CHECK(bits_of(catc_epi_relu, -INFINITY) == zero && isinf(catc_epi_relu(INFINITY)));
    CHECK(bits_of(catc_epi_relu, -0x1p-149f) == zero && catc_epi_relu(0x1p-149f) == 0x1p-149f); /* nothing is flushed */
    CHECK(isnan(catc_epi_relu(NAN)) && isnan(catc_epi_relu(-NAN)));
    for (size_t i = 1; i < UNARY; i++) { /* both forms of GELU */
        float (*const f)(float) = unary[i].f;
        CHECK(bits_of(f, 0.0f) == zero && bits_of(f, -0.0f) == minus_zero);
        CHECK(f(INFINITY) == INFINITY && isnan(f(-INFINITY)));
        CHECK(isnan(f(NAN)) && isnan(f(-NAN)));
        CHECK(f(100.0f) == 100.0f && f(3.0e38f) == 3.0e38f && f(-100.0f) == 0.0f && f(-3.0e38f) == 0.0f);
        /* saturation: from here on the result is x, or -0, and nothing between jumps */
        for (uint32_t u = 0x41680000u; u < 0x7f800000u; u += 997) { /* 14.5 to the largest */
            const float x = catc_f32_from_bits(u);
            if (f(x) != x || bits_of(f, -x) != minus_zero)
                fail(unary[i].name, x, f(x), (double)x);
        }
        for (uint32_t u = 0x40000000u; u < 0x41680000u; u += 97) { /* 2 to 14.5 */
            const float x = catc_f32_from_bits(u);
            if (!(f(x) <= x && f(x) > 0.95f * x && f(-x) <= 0.0f && f(-x) > -0.05f))
                fail(unary[i].name, x, f(x), (double)x);
        }
    }
}

/* The points of EP-03; the two forms differ there, and are never swapped. */
static void test_gelu_points(void)
{
    static const struct point {
        float x, erf, tanh;
    } points[] = {{-100.0f, 0.0f, 0.0f},
                  {-13.24f, 0.0f, 0.0f},
                  {-4.0f, -0.00012668f, -0.00007026f},
                  {-2.25f, -0.0275051f, -0.0272013f},
                  {-1.0f, -0.1586553f, -0.1588080f},
                  {0.0f, 0.0f, 0.0f},
                  {1.0f, 0.8413447f, 0.8411920f},
                  {4.0f, 3.99987332f, 3.99992974f},
                  {100.0f, 100.0f, 100.0f}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const struct point p = points[i];
        CHECK(fabsf(catc_epi_gelu(p.x) - p.erf) <= 1e-6f);
        CHECK(fabsf(catc_epi_gelu_tanh(p.x) - p.tanh) <= 1e-6f);
    }
    CHECK(catc_epi_gelu(100.0f) == 100.0f && catc_epi_gelu_tanh(100.0f) == 100.0f);
}

static void test_amax(void)
{
    uint32_t up = 0, down = 0, finite = 0, state = 0;
    CHECK((int)CATC_EPI_KIND_OF_amax == (int)CATC_EPI_REDUCE && (int)CATC_EPI_KIND_OF_tap == (int)CATC_EPI_TAP);
    for (uint32_t u = 0; u < 65536; u++) {
        const float x = catc_f32_from_bf16((uint16_t)u), y = catc_f32_from_bf16((uint16_t)(65535 - u));
        CHECK(catc_f32_bits(catc_epi_amax(&up, x)) == catc_f32_bits(x)); /* the value passes unchanged, NaN too */
        catc_epi_amax(&down, y);
        if (isfinite(x))
            catc_epi_amax(&finite, x);
    }
    CHECK(up == down && isnan(catc_f32_from_bits(up)));
    CHECK(finite == 0x7f7f0000u);
    catc_epi_amax(&state, -0.0f);
    CHECK(state == 0);
    catc_epi_amax(&state, -3.0f);
    catc_epi_amax(&state, 2.5f);
    CHECK(catc_f32_from_bits(state) == 3.0f);
    catc_epi_amax(&state, -INFINITY);
    CHECK(state == 0x7f800000u);
    catc_epi_amax(&state, -NAN);
    catc_epi_amax(&state, INFINITY);
    CHECK(isnan(catc_f32_from_bits(state)));
    printf("%-10s exact, in either order\n", "amax");
}

int main(void)
{
    test_unary();
    test_binary();
    test_special();
    test_gelu_points();
    test_amax();
    return check_result();
}
