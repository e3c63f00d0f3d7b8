/* SPDX-License-Identifier: Apache-2.0
 *
 * ours.h: launches of catlass_c: one instance on the operands in rotation. */
#ifndef BENCH_GEMM_OURS_H
#define BENCH_GEMM_OURS_H

#include "device.h"

/* The context of a bench_launch. */
struct bench_ours {
    const struct bench_device *device;
    const struct bench_problem *problem;
    const struct catc_gemm_instance *instance;
};

/* What the library selects for set 0; NULL with its sentence in bench_last(). */
const struct catc_gemm_instance *bench_selection(const struct bench_device *device,
                                                 const struct bench_problem *problem);
/* bench_launch of a struct bench_ours. */
bool bench_ours_launch(void *context, int set);

#endif /* BENCH_GEMM_OURS_H */
