/* SPDX-License-Identifier: Apache-2.0
 *
 * row.h: one shape measured: our selection, our best instance, the peer's first and best algorithm, in interleaved
 * rounds. */
#ifndef BENCH_GEMM_ROW_H
#define BENCH_GEMM_ROW_H

#include "scan.h"

enum bench_verdict {
    BENCH_OK,        /* measured, and the result agrees with the reference */
    BENCH_UNCHECKED, /* measured; there was nothing to compare with */
    BENCH_MISSING,   /* no built instance can do it: the peer alone is measured */
    BENCH_WRONG,     /* our result is wrong: not timed */
    BENCH_FAILED     /* could not be measured */
};

/* One contestant. us.median is NAN where there is none. */
struct bench_time {
    char name[256];
    struct bench_spread us;
    double tflops;
};

struct bench_row {
    struct bench_shape shape;
    enum bench_verdict verdict;
    char reason[512]; /* why not BENCH_OK */
    char checked_by[128];
    int sets, launches; /* in rotation; of our graph */
    double rotated_mib; /* bytes of all sets */
    struct bench_time ours, best, peer_best, peer_first;
    /* time of the peer over ours, per round: above 1 we are faster */
    struct bench_spread ours_to_peer, ours_to_first, best_to_peer, best_to_first;
    struct bench_peer_match match;
    int peer_algo;               /* index of its best in the heuristic's order */
    double floor_us;             /* by the measured ceilings; NAN: not measured */
    double percent;              /* floor over our time */
    struct bench_entry *entries; /* of the scan; malloc */
    int n_entries;
};

/* False if the run cannot go on (the GPU can no longer be used); the row is complete in any case. */
bool bench_row_measure(struct bench_session *session, const struct bench_shape *shape, struct bench_row *row);
/* A row of which nothing is known but its shape. */
void bench_row_clear(struct bench_row *row, const struct bench_shape *shape);
/* Gives back the memory of entries that are not in use. */
void bench_row_shrink(struct bench_row *row);
void bench_row_free(struct bench_row *row);
const char *bench_verdict_name(enum bench_verdict verdict);

#endif /* BENCH_GEMM_ROW_H */
