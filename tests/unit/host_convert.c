/* SPDX-License-Identifier: Apache-2.0
 *
 * host_convert.c: conversions of the host backend against a reference that works on values in double precision (exact
 * for these formats) and finds the nearest by comparison, for all 16-bit values and many fp32 ones; the rest of the
 * arithmetic of arch/simt.h by its definition. */
#include <math.h>
#include <stdint.h>

#include "catlass_c/arch/simt.h"
#include "check.h"

/* The value of a 16-bit float with `exponent_bits` exponent bits; Inf and NaN are the caller's business. */
static double value_of(uint32_t bits, int exponent_bits)
{
    const int mantissa_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    const double mantissa = (double)(bits & ((1u << mantissa_bits) - 1));
    const double magnitude = exponent ? ldexp(mantissa + (double)(1 << mantissa_bits), exponent - bias - mantissa_bits)
                                      : ldexp(mantissa, 1 - bias - mantissa_bits);
    return bits & 0x8000u ? -magnitude : magnitude;
}

/* Nearest even of a finite x: magnitudes are ordered like their bits, so bisection finds the neighbours. */
static uint32_t nearest(double x, int exponent_bits)
{
    const uint32_t infinity = ((1u << exponent_bits) - 1) << (15 - exponent_bits), sign = signbit(x) ? 0x8000u : 0;
    uint32_t low = 0, high = infinity; /* the value of `high`, were it finite, is where overflow starts to be rounded */
    x = fabs(x);
    if (x >= value_of(infinity, exponent_bits))
        return sign | infinity;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (value_of(middle, exponent_bits) <= x)
            low = middle;
        else
            high = middle;
    }
    const double below = x - value_of(low, exponent_bits), above = value_of(high, exponent_bits) - x;
    if (below < above || (below == above && low % 2 == 0))
        return sign | low;
    return sign | high;
}

static void check_from(uint32_t bits)
{
    const float x = catc_f32_from_bits(bits);
    const uint32_t bf16 = catc_bf16_from_f32(x), f16 = catc_f16_from_f32(x);
    uint32_t want_bf16, want_f16;
    if (isnan(x)) {
        want_bf16 = want_f16 = 0x7fff;
    } else if (isinf(x)) {
        want_bf16 = bits >> 31 ? 0xff80 : 0x7f80;
        want_f16 = bits >> 31 ? 0xfc00 : 0x7c00;
    } else {
        want_bf16 = nearest((double)x, 8);
        want_f16 = nearest((double)x, 5);
    }
    if (bf16 != want_bf16 || f16 != want_f16)
        fprintf(stderr, "0x%08x: bf16 0x%04x want 0x%04x, f16 0x%04x want 0x%04x\n", bits, bf16, want_bf16, f16,
                want_f16);
    CHECK(bf16 == want_bf16);
    CHECK(f16 == want_f16);
}

int main(void)
{
    for (uint32_t u = 0; u < 65536; u++) {
        const float b = catc_f32_from_bf16((uint16_t)u), h = catc_f32_from_f16((uint16_t)u);
        if ((u & 0x7f80u) != 0x7f80u)
            CHECK((double)b == value_of(u, 8) && !signbit(b) == !(u & 0x8000u));
        else
            CHECK(u & 0x7fu ? isnan(b) : isinf(b) && !signbit(b) == !(u & 0x8000u));
        if ((u & 0x7c00u) != 0x7c00u)
            CHECK((double)h == value_of(u, 5) && !signbit(h) == !(u & 0x8000u));
        else
            CHECK(u & 0x3ffu ? isnan(h) : isinf(h) && !signbit(h) == !(u & 0x8000u));
        /* there and back */
        CHECK(catc_bf16_from_f32(b) == (isnan(b) ? 0x7fffu : u));
        CHECK(catc_f16_from_f32(h) == (isnan(h) ? 0x7fffu : u));
        /* around every 16-bit value and every midpoint of two */
        for (int d = -2; d <= 2; d++) {
            check_from(catc_f32_bits(b) + (uint32_t)d);
            check_from(catc_f32_bits(b) + 0x8000u + (uint32_t)d);
            check_from(catc_f32_bits(h) + (uint32_t)d);
            check_from(catc_f32_bits(h) + 0x1000u + (uint32_t)d);
        }
    }
    /* midpoints of fp16 subnormals and the edges of the ranges */
    for (uint32_t i = 0; i < 4096; i++) {
        const uint32_t u = catc_f32_bits(ldexpf((float)i, -25));
        for (int d = -2; d <= 2; d++)
            if (u || d >= 0)
                check_from(u + (uint32_t)d);
    }
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x007fffff, 0x7f7fffff, 0x7f7f8000,
                                       0x7f7f7fff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff,
                                       0x477fefff, 0x477ff000, 0x477fffff, 0x47800000, 0x33000000, 0x33000001,
                                       0x32ffffff, 0x387fffff, 0x38800000};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        check_from(special[i]);
    uint32_t random = 1;
    for (int i = 0; i < 1000000; i++) {
        random = random * 1664525u + 1013904223u;
        check_from(random ^ random >> 16);
    }

    const float eps = ldexpf(1, -23);
    CHECK(catc_fma(1 + eps, 1 - eps, -1) == -eps * eps); /* one rounding */
    CHECK(catc_f32_from_bits(catc_f32_bits(1.5f)) == 1.5f);
    CHECK(catc_mul(3, 0.1f) == 3 * 0.1f && catc_add(1, eps) == 1 + eps);
    CHECK(fabs((double)catc_expf(1) - 2.718281828459045) < 1e-6);
    CHECK(fabs((double)catc_erfcf(1) - 0.1572992070502851) < 1e-6);
    uint32_t word = 5;
    catc_atomic_max_u32(&word, 3);
    CHECK(word == 5);
    catc_atomic_max_u32(&word, 9);
    CHECK(word == 9);
    CHECK(sizeof(struct catc_u128) == 16);
    return check_result();
}
