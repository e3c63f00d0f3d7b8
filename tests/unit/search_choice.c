/* SPDX-License-Identifier: Apache-2.0
 *
 * unit/search_choice.c: what a search takes for the fastest (bug row AU-02), and the statistics of a benchmark. */
#include "../bench/gemm/choice.h"
#include "../bench/gemm/stats.h"
#include "check.h"

#define CHOICE(ties, ...) \
    bench_choose((const double[]){__VA_ARGS__}, (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), ties)

/* NaN, 0, negative and infinite times are none: a clock that stood still, a candidate that failed, a stand-in. */
static void chooses(void)
{
    double const nan = (double)NAN, inf = (double)INFINITY;
    int ties = -1;
    CHECK(CHOICE(&ties, nan, 1.2, 0.9) == 2 && ties == 0);
    CHECK(CHOICE(&ties, 0.0, 1.2) == 1 && ties == 0);
    CHECK(CHOICE(&ties, -1.0, 1.2) == 1 && ties == 0);
    CHECK(CHOICE(&ties, -0.0, nan, 1.2, -inf) == 2 && ties == 0);
    CHECK(CHOICE(&ties, inf, inf) == -1 && ties == 0);
    CHECK(CHOICE(&ties, 1.0, nan, 0.8, nan) == 2 && ties == 0);
    CHECK(CHOICE(&ties, 1.2, nan, 0.9) == 2);
    CHECK(CHOICE(&ties, 0.9, nan) == 0);
    CHECK(CHOICE(&ties, nan, nan, nan) == -1);
    CHECK(CHOICE(&ties, 3.5) == 0 && ties == 0);
    CHECK(bench_choose(NULL, 0, &ties) == -1 && ties == 0);
}

/* Equal times are told, and the first counts; a tie of slower ones is none. */
static void ties(void)
{
    int ties = -1;
    CHECK(CHOICE(&ties, 1.5, 1.5, 1.5) == 0 && ties == 2);
    CHECK(CHOICE(&ties, 2.0, 2.0, 1.5) == 2 && ties == 0);
    CHECK(CHOICE(&ties, 2.0, 1.5, (double)NAN, 1.5) == 1 && ties == 1);
}

static void statistics(void)
{
    double odd[] = {3, 1, 2, 5, 4}, even[] = {4, 1, 3, 2}, one[] = {7};
    struct bench_spread spread = bench_spread_of(odd, 5);
    CHECK(spread.median == 3 && spread.q1 == 2 && spread.q3 == 4);
    spread = bench_spread_of(even, 4);
    CHECK(spread.median == 2.5 && spread.q1 == 1.75 && spread.q3 == 3.25);
    spread = bench_spread_of(one, 1);
    CHECK(spread.median == 7 && spread.q1 == 7 && spread.q3 == 7);
    CHECK(isnan(bench_spread_of(one, 0).median));

    struct bench_geomean mean = {0, 0};
    CHECK(isnan(bench_geomean_of(&mean)));
    bench_geomean_add(&mean, 0.5);
    bench_geomean_add(&mean, (double)NAN);
    bench_geomean_add(&mean, 0.0);
    bench_geomean_add(&mean, 2.0);
    CHECK(mean.count == 2 && fabs(bench_geomean_of(&mean) - 1) < 1e-12);
}

int main(void)
{
    chooses();
    ties();
    statistics();
    return check_result();
}
