/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/gemm/formulas.h: every operation of the library in fp64, with what its header promises. One table for the tests
 * of the headers (unit/epilogue_ops.c), of kernels with one operation (api/epilogue_bounds.c) and of all kernels
 * (gemm/reference.h). */
#ifndef CATC_TESTS_GEMM_FORMULAS_H
#define CATC_TESTS_GEMM_FORMULAS_H

#pragma GCC diagnostic ignored "-Wunused-function" /* a test uses a part of these helpers */

#include <float.h>
#include <math.h>
#include <string.h>

#include "catlass_c/arch/simt.h"
#include "catlass_c/types.h"

/* What an operation makes of small integers, with operands that are small integers; strongest last. */
enum accuracy {
    CLOSE,     /* a value near the formula's, by a transcendental function; also every user's operation */
    SAME_BITS, /* additions, products and comparisons only: the same bits on every backend */
    INTEGERS   /* and they stay small integers */
};

/* a is the operand, or the first of two. */
static double formula_identity(double x, double a, double b)
{
    (void)a, (void)b;
    return x;
}
static double formula_sum(double x, double a, double b)
{
    (void)b;
    return x + a;
}
static double formula_product(double x, double a, double b)
{
    (void)b;
    return x * a;
}
static double formula_mask(double x, double a, double b)
{
    (void)b;
    return a == 0.0 ? 0.0 : x * a;
}
static double formula_leaky_relu(double x, double a, double b)
{
    (void)b;
    return x > 0.0 ? x : x * a;
}
static double formula_clamp(double x, double a, double b)
{
    if (isnan(x) || isnan(a) || isnan(b)) {
        return NAN;
    }
    double const low = x < a ? a : x;
    return low > b ? b : low;
}
static double formula_relu(double x, double a, double b)
{
    (void)a, (void)b;
    return x > 0.0 ? x : isnan(x) ? x : 0.0;
}
static double formula_relu_squared(double x, double a, double b)
{
    double const positive = formula_relu(x, a, b);
    return positive * positive;
}
static double formula_hard_swish(double x, double a, double b)
{
    (void)a, (void)b;
    return x * (formula_clamp(x + 3.0, 0.0, 6.0) / 6.0);
}
static double formula_sigmoid(double x, double a, double b)
{
    (void)a, (void)b;
    return 1.0 / (1.0 + exp(-x));
}
static double formula_silu(double x, double a, double b)
{
    return x * formula_sigmoid(x, a, b);
}
static double formula_tanh(double x, double a, double b)
{
    (void)a, (void)b;
    return tanh(x);
}
static double formula_gelu(double x, double a, double b)
{
    (void)a, (void)b;
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double formula_gelu_tanh(double x, double a, double b)
{
    return x * formula_sigmoid(2.0 * 0.79788456080286535588 * (x + 0.044715 * x * x * x), a, b);
}

/* Error: |result - formula| <= absolute + ulps * (spacing of fp32 there); 0 is exact, half an ulp alone is the correctly
 * rounded value. Saturation: from `upper` up (`lower` down) the result is exactly at_upper (at_lower), NaN standing for
 * x itself, and nothing between lies outside the two; upper 0: none. A formula that gives NaN gives NaN there too. */
struct formula {
    const char *name;
    enum catc_epi_kind kind;
    enum accuracy accuracy;
    double (*of)(double x, double a, double b);
    double absolute, ulps;
    float upper, at_upper, lower, at_lower;
};
static const struct formula formulas[] = {
    {"bias", CATC_EPI_COL, INTEGERS, formula_sum, 0, 0.5, 0, 0, 0, 0},
    {"bias_row", CATC_EPI_ROW, INTEGERS, formula_sum, 0, 0.5, 0, 0, 0, 0},
    {"add", CATC_EPI_TILE, INTEGERS, formula_sum, 0, 0.5, 0, 0, 0, 0},
    {"mul", CATC_EPI_TILE, INTEGERS, formula_product, 0, 0.5, 0, 0, 0, 0},
    {"scale", CATC_EPI_SCALAR, INTEGERS, formula_product, 0, 0.5, 0, 0, 0, 0},
    {"scale_col", CATC_EPI_COL, INTEGERS, formula_product, 0, 0.5, 0, 0, 0, 0},
    {"scale_row", CATC_EPI_ROW, INTEGERS, formula_product, 0, 0.5, 0, 0, 0, 0},
    {"mask", CATC_EPI_TILE, INTEGERS, formula_mask, 0, 0.5, 0, 0, 0, 0},
    {"leaky_relu", CATC_EPI_SCALAR, INTEGERS, formula_leaky_relu, 0, 0.5, 0, 0, 0, 0},
    {"clamp", CATC_EPI_PAIR, INTEGERS, formula_clamp, 0, 0, 0, 0, 0, 0},
    {"relu", CATC_EPI_NONE, INTEGERS, formula_relu, 0, 0, 0, 0, 0, 0},
    {"tap", CATC_EPI_TAP, INTEGERS, formula_identity, 0, 0, 0, 0, 0, 0},
    {"amax", CATC_EPI_REDUCE, INTEGERS, formula_identity, 0, 0, 0, 0, 0, 0},
    {"relu_squared", CATC_EPI_NONE, SAME_BITS, formula_relu_squared, 0, 0.5, 0, 0, 0, 0},
    {"hard_swish", CATC_EPI_NONE, SAME_BITS, formula_hard_swish, 0x1p-24, 2, 3, NAN, -3, -0.0f},
    {"gelu", CATC_EPI_NONE, CLOSE, formula_gelu, 0x1p-24, 2, 14.5f, NAN, -14.5f, -0.0f},
    {"gelu_tanh", CATC_EPI_NONE, CLOSE, formula_gelu_tanh, 0x1p-24, 2, 14.5f, NAN, -14.5f, -0.0f},
    {"silu", CATC_EPI_NONE, CLOSE, formula_silu, 0x1p-24, 2, 18, NAN, -89, -0.0f},
    {"sigmoid", CATC_EPI_NONE, CLOSE, formula_sigmoid, 0x1p-24, 2, 18, 1, -89, 0},
    {"tanh", CATC_EPI_NONE, CLOSE, formula_tanh, 0x1p-24, 2, 10, 1, -10, -1},
};
enum { FORMULAS = sizeof formulas / sizeof formulas[0] };

/* NULL for an operation that is not a function of values alone (causal), or a user's. */
static const struct formula *formula_find(const char *name)
{
    for (int i = 0; i < FORMULAS; ++i) {
        if (strcmp(formulas[i].name, name) == 0) {
            return &formulas[i];
        }
    }
    return NULL;
}

static enum accuracy accuracy_of(const char *name)
{
    const struct formula *const f = formula_find(name);
    return f ? f->accuracy : strcmp(name, "causal") == 0 ? INTEGERS : CLOSE;
}

/* Spacing of the numbers of a type around x: `digits` of significand, subnormals 2^least apart. */
static double spacing(double x, int digits, int least)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, x != 0.0 && exponent - digits > least ? exponent - digits : least);
}

