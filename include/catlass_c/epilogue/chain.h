/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/chain.h: the steps of an epilogue chain, one macro per kind, used as CATC_P_EPI_LIST(CATC_EPI_STEP).
 *
 * A skeleton keeps the operands of one segment (VEC neighbours in a row of D, with CATC_C_TURNED in a column) in a struct
 * made from the same list:
 *   struct s { CATC_P_EPI_LIST(CATC_EPI_FIELD) int none; };
 * with one value per element for COL, TILE and TAP, one per segment for ROW and SCALAR (turned: per element for ROW, per
 * segment for COL), two for PAIR, and the running state of a REDUCE position. The steps work on the names x (the value), o
 * (pointer to that struct), j (element of the segment), row and column (of the caller's D). chain.inst.h wraps both for an
 * instance. */
#ifndef CATC_EPILOGUE_CHAIN_H
#define CATC_EPILOGUE_CHAIN_H

#include "catlass_c/epilogue/op.h"
#include "catlass_c/ops/gemm_params.h"
#include "catlass_c/tile/kind.h"

#define CATC_EPI_FIELD(i, op, kind, type) CATC_EPI_FIELD_##kind(i)
#define CATC_EPI_FIELD_NONE(i)
#define CATC_EPI_FIELD_COORD(i)
#define CATC_EPI_FIELD_SCALAR(i) float e##i;
#define CATC_EPI_FIELD_PAIR(i) float e##i[2];
#define CATC_EPI_FIELD_ROW(i) float e##i CATC_ON_ACROSS_ROW([CATC_I_VEC]);
#define CATC_EPI_FIELD_COL(i) float e##i CATC_ON_ACROSS_COL([CATC_I_VEC]);
#define CATC_EPI_FIELD_TILE(i) float e##i[CATC_I_VEC];
#define CATC_EPI_FIELD_TAP(i) float e##i[CATC_I_VEC];
#define CATC_EPI_FIELD_REDUCE(i) uint32_t e##i;

#define CATC_EPI_STEP(i, op, kind, type) CATC_EPI_STEP_##kind(i, op)
#define CATC_EPI_STEP_NONE(i, op) x = catc_epi_##op(x);
#define CATC_EPI_STEP_COORD(i, op) x = catc_epi_##op(x, row, column);
#define CATC_EPI_STEP_SCALAR(i, op) x = catc_epi_##op(x, o->e##i);
#define CATC_EPI_STEP_PAIR(i, op) x = catc_epi_##op(x, o->e##i[0], o->e##i[1]);
#define CATC_EPI_STEP_ROW(i, op) x = catc_epi_##op(x, o->e##i CATC_ON_ACROSS_ROW([j]));
#define CATC_EPI_STEP_COL(i, op) x = catc_epi_##op(x, o->e##i CATC_ON_ACROSS_COL([j]));
#define CATC_EPI_STEP_TILE(i, op) x = catc_epi_##op(x, o->e##i[j]);
#define CATC_EPI_STEP_TAP(i, op) o->e##i[j] = x;
#define CATC_EPI_STEP_REDUCE(i, op) x = catc_epi_##op(&o->e##i, x);

/* Before the first segment: scalars are read, states start at 0. Works on the names o and p (parameters). */
#define CATC_EPI_BEGIN(i, op, kind, type) CATC_EPI_BEGIN_##kind(i)
#define CATC_EPI_BEGIN_NONE(i)
#define CATC_EPI_BEGIN_COORD(i)
#define CATC_EPI_BEGIN_SCALAR(i) o->e##i = p->epi[i].ptr ? *(const float *)p->epi[i].ptr : p->epi[i].a;
#define CATC_EPI_BEGIN_PAIR(i) \
    o->e##i[0] = p->epi[i].ptr ? ((const float *)p->epi[i].ptr)[0] : p->epi[i].a; \
    o->e##i[1] = p->epi[i].ptr ? ((const float *)p->epi[i].ptr)[1] : p->epi[i].b;
#define CATC_EPI_BEGIN_ROW(i)
#define CATC_EPI_BEGIN_COL(i)
#define CATC_EPI_BEGIN_TILE(i)
#define CATC_EPI_BEGIN_TAP(i)
#define CATC_EPI_BEGIN_REDUCE(i) o->e##i = 0;

/* After the last segment of a tile of problem `batch`: all 32 lanes of each warp merge their states. */
#define CATC_EPI_END(i, op, kind, type) CATC_EPI_END_##kind(i)
#define CATC_EPI_END_NONE(i)
#define CATC_EPI_END_COORD(i)
#define CATC_EPI_END_SCALAR(i)
#define CATC_EPI_END_PAIR(i)
#define CATC_EPI_END_ROW(i)
#define CATC_EPI_END_COL(i)
#define CATC_EPI_END_TILE(i)
#define CATC_EPI_END_TAP(i)
#define CATC_EPI_END_REDUCE(i) catc_epi_merge(o->e##i, (uint32_t *)p->epi[i].out + batch * p->epi[i].batch_stride);

/* Unsigned maximum over the warp, then one atomic per warp. */
CATC_DEVICE void catc_epi_merge(uint32_t state, uint32_t *word)
{
    for (int mask = 16; mask > 0; mask /= 2) {
        uint32_t const other = CATC_SHFL_XOR_U32(state, mask);
        state = other > state ? other : state;
    }
    if (catc_thread() % 32 == 0) {
        catc_atomic_max_u32(word, state);
    }
}

/* The chain in the descriptor, and the proof that the list agrees with the operations' headers. */
#define CATC_EPI_TYPE_none CATC_TYPE_NOT_GIVEN
#define CATC_EPI_TYPE_f32 CATC_F32
#define CATC_EPI_TYPE_bf16 CATC_BF16
#define CATC_EPI_TYPE_f16 CATC_F16
#define CATC_EPI_DESCRIBE(i, op, kind, type) {#op, CATC_EPI_##kind, CATC_EPI_TYPE_##type},
#define CATC_EPI_PROVE(i, op, kind, type) \
    CATC_STATIC_ASSERT((int)CATC_EPI_KIND_OF_##op == (int)CATC_EPI_##kind, \
                       CATC_P_NAME_STRING ": the kind of " #op " must be the one in epilogue/" #op ".h");

#endif /* CATC_EPILOGUE_CHAIN_H */
