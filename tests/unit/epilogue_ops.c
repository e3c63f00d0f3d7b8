/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue_ops.c: every operation of the library against fp64, within the bound that its header states: all 65536 bf16
 * and all 65536 fp16 inputs and a dense sample of fp32 for operations of one value, the same with a set of operands for
 * those of two or three, and the exact answers for NaN, Inf, -0 and saturation. Prints the worst error of each operation.
 * On a GPU api/epilogue_bounds.c does the same. -DSTEP=1 (20 minutes) takes all fp32 inputs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "catlass_c/epilogue/add.h"
#include "catlass_c/epilogue/amax.h"
#include "catlass_c/epilogue/bias.h"
#include "catlass_c/epilogue/bias_row.h"
#include "catlass_c/epilogue/clamp.h"
#include "catlass_c/epilogue/gelu.h"
#include "catlass_c/epilogue/gelu_tanh.h"
#include "catlass_c/epilogue/hard_swish.h"
#include "catlass_c/epilogue/leaky_relu.h"
#include "catlass_c/epilogue/mask.h"
#include "catlass_c/epilogue/mul.h"
#include "catlass_c/epilogue/relu.h"
#include "catlass_c/epilogue/relu_squared.h"
#include "catlass_c/epilogue/scale.h"
#include "catlass_c/epilogue/scale_col.h"
#include "catlass_c/epilogue/scale_row.h"
#include "catlass_c/epilogue/sigmoid.h"
#include "catlass_c/epilogue/silu.h"
#include "catlass_c/epilogue/tanh.h"
#include "catlass_c/epilogue/tap.h"
#include "check.h"
#include "gemm/formulas.h"

#ifndef STEP
#define STEP 4093
#endif

/* ---- the operations ---------------------------------------------------------------------------------------------- */

#define OP(op) \
    { \
#op, (int)CATC_EPI_KIND_OF_##op, catc_epi_##op \
    }
static const struct unary {
    const char *name;
    int kind;
    float (*f)(float x);
} unary[] = {OP(relu), OP(relu_squared), OP(hard_swish), OP(gelu), OP(gelu_tanh), OP(silu), OP(sigmoid), OP(tanh)};
static const struct binary {
    const char *name;
    int kind;
    float (*f)(float x, float operand);
} binary[] = {OP(bias),  OP(bias_row),  OP(add),       OP(mul),       OP(mask),
              OP(scale), OP(scale_col), OP(scale_row), OP(leaky_relu)};
enum { UNARY = sizeof unary / sizeof unary[0], BINARY = sizeof binary / sizeof binary[0] };

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static void fail(const char *name, float x, float a, float b, float got, double want)
{
    if (check_failures++ < 20)
        fprintf(stderr, "%s(%a; %a, %a) = %a, want %a\n", name, (double)x, (double)a, (double)b, (double)got, want);
}

struct worst {
    double error, excess; /* absolute; in units of what the header allows there */
    float error_at, excess_at;
};

static void compare(const struct formula *f, float x, float a, float b, float got, struct worst *worst)
{
    double excess;
    if (!formula_holds(f, x, a, b, got, &excess))
        fail(f->name, x, a, b, got, f->of((double)x, (double)a, (double)b));
    if (excess > 0) {
        const double error = fabs((double)got - f->of((double)x, (double)a, (double)b));
        if (error > worst->error)
            worst->error = error, worst->error_at = x;
        if (excess > worst->excess)
            worst->excess = excess, worst->excess_at = x;
    }
}

/* The value as it is stored in a 16-bit output. */
static void compare_16(const struct formula *f, float x, float a, float b, float got)
{
    if (!formula_holds_16(f, CATC_BF16, x, a, b, catc_f32_from_bf16(catc_bf16_from_f32(got))))
        fail(f->name, x, a, b, got, f->of((double)x, (double)a, (double)b));
    if (!formula_holds_16(f, CATC_F16, x, a, b, catc_f32_from_f16(catc_f16_from_f32(got))))
        fail(f->name, x, a, b, got, f->of((double)x, (double)a, (double)b));
}

static void test_unary(void)
{
    for (size_t i = 0; i < UNARY; i++) {
        const struct unary *const o = &unary[i];
        const struct formula *const f = formula_find(o->name);
        struct worst half = {0, 0, 0, 0}, f32 = {0, 0, 0, 0};
        CHECK(f->kind == CATC_EPI_NONE && o->kind == (int)f->kind);
        for (uint32_t u = 0; u < 65536; u++) {
            const float x[] = {catc_f32_from_bf16((uint16_t)u), catc_f32_from_f16((uint16_t)u)};
            for (int t = 0; t < 2; t++) {
                compare(f, x[t], 0, 0, o->f(x[t]), &half);
                compare_16(f, x[t], 0, 0, o->f(x[t]));
            }
        }
        for (uint64_t u = 0; u < UINT64_C(1) << 32; u += STEP) {
            const float x = catc_f32_from_bits((uint32_t)u);
            compare(f, x, 0, 0, o->f(x), &f32);
        }
        /* where the formulas bend, every 64th value; at 88 exp overflows */
        for (uint32_t u = 0x3a800000u; u < 0x42c80000u; u += STEP < 64 ? STEP : 64) {
            const float x = catc_f32_from_bits(u);
            compare(f, x, 0, 0, o->f(x), &f32);
            compare(f, -x, 0, 0, o->f(-x), &f32);
        }
        printf(
            "%-12s bf16 and fp16: worst error %.3g at %.9g (%.0f%% of the bound at %.9g); fp32: %.3g at %.9g (%.0f%% "
            "at %.9g)\n",
            o->name, half.error, (double)half.error_at, 100 * half.excess, (double)half.excess_at, f32.error,
            (double)f32.error_at, 100 * f32.excess, (double)f32.excess_at);
    }
}

