/* SPDX-License-Identifier: Apache-2.0
 *
 * say.h: a function that fails leaves one sentence behind and returns false; whoever can go no further prints it. */
#ifndef BENCH_GEMM_SAY_H
#define BENCH_GEMM_SAY_H

#include <stdbool.h>

#include "catlass_c/base.h"

/* Stores the sentence; always false, so that `return bench_fail(…)` reads well. */
bool bench_fail(const char *format, ...) CATC_PRINTF(1, 2);
/* The last sentence; empty before the first failure. */
const char *bench_last(void);

#endif /* BENCH_GEMM_SAY_H */
