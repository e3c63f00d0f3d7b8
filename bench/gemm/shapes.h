/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.h: the problems to measure, from lists in text files (bench/shapes/) or from the command line. */
#ifndef BENCH_GEMM_SHAPES_H
#define BENCH_GEMM_SHAPES_H

#include "catlass_c/types.h"

enum { BENCH_CHAIN = 128, BENCH_LABEL = 256 };

struct bench_shape {
    int64_t m, n, k, batch;        /* each at least 1 */
    enum catc_type type_a, type_d; /* B has A's type */
    enum catc_layout layout;
    char chain[BENCH_CHAIN]; /* "bias,gelu", "bias.f32,amax"; "" for none */
};

struct bench_shapes {
    struct bench_shape *items;
    int count;
};

/* 0 (not given) if `token` is none of them. */
enum catc_type bench_type(const char *token);
enum catc_layout bench_layout(const char *token);
/* A whole number from 1 to 2^31; false for anything else. */
bool bench_size(const char *token, int64_t *value);

/* Appends the list `name`: a path, or the name of a file of bench/shapes/ without .txt. Fields that are set in `given`
 * replace what the file says; its chain counts if has_chain. */
bool bench_shapes_read(struct bench_shapes *shapes, const char *name, const struct bench_shape *given, bool has_chain);
/* Appends one; fields that are 0 get their defaults: batch 1, bf16, D as A, tn. */
bool bench_shapes_add(struct bench_shapes *shapes, const struct bench_shape *shape);
/* Keeps those that match: "aligned", "unaligned", or a glob over the label. */
void bench_shapes_filter(struct bench_shapes *shapes, const char *filter);
void bench_shapes_free(struct bench_shapes *shapes);

/* "4096x4096x4096 bf16 tn", "8x64x64x64 bf16->f32 nn bias,gelu" (a batch comes first) */
void bench_label(const struct bench_shape *shape, char *out, size_t size);
/* Every row of D, and every row or column of A and B that is contiguous, is a multiple of 16 bytes. */
bool bench_aligned(const struct bench_shape *shape);
/* A is stored by rows (K contiguous); B is stored by columns (K contiguous). */
bool bench_a_by_rows(enum catc_layout layout);
bool bench_b_by_columns(enum catc_layout layout);
double bench_flop(const struct bench_shape *shape);
/* A, B and D once each; operands of the chain are added by problem.h. */
double bench_matrix_bytes(const struct bench_shape *shape);

#endif /* BENCH_GEMM_SHAPES_H */
