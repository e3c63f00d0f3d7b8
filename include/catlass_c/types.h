/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h: element types, layouts, schedules, backends, epilogue kinds. Every enumerator starts at 1, so that 0
 * means "not given" in an argument struct.
 *
 * Each list is an X-macro: X(ENUMERATOR, token, ...). The token is the spelling in YAML, in instance names and in
 * generated parameter files (CATC_P_TYPE_A bf16); CATC_TYPE_<token> maps it back to the enumerator, so that a
 * misspelt token is a compile error. codegen reads the tokens from here. */
#ifndef CATC_TYPES_H
#define CATC_TYPES_H

#include "catlass_c/base.h"

CATC_EXTERN_C_BEGIN

/* X(enumerator, token, bytes of one element) */
#define CATC_TYPES(X) \
    X(CATC_F32, f32, 4) \
    X(CATC_BF16, bf16, 2) \
    X(CATC_F16, f16, 2)

/* X(enumerator, token, A has K contiguous, B has K contiguous). A is M x K, B is K x N, D is M x N row-major.
 * First letter: A, t = row-major [M,K], n = column-major (stored [K,M]).
 * Second letter: B, n = stored [N,K], t = row-major [K,N]. As in cuBLAS and CUTLASS, "tn" is K-contiguous in both. */
#define CATC_LAYOUTS(X) \
    X(CATC_TN, tn, 1, 1) \
    X(CATC_TT, tt, 1, 0) \
    X(CATC_NN, nn, 0, 1) \
    X(CATC_NT, nt, 0, 0)

/* X(enumerator, token) */
#define CATC_SCHEDULES(X) \
    X(CATC_SIMT, simt) \
    X(CATC_MULTISTAGE, multistage) \
    X(CATC_COOPERATIVE, cooperative) \
    X(CATC_PINGPONG, pingpong)

/* X(enumerator, token) */
#define CATC_SKELETONS(X) \
    X(CATC_GEMM_SIMT, gemm_simt) \
    X(CATC_GEMM_SM80, gemm_sm80) \
    X(CATC_GEMM_SM90, gemm_sm90)

/* X(enumerator, token) */
#define CATC_BACKENDS(X) \
    X(CATC_CUDA, cuda) \
    X(CATC_HOST, host)

/* Kind of one position of an epilogue chain (epilogue/chain.h):
 * NONE op(x); SCALAR op(x, a) and PAIR op(x, a, b) with floats from the host or a device pointer; COL one operand per
 * column (length N); ROW one per row (length M); TILE an M x N input; TAP stores the value at this position to an M x N
 * output; REDUCE folds the value into a state that is merged into one word; COORD op(x, row, column). */
#define CATC_EPI_KINDS(X) \
    X(CATC_EPI_NONE, NONE) \
    X(CATC_EPI_SCALAR, SCALAR) \
    X(CATC_EPI_COL, COL) \
    X(CATC_EPI_ROW, ROW) \
    X(CATC_EPI_TILE, TILE) \
    X(CATC_EPI_TAP, TAP) \
    X(CATC_EPI_REDUCE, REDUCE) \
    X(CATC_EPI_COORD, COORD) \
    X(CATC_EPI_PAIR, PAIR)

#define CATC_ENUMERATOR_1(e, token) e,
#define CATC_ENUMERATOR_2(e, token, x) e,
#define CATC_ENUMERATOR_3(e, token, x, y) e,
enum catc_type { CATC_TYPE_NOT_GIVEN, CATC_TYPES(CATC_ENUMERATOR_2) CATC_TYPE_END };
enum catc_layout { CATC_LAYOUT_NOT_GIVEN, CATC_LAYOUTS(CATC_ENUMERATOR_3) CATC_LAYOUT_END };
enum catc_schedule { CATC_SCHEDULE_NOT_GIVEN, CATC_SCHEDULES(CATC_ENUMERATOR_1) CATC_SCHEDULE_END };
enum catc_skeleton { CATC_SKELETON_NOT_GIVEN, CATC_SKELETONS(CATC_ENUMERATOR_1) CATC_SKELETON_END };
enum catc_backend { CATC_BACKEND_NOT_GIVEN, CATC_BACKENDS(CATC_ENUMERATOR_1) CATC_BACKEND_END };
enum catc_epi_kind { CATC_EPI_KIND_NOT_GIVEN, CATC_EPI_KINDS(CATC_ENUMERATOR_1) CATC_EPI_KIND_END };

/* token -> enumerator and token -> bytes, usable in constant expressions and after pasting a parameter */
enum {
#define CATC_TOKEN_TYPE(e, token, bytes) CATC_TYPE_##token = e, CATC_SIZEOF_##token = bytes,
#define CATC_TOKEN_LAYOUT(e, token, a, b) \
    CATC_LAYOUT_##token = e, CATC_LAYOUT_A_KCONTIG_##token = a, CATC_LAYOUT_B_KCONTIG_##token = b,
#define CATC_TOKEN_SCHEDULE(e, token) CATC_SCHEDULE_##token = e,
#define CATC_TOKEN_SKELETON(e, token) CATC_SKELETON_##token = e,
    CATC_TYPES(CATC_TOKEN_TYPE) CATC_LAYOUTS(CATC_TOKEN_LAYOUT) CATC_SCHEDULES(CATC_TOKEN_SCHEDULE)
        CATC_SKELETONS(CATC_TOKEN_SKELETON) CATC_TOKEN_LAST_
};

/* Bits of a 16-bit float; arithmetic is always done in fp32 (arch/simt.h). */
typedef uint16_t catc_bf16_bits;
typedef uint16_t catc_f16_bits;

/* The token of an enumerator ("bf16"), "?" outside the list; never NULL. */
CATC_API const char *catc_type_name(enum catc_type type);
CATC_API const char *catc_layout_name(enum catc_layout layout);
CATC_API const char *catc_schedule_name(enum catc_schedule schedule);
CATC_API const char *catc_skeleton_name(enum catc_skeleton skeleton);
CATC_API const char *catc_backend_name(enum catc_backend backend);
CATC_API const char *catc_epi_kind_name(enum catc_epi_kind kind);
/* Bytes of one element; 0 outside the list. */
CATC_API size_t catc_type_size(enum catc_type type);

CATC_EXTERN_C_END

#endif /* CATC_TYPES_H */
