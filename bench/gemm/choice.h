/* SPDX-License-Identifier: Apache-2.0
 *
 * choice.h: which of several measured candidates is the fastest. Pure. */
#ifndef BENCH_GEMM_CHOICE_H
#define BENCH_GEMM_CHOICE_H

#include <math.h>
#include <stdbool.h>

/* A time that somebody can have measured: 0, negative, infinite and NaN are none (a clock that stood still, a candidate
 * that failed, a stand-in), and must never win. */
static inline bool bench_usable(double microseconds)
{
    return isfinite(microseconds) && microseconds > 0;
}

/* The least usable time, the first of them on a tie; -1 if there is none. *ties: how many others have the same. */
static inline int bench_choose(const double *microseconds, int count, int *ties)
{
    int best = -1;
    *ties = 0;
    for (int i = 0; i < count; ++i) {
        if (!bench_usable(microseconds[i])) {
            continue;
        }
        if (best < 0 || microseconds[i] < microseconds[best]) {
            best = i;
            *ties = 0;
        } else if (microseconds[i] == microseconds[best]) {
            ++*ties;
        }
    }
    return best;
}

#endif /* BENCH_GEMM_CHOICE_H */