/* What the header allows at x, or promises exactly. */
static double formula_slack(const struct formula *f, double want)
{
    return f->absolute + f->ulps * spacing(want, 24, -149);
}

static bool same_bits(float x, float y)
{
    return catc_f32_bits(x) == catc_f32_bits(y);
}

/* The promised fp32 result at x where there is just one: true, and in *want. */
static bool formula_exact(const struct formula *f, float x, float a, float b, float *want)
{
    double const y = f->of((double)x, (double)a, (double)b);
    *want = (float)y;
    if (isnan(y)) {
        return true;
    }
    if (f->upper != 0.0f && x >= f->upper) {
        *want = isnan(f->at_upper) ? x : f->at_upper;
        return true;
    }
    if (f->upper != 0.0f && x <= f->lower) {
        *want = f->at_lower;
        return true;
    }
    return f->absolute == 0.0 && f->ulps <= 0.5;
}

/* Is `got` what the header promises for fp32 output? *excess: the error in units of what is allowed, 0 if exact. */
static bool formula_holds(const struct formula *f, float x, float a, float b, float got, double *excess)
{
    double const y = f->of((double)x, (double)a, (double)b);
    float want;
    *excess = 0.0;
    if (formula_exact(f, x, a, b, &want)) {
        return isnan(want) ? isnan(got) : same_bits(got, want);
    }
    if (!isnan(f->at_upper) && !(got >= f->at_lower && got <= f->at_upper)) {
        return false;
    }
    *excess = fabs((double)got - y) / formula_slack(f, y);
    return *excess <= 1.0;
}

