/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h: do two kernels that summed in different orders agree? Pure. */
#ifndef BENCH_GEMM_COMPARE_H
#define BENCH_GEMM_COMPARE_H

#include "catlass_c/types.h"

struct bench_tolerance {
    double relative, absolute;
};

struct bench_difference {
    int64_t wrong;    /* elements outside the tolerance, or NaN */
    int64_t first;    /* index of the first of them */
    double got, want; /* there */
    double largest;   /* difference over sqrt(k), among all elements that are no NaN */
};

/* What two right results of a K-deep product of standard normal inputs may differ by: two units of the last place of
 * D's type, and 64 eps(fp32) of K for the order of the sum (a result is of size sqrt(K), and the roundings of K
 * additions add up like sqrt(K) of them; a missing k step of 8 changes a result by about 3, which is 180 times that at
 * K = 4096). With a chain, what its operations may add; `approximate`: GELU's tanh form against the exact
 * one, which differ by up to 5e-4. */
struct bench_tolerance bench_tolerance_of(enum catc_type type, int64_t k, bool chain, bool approximate);

/* Number of NaN in `values`: an output is filled with NaN before a run, so that what was not written counts. */
int64_t bench_count_nan(enum catc_type type, const void *values, int64_t count);
/* True if all of `got` is within the tolerance of `want`. */
bool bench_compare(enum catc_type type, const void *got, const void *want, int64_t count, int64_t k,
                   struct bench_tolerance tolerance, struct bench_difference *difference);

#endif /* BENCH_GEMM_COMPARE_H */
