/* SPDX-License-Identifier: Apache-2.0
 *
 * peer.h: cuBLASLt, the library that we are compared with. Without it at build time (peer_none.c) there is no peer and
 * its columns stay empty. */
#ifndef BENCH_GEMM_PEER_H
#define BENCH_GEMM_PEER_H

#include "device.h"

enum {
    BENCH_PEER_ALGOS = 24,                  /* results asked of the heuristic */
    BENCH_PEER_EXACT = -1,                  /* the algorithm to compare with: partial sums of K stay in fp32 */
    BENCH_PEER_WORKSPACE = 64 * 1024 * 1024 /* bytes */
};

struct bench_peer;

/* "cuBLASLt 13.1.0", or why there is none. */
const char *bench_peer_version(void);
/* False if this program was built without it. */
bool bench_peer_built(void);
/* NULL with the reason in bench_last(). */
struct bench_peer *bench_peer_open(void);
void bench_peer_close(struct bench_peer *peer);

/* What the peer does for a problem. */
struct bench_peer_match {
    int algos;        /* results of the heuristic, at most BENCH_PEER_ALGOS; 0: it has none */
    bool same;        /* it computes the same function, and has BENCH_PEER_EXACT, so that results can be compared */
    bool approximate; /* the same but for GELU's tanh form */
    char note[160];   /* for the row: what it does, or why nothing */
};

/* False on a failure; no algorithm is not one. Valid until the next call. */
bool bench_peer_prepare(struct bench_peer *peer, const struct bench_problem *problem, struct bench_peer_match *match);
/* Does algorithm `algo` split K and round the partial sums to D's type before it adds them? That is faster, and its
 * results are off by more than a unit of the last place of D. */
bool bench_peer_rounds_parts(struct bench_peer *peer, int algo);
/* One launch of algorithm `algo`, or of BENCH_PEER_EXACT, with the operands in args. */
bool bench_peer_launch(struct bench_peer *peer, int algo, const struct catc_gemm_args *args);

#endif /* BENCH_GEMM_PEER_H */
