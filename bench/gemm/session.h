/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what all measurements of one run share. */
#ifndef BENCH_GEMM_SESSION_H
#define BENCH_GEMM_SESSION_H

#include "context.h"
#include "options.h"
#include "peer.h"
#include "timing.h"

/* The most that this GPU gave, in this process. */
struct bench_ceilings {
    double copy_gbs;                      /* bytes read and written by cudaMemcpyAsync, 1e9 bytes/s; 0: not measured */
    double tflops[CATC_TYPE_END];         /* matmul of 8192 x 8192 x 8192, tn, by type of the inputs; 0: not measured */
    char by[CATC_TYPE_END][256];          /* who reached it */
    struct bench_smi load[CATC_TYPE_END]; /* readings while our matmul ran */
};

struct bench_session {
    const struct bench_options *options;
    struct bench_device device;
    struct bench_context context;
    struct bench_peer *peer; /* NULL: none */
    struct bench_timer timer;
    struct bench_ceilings ceilings;
    const char *faulted; /* the instance that broke the context; NULL: none has */
};

#endif /* BENCH_GEMM_SESSION_H */
