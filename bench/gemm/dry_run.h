/* SPDX-License-Identifier: Apache-2.0
 *
 * dry_run.h: what would be run and selected, without a GPU. */
#ifndef BENCH_GEMM_DRY_RUN_H
#define BENCH_GEMM_DRY_RUN_H

#include "options.h"

/* The program's exit status. */
int bench_dry_run(const struct bench_options *options, const struct bench_shapes *shapes);

#endif /* BENCH_GEMM_DRY_RUN_H */
