/* SPDX-License-Identifier: Apache-2.0
 *
 * timing.h: candidates as CUDA graphs of many launches over operands in rotation, timed by events. */
#ifndef BENCH_GEMM_TIMING_H
#define BENCH_GEMM_TIMING_H

#include "device.h"
#include "stats.h"

/* Puts one launch on the stream, with the operands of a set; false with the reason in bench_last(). */
typedef bool (*bench_launch)(void *context, int set);

struct bench_candidate {
    cudaGraphExec_t graph; /* NULL: not made */
    int launches;          /* in the graph: whole turns of the rotation */
    double us;             /* per launch, by the first short measurement */
};

struct bench_timer {
    const struct bench_device *device;
    int sets;      /* in rotation */
    double min_us; /* least length of one replay */
};

/* A single launch that took longer than this will not come out ahead of `best`, both in microseconds: it has up to 100 us
 * of latency in its time, and four times slower stays slower. */
#define BENCH_HOPELESS(best) (4 * (best) + 100)

/* One launch with set 0, timed alone, in microseconds. If it took longer than `hopeless`, it is launched once more and
 * that counts: the first launch of a kernel may wait for CUDA to load it. */
bool bench_once(const struct bench_timer *timer, bench_launch launch, void *context, double hopeless, double *us);
/* Makes the graph and measures it once: one replay to warm up, one that counts. */
bool bench_candidate_make(const struct bench_timer *timer, struct bench_candidate *candidate, bench_launch launch,
                          void *context);
void bench_candidate_free(struct bench_candidate *candidate);
/* Interleaved: every round replays each graph once, the GPU never idle from the first to the last, after one round that
 * does not count. us[c * rounds + r]: candidate c in round r, microseconds per launch. */
bool bench_rounds(const struct bench_timer *timer, const struct bench_candidate *const *candidates, int count,
                  int rounds, double *us);

#endif /* BENCH_GEMM_TIMING_H */
