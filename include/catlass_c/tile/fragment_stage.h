/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/fragment_stage.h: sizes of the buffers through which the matrices of a fragment epilogue (C, D, TILE and TAP
 * positions) pass, as constant expressions for the rules and for the tensor maps of the plan, which must agree.
 *
 * A consumer warpgroup handles its 64 or 128 rows in blocks of 64, each in rounds of SUB columns. A round's buffer holds
 * one slot for D (C arrives in the same place) and one for each TILE and TAP; a slot is a row of strips, each 64 rows of
 * STRIP columns, which is one TMA box: STRIP * size is 32, 64 or 128 bytes, the span of its swizzle. There are two buffers,
 * so that the loads of the next round and the stores of the last one run beside the arithmetic. */
#ifndef CATC_TILE_FRAGMENT_STAGE_H
#define CATC_TILE_FRAGMENT_STAGE_H

#include "catlass_c/tile/kind.h"
#include "catlass_c/types.h"

enum { CATC_FRAGMENT_ROWS = 64, CATC_FRAGMENT_BUFFERS = 2 };

/* Columns of a round, where one column of all slots takes column_bytes in each row: the widest that keeps both
 * buffers of a warpgroup within 16 KiB (those of three: 48 KiB), but at least the 16 columns of one stmatrix. */
#define CATC_FRAGMENT_SUB(column_bytes) ((column_bytes) <= 2 ? 64 : (column_bytes) <= 4 ? 32 : 16)
/* Columns of a strip: the last round of a tile may be narrower, and a box never crosses the tile. */
#define CATC_FRAGMENT_STRIP_OF(tile_n, sub) \
    ((sub) == 64 && (tile_n) % 64 == 0 ? 64 : (sub) >= 32 && (tile_n) % 32 == 0 ? 32 : (tile_n) % 16 == 0 ? 16 : 8)
#define CATC_FRAGMENT_STRIP(tile_n, column_bytes) CATC_FRAGMENT_STRIP_OF(tile_n, CATC_FRAGMENT_SUB(column_bytes))
/* Bytes of one buffer of one warpgroup. */
#define CATC_FRAGMENT_BYTES(column_bytes) (CATC_FRAGMENT_ROWS * CATC_FRAGMENT_SUB(column_bytes) * (column_bytes))

/* Sums over a chain, to be used as (start CATC_P_EPI_LIST(macro)): bytes that the positions add to a column, those of
 * them that are loaded, COL positions; and as (start …): is one of the staged elements 16 bits wide? */
#define CATC_FRAGMENT_ADD_BYTES(i, op, kind, type) \
    CATC_ON_TILE_##kind(+CATC_SIZEOF_##type) CATC_ON_TAP_##kind(+CATC_SIZEOF_##type)
#define CATC_FRAGMENT_ADD_LOAD_BYTES(i, op, kind, type) CATC_ON_TILE_##kind(+CATC_SIZEOF_##type)
#define CATC_FRAGMENT_ADD_COLUMN(i, op, kind, type) CATC_ON_COL_##kind(+1)
#define CATC_FRAGMENT_OR_NARROW(i, op, kind, type) \
    CATC_ON_TILE_##kind(|| CATC_SIZEOF_##type == 2) CATC_ON_TAP_##kind(|| CATC_SIZEOF_##type == 2)

#endif /* CATC_TILE_FRAGMENT_STAGE_H */
