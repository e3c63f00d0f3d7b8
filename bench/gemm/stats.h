/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.h: order statistics and geometric means of a few numbers. Pure. */
#ifndef BENCH_GEMM_STATS_H
#define BENCH_GEMM_STATS_H

#include <math.h>
#include <stdlib.h>

/* Median with the quartiles beside it; NAN where there was nothing to measure. */
struct bench_spread {
    double median, q1, q3;
};

static inline int bench_ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of sorted values, between neighbours in proportion (the definition of numpy's default). */
static inline double bench_quantile(const double *sorted, int count, double q)
{
    double const at = q * (count - 1);
    int const low = (int)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/* Sorts `values`. */
static inline struct bench_spread bench_spread_of(double *values, int count)
{
    struct bench_spread spread = {(double)NAN, (double)NAN, (double)NAN};
    if (count > 0) {
        qsort(values, (size_t)count, sizeof *values, bench_ascending);
        spread.median = bench_quantile(values, count, 0.5);
        spread.q1 = bench_quantile(values, count, 0.25);
        spread.q3 = bench_quantile(values, count, 0.75);
    }
    return spread;
}

/* Geometric mean of what was added; numbers that are not finite and above 0 are left out. */
struct bench_geomean {
    double logarithms;
    int count;
};

static inline void bench_geomean_add(struct bench_geomean *mean, double value)
{
    if (isfinite(value) && value > 0) {
        mean->logarithms += log(value);
        ++mean->count;
    }
}

static inline double bench_geomean_of(const struct bench_geomean *mean)
{
    return mean->count > 0 ? exp(mean->logarithms / mean->count) : (double)NAN;
}

#endif /* BENCH_GEMM_STATS_H */
