/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h: the fastest instance of each shape, into a tuned table (instances/tuned/<gpu>.yaml). */
#ifndef BENCH_GEMM_SEARCH_H
#define BENCH_GEMM_SEARCH_H

#include "report.h"

/* Exit status: 0 every shape is in the table; 1 it could not be written; 3 incomplete: a shape has no entry, or an
 * instance failed or was wrong. An instance that breaks the GPU's context ends it, and the program starts itself again
 * (with the arguments argv and --faulted). */
int bench_search(struct bench_session *session, const struct bench_shapes *shapes, struct bench_report *report,
                 char **argv);

#endif /* BENCH_GEMM_SEARCH_H */
