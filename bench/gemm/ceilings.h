/* SPDX-License-Identifier: Apache-2.0
 *
 * ceilings.h: what this GPU gives at most, measured in this process. */
#ifndef BENCH_GEMM_CEILINGS_H
#define BENCH_GEMM_CEILINGS_H

#include "session.h"

/* The problem whose rate is the arithmetic ceiling of a type: 8192 x 8192 x 8192, tn. */
struct bench_shape bench_ceiling_shape(enum catc_type type);
/* Copy rate (once) and matmul rate of a type (once for each). False if they cannot be measured. */
bool bench_ceilings_measure(struct bench_session *session, enum catc_type type);

#endif /* BENCH_GEMM_CEILINGS_H */