/* The same after the conversion to bf16 or f16, which rounds to nearest and overflows to Inf. */
static bool formula_holds_16(const struct formula *f, enum catc_type type, float x, float a, float b, float got)
{
    bool const bf16 = type == CATC_BF16;
    double const y = f->of((double)x, (double)a, (double)b);
    float want;
    if (formula_exact(f, x, a, b, &want)) {
        float const stored =
            bf16 ? catc_f32_from_bf16(catc_bf16_from_f32(want)) : catc_f32_from_f16(catc_f16_from_f32(want));
        return isnan(want) ? isnan(got) : same_bits(got, stored);
    }
    double const half = 0.5 * (bf16 ? spacing(got, 8, -133) : spacing(got, 11, -24));
    if (isinf(got)) {
        return fabs(y) + formula_slack(f, y) >= (bf16 ? 0x1.ffp127 : 65520.0) && (got > 0) == (y > 0);
    }
    return fabs((double)got - y) <= half + formula_slack(f, y);
}

/* Exact answers as the headers spell them out, each x a bf16 value. LARGE is the largest, SMALL a subnormal. */
#define LARGE 0x1.fep127f
#define SMALL 0x1p-133f
static const struct point {
    const char *name;
    float x, a, b, want; /* want NaN: any NaN */
} points[] = {
    {"relu", 0, 0, 0, 0},
    {"relu", -0.0f, 0, 0, 0},
    {"relu", SMALL, 0, 0, SMALL},
    {"relu", -SMALL, 0, 0, 0},
    {"relu", 100, 0, 0, 100},
    {"relu", -100, 0, 0, 0},
    {"relu", LARGE, 0, 0, LARGE},
    {"relu", -LARGE, 0, 0, 0},
    {"relu", INFINITY, 0, 0, INFINITY},
    {"relu", -INFINITY, 0, 0, 0},
    {"relu", NAN, 0, 0, NAN},
    {"relu_squared", 0, 0, 0, 0},
    {"relu_squared", -0.0f, 0, 0, 0},
    {"relu_squared", 0x1p-70f, 0, 0, 0x1p-140f},
    {"relu_squared", 3, 0, 0, 9},
    {"relu_squared", -3, 0, 0, 0},
    {"relu_squared", 0x1.fep63f, 0, 0, 0x1.fc02p127f},
    {"relu_squared", 0x1p64f, 0, 0, INFINITY},
    {"relu_squared", LARGE, 0, 0, INFINITY},
    {"relu_squared", -LARGE, 0, 0, 0},
    {"relu_squared", INFINITY, 0, 0, INFINITY},
    {"relu_squared", -INFINITY, 0, 0, 0},
    {"relu_squared", NAN, 0, 0, NAN},
    {"hard_swish", 0, 0, 0, 0},
    {"hard_swish", -0.0f, 0, 0, -0.0f},
    {"hard_swish", SMALL, 0, 0, SMALL / 2},
    {"hard_swish", 3, 0, 0, 3},
    {"hard_swish", -3, 0, 0, -0.0f},
    {"hard_swish", 100, 0, 0, 100},
    {"hard_swish", -100, 0, 0, -0.0f},
    {"hard_swish", LARGE, 0, 0, LARGE},
    {"hard_swish", -LARGE, 0, 0, -0.0f},
    {"hard_swish", INFINITY, 0, 0, INFINITY},
    {"hard_swish", -INFINITY, 0, 0, NAN},
    {"hard_swish", NAN, 0, 0, NAN},
#define POINTS_X_SIGMOID(name) /* what is x at one end and 0 at the other */ \
    {name, 0, 0, 0, 0}, {name, -0.0f, 0, 0, -0.0f}, {name, SMALL, 0, 0, SMALL / 2}, {name, 100, 0, 0, 100}, \
        {name, -100, 0, 0, -0.0f}, {name, LARGE, 0, 0, LARGE}, {name, -LARGE, 0, 0, -0.0f}, \
        {name, INFINITY, 0, 0, INFINITY}, {name, -INFINITY, 0, 0, NAN}, \
    { \
        name, NAN, 0, 0, NAN \
    }
    POINTS_X_SIGMOID("silu"),
    POINTS_X_SIGMOID("gelu"),
    POINTS_X_SIGMOID("gelu_tanh"),
    {"sigmoid", 0, 0, 0, 0.5f},
    {"sigmoid", -0.0f, 0, 0, 0.5f},
    {"sigmoid", SMALL, 0, 0, 0.5f},
    {"sigmoid", 100, 0, 0, 1},
    {"sigmoid", -100, 0, 0, 0},
    {"sigmoid", LARGE, 0, 0, 1},
    {"sigmoid", -LARGE, 0, 0, 0},
    {"sigmoid", INFINITY, 0, 0, 1},
    {"sigmoid", -INFINITY, 0, 0, 0},
    {"sigmoid", NAN, 0, 0, NAN},
    {"tanh", 0, 0, 0, 0},
    {"tanh", -0.0f, 0, 0, -0.0f},
    {"tanh", SMALL, 0, 0, SMALL},
    {"tanh", -SMALL, 0, 0, -SMALL},
    {"tanh", 100, 0, 0, 1},
    {"tanh", -100, 0, 0, -1},
    {"tanh", LARGE, 0, 0, 1},
    {"tanh", -LARGE, 0, 0, -1},
    {"tanh", INFINITY, 0, 0, 1},
    {"tanh", -INFINITY, 0, 0, -1},
    {"tanh", NAN, 0, 0, NAN},
    {"leaky_relu", -0.0f, 0.25f, 0, -0.0f},
    {"leaky_relu", 4, 0.25f, 0, 4},
    {"leaky_relu", -4, 0.25f, 0, -1},
    {"leaky_relu", -SMALL, 0.25f, 0, -SMALL / 4},
    {"leaky_relu", LARGE, 0.25f, 0, LARGE},
    {"leaky_relu", -LARGE, 0.25f, 0, -LARGE / 4},
    {"leaky_relu", INFINITY, 0.25f, 0, INFINITY},
    {"leaky_relu", -INFINITY, 0.25f, 0, -INFINITY},
    {"leaky_relu", NAN, 0.25f, 0, NAN},
    {"leaky_relu", -LARGE, 0, 0, -0.0f},
    {"leaky_relu", -INFINITY, 0, 0, NAN},
    {"leaky_relu", -1, 0.01f, 0, -0.01f},
    {"scale", 3, 0.3f, 0, 3 * 0.3f},
    {"scale", -LARGE, 2, 0, -INFINITY},
    {"scale", -INFINITY, 0, 0, NAN},
    {"clamp", -0.0f, -2, 3, -0.0f},
    {"clamp", SMALL, -2, 3, SMALL},
    {"clamp", 1, -2, 3, 1},
    {"clamp", 5, -2, 3, 3},
    {"clamp", -5, -2, 3, -2},
    {"clamp", LARGE, -2, 3, 3},
    {"clamp", -LARGE, -2, 3, -2},
    {"clamp", INFINITY, -2, 3, 3},
    {"clamp", -INFINITY, -2, 3, -2},
    {"clamp", NAN, -2, 3, NAN},
    {"clamp", 2, 5, 1, 1}, /* a > b: b */
    {"clamp", -INFINITY, 5, 1, 1},
    {"clamp", INFINITY, 5, 1, 1},
    {"clamp", NAN, 5, 1, NAN},
    {"clamp", 1, NAN, 3, NAN},
    {"clamp", 1, -2, NAN, NAN},
    {"clamp", INFINITY, -INFINITY, INFINITY, INFINITY},
    {"clamp", -LARGE, -INFINITY, INFINITY, -LARGE},
    {"mask", NAN, 0, 0, 0}, /* what is masked out never leaks */
    {"mask", INFINITY, 0, 0, 0},
    {"mask", -INFINITY, 0, 0, 0},
    {"mask", -1, 0, 0, 0},
    {"mask", NAN, -0.0f, 0, 0},
    {"mask", -INFINITY, -0.0f, 0, 0},
    {"mask", NAN, 1, 0, NAN},
    {"mask", -INFINITY, 1, 0, -INFINITY},
    {"mask", -0.0f, 1, 0, -0.0f},
    {"mask", 3, 1.25f, 0, 3.75f},
    {"mask", 1, NAN, 0, NAN},
    {"mask", 0, NAN, 0, NAN},
};
enum { POINTS = sizeof points / sizeof points[0] };

#endif /* CATC_TESTS_GEMM_FORMULAS_H */
