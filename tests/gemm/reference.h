/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/gemm/reference.h: the fp64 reference, each value with a bound on the error that fp32 arithmetic may add. */
#ifndef CATC_TESTS_GEMM_REFERENCE_H
#define CATC_TESTS_GEMM_REFERENCE_H

#include <math.h>

#include "catlass_c/tile/vector.h"
#include "gemm/formulas.h"
#include "gemm/memory.h"

/* User operations under test: a header with CATC_TEST_OPERATION_LIST(X), X(name, KIND), and the operations' includes. */
#ifdef CATC_TEST_OPERATIONS
#include CATC_TEST_OPERATIONS
#else
#define CATC_TEST_OPERATION_LIST(X)
#endif

static double element_read(enum catc_type type, const void *base, int64_t index)
{
    switch (type) {
    case CATC_BF16: return catc_f32_from_bf16(((const catc_bf16_bits *)base)[index]);
    case CATC_F16: return catc_f32_from_f16(((const catc_f16_bits *)base)[index]);
    default: return ((const float *)base)[index];
    }
}

static void element_write(enum catc_type type, void *base, int64_t index, double value)
{
    switch (type) {
    case CATC_BF16: ((catc_bf16_bits *)base)[index] = catc_bf16_from_f32((float)value); break;
    case CATC_F16: ((catc_f16_bits *)base)[index] = catc_f16_from_f32((float)value); break;
    default: ((float *)base)[index] = (float)value; break;
    }
}

/* Unit roundoff of a stored type, and the least spacing of its subnormals. */
static double type_epsilon(enum catc_type type)
{
    return type == CATC_BF16 ? 0x1p-8 : type == CATC_F16 ? 0x1p-11 : 0x1p-24;
}
static double type_tiny(enum catc_type type)
{
    return type == CATC_BF16 ? 0x1p-133 : type == CATC_F16 ? 0x1p-25 : 0x1p-149;
}
static double type_max(enum catc_type type)
{
    return type == CATC_BF16 ? 0x1.fep127 : type == CATC_F16 ? 65504.0 : 0x1.fffffep127;
}

/* A value and a bound on its fp32 error. */
struct bounded {
    double value, error;
};

static struct bounded after(double value, double error)
{
    struct bounded const b = {value, error + 0x1p-24 * fabs(value)};
    return b;
}

/* The largest change of the result when x is off by its error: the operations bend at most once in so short an
 * interval, so that it is at one of the ends. An infinite x is one in fp32 too. */
static double spread(const struct formula *f, struct bounded x, const double operand[2])
{
    double const y = f->of(x.value, operand[0], operand[1]);
    return isfinite(x.value) ? fmax(fabs(f->of(x.value + x.error, operand[0], operand[1]) - y),
                                    fabs(f->of(x.value - x.error, operand[0], operand[1]) - y))
                             : 0.0;
}

/* One operation of the chain; `operand` holds the value at this element, for PAIR both values. */
static struct bounded apply(const char *op, enum catc_epi_kind kind, struct bounded x, const double operand[2],
                            int64_t row, int64_t column)
{
    const struct formula *const f = formula_find(op);
    double const v = x.value, a = operand[0], b = operand[1];
    (void)row, (void)column, (void)v, (void)a, (void)b;
    if (f) {
        struct bounded y = {f->of(v, a, b), 0.0};
        if (fabs(y.value) >= 0x1.ffffffp127) { /* half an ulp above FLT_MAX */
            y.value = copysign((double)INFINITY, y.value);
        }
        y.error = spread(f, x, operand) + f->absolute + f->ulps * 0x1p-23 * fabs(y.value);
        return y;
    }
    if (strcmp(op, "causal") == 0) {
        struct bounded const masked = {-INFINITY, 0};
        return column <= row ? x : masked;
    }
    if (kind == CATC_EPI_TAP) {
        return x;
    }
    /* a user's operation: its own header is the reference; the error passes through with a slope of at most 2 */
#define CATC_TEST_APPLY(name, kind_) \
    if (strcmp(op, #name) == 0) { \
        return after(CATC_TEST_CALL_##kind_(name), 2 * x.error); \
    }
#define CATC_TEST_CALL_NONE(name) catc_epi_##name((float)v)
#define CATC_TEST_CALL_SCALAR(name) catc_epi_##name((float)v, (float)a)
#define CATC_TEST_CALL_PAIR(name) catc_epi_##name((float)v, (float)a, (float)b)
#define CATC_TEST_CALL_COL(name) catc_epi_##name((float)v, (float)a)
#define CATC_TEST_CALL_ROW(name) catc_epi_##name((float)v, (float)a)
#define CATC_TEST_CALL_TILE(name) catc_epi_##name((float)v, (float)a)
#define CATC_TEST_CALL_COORD(name) catc_epi_##name((float)v, row, column)
    CATC_TEST_OPERATION_LIST(CATC_TEST_APPLY)
    fprintf(stderr, "FAIL: the reference does not know the operation %s; set CATC_TEST_OPERATIONS\n", op);
    exit(1);
}

/* Is `got` an acceptable stored value for `want`? */
static bool acceptable(enum catc_type type, double got, struct bounded want)
{
    if (isnan(want.value)) {
        return isnan(got);
    }
    if (isinf(want.value)) {
        return got == want.value;
    }
    double const slack = want.error + type_epsilon(type) * (fabs(want.value) + want.error) + type_tiny(type);
    if (fabs(want.value) + slack > type_max(type) && isinf(got)) {
        return (got > 0) == (want.value > 0); /* may overflow */
    }
    return fabs(got - want.value) <= slack;
}

#endif /* CATC_TESTS_GEMM_REFERENCE_H */
