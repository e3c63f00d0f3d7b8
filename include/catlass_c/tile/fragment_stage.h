/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/fragment_stage.h: sizes of the buffers through which the matrices of a fragment epilogue (C, D, TILE and TAP
 * positions) pass, as constant expressions for the rules and for the tensor maps of the plan, which must agree.
 *
 * A consumer warpgroup handles its 64 or 128 rows in blocks of 64, each in rounds of SUB columns. A round's buffer holds
 * one slot for D (C arrives in the same place) and one for each TILE and TAP; a slot is a row of strips, each ROWS rows of
 * STRIP columns, which is one TMA box: STRIP * size is 32, 64 or 128 bytes, the span of its swizzle. There are two buffers,
 * so that the loads of the next round and the stores of the last one run beside the arithmetic.
 *
 * With swap the accumulators are those of D transposed, while slots lie as D does: a round is 64 columns of SUB rows. */
#ifndef CATC_TILE_FRAGMENT_STAGE_H
#define CATC_TILE_FRAGMENT_STAGE_H

#include "catlass_c/tile/kind.h"
#include "catlass_c/types.h"

enum { CATC_FRAGMENT_ROWS = 64, CATC_FRAGMENT_BUFFERS = 2 };

/* Columns of a round, where one column of all slots takes column_bytes in each row: the widest that keeps both
 * buffers of a warpgroup within 16 KiB (those of three: 48 KiB), but at least the 16 columns of one stmatrix. */
#define CATC_FRAGMENT_WIDEST(column_bytes) ((column_bytes) <= 2 ? 64 : (column_bytes) <= 4 ? 32 : 16)
/* The part of it that one box has: the last round of a tile may be narrower, and a box never crosses the tile. */
#define CATC_FRAGMENT_PART_OF(tile_n, widest) \
    ((widest) == 64 && (tile_n) % 64 == 0   ? 64 \
     : (widest) >= 32 && (tile_n) % 32 == 0 ? 32 \
     : (tile_n) % 16 == 0                   ? 16 \
                                            : 8)
#define CATC_FRAGMENT_PART(tile_n, column_bytes) CATC_FRAGMENT_PART_OF(tile_n, CATC_FRAGMENT_WIDEST(column_bytes))
/* With swap a round is one part, and its 64 columns of D divide into strips of at most 128 bytes. */
#define CATC_FRAGMENT_SUB(swap, tile_n, column_bytes) \
    ((swap) ? CATC_FRAGMENT_PART(tile_n, column_bytes) : CATC_FRAGMENT_WIDEST(column_bytes))
#define CATC_FRAGMENT_STRIP(swap, tile_n, column_bytes) \
    ((swap) ? ((column_bytes) <= 2 ? 64 : 32) : CATC_FRAGMENT_PART(tile_n, column_bytes))
#define CATC_FRAGMENT_BOX_ROWS(swap, tile_n, column_bytes) \
    ((swap) ? CATC_FRAGMENT_PART(tile_n, column_bytes) : (int)CATC_FRAGMENT_ROWS)

/* Sums over a chain, to be used as (start CATC_P_EPI_LIST(macro)): bytes that the positions add to a column, those of
 * them that are loaded, COL positions (with swap ROW); and as (start …): is one of the staged elements 16 bits wide? */
#define CATC_FRAGMENT_ADD_BYTES(i, op, kind, type) \
    CATC_ON_TILE_##kind(+CATC_SIZEOF_##type) CATC_ON_TAP_##kind(+CATC_SIZEOF_##type)
#define CATC_FRAGMENT_ADD_LOAD_BYTES(i, op, kind, type) CATC_ON_TILE_##kind(+CATC_SIZEOF_##type)
#define CATC_FRAGMENT_ADD_COLUMN(i, op, kind, type) CATC_ON_ACROSS_##kind(+1)
#define CATC_FRAGMENT_OR_NARROW(i, op, kind, type) \
    CATC_ON_TILE_##kind(|| CATC_SIZEOF_##type == 2) CATC_ON_TAP_##kind(|| CATC_SIZEOF_##type == 2)

#endif /* CATC_TILE_FRAGMENT_STAGE_H */