static float random_float(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return catc_f32_from_bits(*state ^ *state >> 13);
}

/* bf16 bits of operands: zeros, subnormals, about 1, large, infinities, NaN. */
static const uint16_t chosen[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3b80, 0x3e99,
                                  0x3f7f, 0x3f80, 0xbf80, 0x3f81, 0x4000, 0xc049, 0x42f7, 0x7f00,
                                  0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1};
enum { CHOSEN = sizeof chosen / sizeof chosen[0] };

/* One rounding: fp64 holds every product of fp32 numbers, and rounds a sum of them so finely that rounding it again
 * gives the fp32 sum. */
static void test_binary(void)
{
    for (size_t i = 0; i < BINARY; i++) {
        const struct binary *const o = &binary[i];
        const struct formula *const f = formula_find(o->name);
        struct worst none = {0, 0, 0, 0};
        uint32_t state = 1;
        long pairs = 0;
        CHECK(o->kind == (int)f->kind);
        for (uint32_t u = 0; u < 65536; u++) {
            const float x[] = {catc_f32_from_bf16((uint16_t)u), catc_f32_from_f16((uint16_t)u)};
            for (int k = 0; k < 2 * (CHOSEN + 4); k++, pairs++) { /* a chosen operand, or any fp32 bits */
                const float a = k / 2 < CHOSEN ? catc_f32_from_bf16(chosen[k / 2]) : random_float(&state);
                const float got = o->f(x[k % 2], a);
                compare(f, x[k % 2], a, 0, got, &none);
                if (k % 16 < 2)
                    compare_16(f, x[k % 2], a, 0, got);
            }
        }
        for (int k = 0; k < 1000000; k++, pairs++) {
            const float x = random_float(&state), a = random_float(&state);
            compare(f, x, a, 0, o->f(x, a), &none);
        }
        printf("%-12s %ld pairs, each the correctly rounded value\n", o->name, pairs);
    }
}

/* Every pair of bounds out of the chosen ones, in either order, also NaN. */
static void test_clamp(void)
{
    const struct formula *const f = formula_find("clamp");
    struct worst none = {0, 0, 0, 0};
    uint32_t state = 1;
    long triples = 0;
    CHECK((int)CATC_EPI_KIND_OF_clamp == (int)CATC_EPI_PAIR && f->kind == CATC_EPI_PAIR);
    for (uint32_t u = 0; u < 65536; u++) {
        const float x[] = {catc_f32_from_bf16((uint16_t)u), catc_f32_from_f16((uint16_t)u)};
        for (uint32_t k = 0; k < 32; k++, triples++) { /* over all values of x, every pair of bounds many times */
            const uint32_t pair = (u * 32 + k) % (CHOSEN * CHOSEN);
            const float a = catc_f32_from_bf16(chosen[pair % CHOSEN]), b = catc_f32_from_bf16(chosen[pair / CHOSEN]);
            compare(f, x[k % 2], a, b, catc_epi_clamp(x[k % 2], a, b), &none);
        }
        compare_16(f, x[u % 2], -6.0f, 6.0f, catc_epi_clamp(x[u % 2], -6.0f, 6.0f));
    }
    for (int k = 0; k < 1000000; k++, triples++) {
        const float x = random_float(&state), a = random_float(&state), b = random_float(&state);
        compare(f, x, a, b, catc_epi_clamp(x, a, b), &none);
    }
    printf("%-12s %ld triples, exact\n", "clamp", triples);
}

/* ---- exact answers ----------------------------------------------------------------------------------------------- */

/* What the headers spell out. */
static void test_points(void)
{
    for (size_t i = 0; i < POINTS; i++) {
        const struct point p = points[i];
        float got = 0;
        int known = 0;
        for (size_t k = 0; k < UNARY; k++)
            if (strcmp(unary[k].name, p.name) == 0)
                got = unary[k].f(p.x), known++;
        for (size_t k = 0; k < BINARY; k++)
            if (strcmp(binary[k].name, p.name) == 0)
                got = binary[k].f(p.x, p.a), known++;
        if (strcmp(p.name, "clamp") == 0)
            got = catc_epi_clamp(p.x, p.a, p.b), known++;
        CHECK(known == 1);
        if (isnan(p.want) ? !isnan(got) : !same_bits(got, p.want))
            fail(p.name, p.x, p.a, p.b, got, (double)p.want);
    }
}

/* Between the ends every activation of the shape x times a sigmoid keeps to one side of 0 and of x. */
static void test_shape(void)
{
    static const char *const names[] = {"gelu", "gelu_tanh", "silu", "hard_swish"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t i = 0; i < UNARY; i++)
            for (uint32_t u = 0; strcmp(unary[i].name, names[n]) == 0 && u < 0x7f800000u; u += 997) {
                const float x = catc_f32_from_bits(u), up = unary[i].f(x), down = unary[i].f(-x);
                if (!(up >= 0.0f && up <= x && down <= 0.0f && down > -0.5f))
                    fail(names[n], x, 0, 0, up, (double)x);
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
    test_clamp();
    test_points();
    test_shape();
    test_gelu_points();
    test_amax();
    return check_result();
}
