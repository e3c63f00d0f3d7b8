/* SPDX-License-Identifier: Apache-2.0
 *
 * host_time.h: CPU time of a call, against a bare launch of the same kernel with the same parameters. */
#ifndef BENCH_GEMM_HOST_TIME_H
#define BENCH_GEMM_HOST_TIME_H

#include "session.h"

/* Nanoseconds of one call. */
struct bench_host_time {
    bool measured;
    char instance[256];
    int calls; /* of each kind */
    struct bench_spread bare, launch, gemm;
};

bool bench_host_time_measure(const struct bench_device *device, struct bench_host_time *time);

#endif /* BENCH_GEMM_HOST_TIME_H */
