/* SPDX-License-Identifier: Apache-2.0
 *
 * problem.h: the library's arguments for a shape, without addresses, and the bytes that its operands take. */
#ifndef BENCH_GEMM_PROBLEM_H
#define BENCH_GEMM_PROBLEM_H

#include "catlass_c/catlass_c.h"
#include "shapes.h"

struct bench_problem {
    struct bench_shape shape;
    struct catc_gemm_args args;            /* everything but addresses and stream */
    enum catc_epi_kind kind[CATC_EPI_MAX]; /* of each position */
    size_t bytes_a, bytes_b, bytes_d;      /* in memory, a multiple of 256 bytes each */
    size_t bytes_epi[CATC_EPI_MAX];        /* of the operand or output of a position, likewise; 0: none */
    size_t set_in, set_out;                /* inputs and outputs of one set */
    int64_t elements_d;                    /* of the whole batch */
    double flop, bytes;                    /* least work: 2 m n k; each input read and each output written once */
};

/* False if an operation of the chain is in no built instance: then its kind is not known either. */
bool bench_problem_make(struct bench_problem *problem, const struct bench_shape *shape);
/* The arguments with the addresses of a set whose inputs and outputs begin at `in` and `out` (256-byte boundaries). */
struct catc_gemm_args bench_problem_place(const struct bench_problem *problem, char *in, char *out);
/* Sets in rotation, so that twice the L2 is touched between two uses of the same bytes. At least 2, at most
 * BENCH_SETS_MAX: the smallest problems come nearer to the cache than that (rotated bytes are in the report). */
int bench_problem_sets(const struct bench_problem *problem, int64_t l2_bytes);

enum { BENCH_SETS_MAX = 4096 };

#endif /* BENCH_GEMM_PROBLEM_H */
