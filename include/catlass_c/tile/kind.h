/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/kind.h: text for one kind of chain position. In a macro that is applied to CATC_P_EPI_LIST,
 *   CATC_ON_TILE_##kind(text)
 * is text for a TILE position and nothing for any other.
 *
 * An epilogue works on segments: neighbours in a row of D or, where the accumulators are those of D transposed, in a column
 * (CATC_C_TURNED 1, a number of check/). CATC_ON_ACROSS is for operands that vary along a segment, CATC_ON_DOWN for those
 * that vary from one to the next: COL and ROW, turned ROW and COL. */
#ifndef CATC_TILE_KIND_H
#define CATC_TILE_KIND_H

#include "catlass_c/base.h"

#define CATC_ON_COL_NONE(...)
#define CATC_ON_COL_SCALAR(...)
#define CATC_ON_COL_PAIR(...)
#define CATC_ON_COL_COL(...) __VA_ARGS__
#define CATC_ON_COL_ROW(...)
#define CATC_ON_COL_TILE(...)
#define CATC_ON_COL_TAP(...)
#define CATC_ON_COL_REDUCE(...)
#define CATC_ON_COL_COORD(...)

#define CATC_ON_ROW_NONE(...)
#define CATC_ON_ROW_SCALAR(...)
#define CATC_ON_ROW_PAIR(...)
#define CATC_ON_ROW_COL(...)
#define CATC_ON_ROW_ROW(...) __VA_ARGS__
#define CATC_ON_ROW_TILE(...)
#define CATC_ON_ROW_TAP(...)
#define CATC_ON_ROW_REDUCE(...)
#define CATC_ON_ROW_COORD(...)

#define CATC_ON_TILE_NONE(...)
#define CATC_ON_TILE_SCALAR(...)
#define CATC_ON_TILE_PAIR(...)
#define CATC_ON_TILE_COL(...)
#define CATC_ON_TILE_ROW(...)
#define CATC_ON_TILE_TILE(...) __VA_ARGS__
#define CATC_ON_TILE_TAP(...)
#define CATC_ON_TILE_REDUCE(...)
#define CATC_ON_TILE_COORD(...)

#define CATC_ON_TAP_NONE(...)
#define CATC_ON_TAP_SCALAR(...)
#define CATC_ON_TAP_PAIR(...)
#define CATC_ON_TAP_COL(...)
#define CATC_ON_TAP_ROW(...)
#define CATC_ON_TAP_TILE(...)
#define CATC_ON_TAP_TAP(...) __VA_ARGS__
#define CATC_ON_TAP_REDUCE(...)
#define CATC_ON_TAP_COORD(...)

#define CATC_ON_REDUCE_NONE(...)
#define CATC_ON_REDUCE_SCALAR(...)
#define CATC_ON_REDUCE_PAIR(...)
#define CATC_ON_REDUCE_COL(...)
#define CATC_ON_REDUCE_ROW(...)
#define CATC_ON_REDUCE_TILE(...)
#define CATC_ON_REDUCE_TAP(...)
#define CATC_ON_REDUCE_REDUCE(...) __VA_ARGS__
#define CATC_ON_REDUCE_COORD(...)

#define CATC_ON_ACROSS_NONE(...)
#define CATC_ON_ACROSS_SCALAR(...)
#define CATC_ON_ACROSS_PAIR(...)
#define CATC_ON_ACROSS_COL(...) CATC_PASTE(CATC_UNLESS_TURNED_, CATC_C_TURNED)(__VA_ARGS__)
#define CATC_ON_ACROSS_ROW(...) CATC_PASTE(CATC_IF_TURNED_, CATC_C_TURNED)(__VA_ARGS__)
#define CATC_ON_ACROSS_TILE(...)
#define CATC_ON_ACROSS_TAP(...)
#define CATC_ON_ACROSS_REDUCE(...)
#define CATC_ON_ACROSS_COORD(...)

#define CATC_ON_DOWN_NONE(...)
#define CATC_ON_DOWN_SCALAR(...)
#define CATC_ON_DOWN_PAIR(...)
#define CATC_ON_DOWN_COL(...) CATC_PASTE(CATC_IF_TURNED_, CATC_C_TURNED)(__VA_ARGS__)
#define CATC_ON_DOWN_ROW(...) CATC_PASTE(CATC_UNLESS_TURNED_, CATC_C_TURNED)(__VA_ARGS__)
#define CATC_ON_DOWN_TILE(...)
#define CATC_ON_DOWN_TAP(...)
#define CATC_ON_DOWN_REDUCE(...)
#define CATC_ON_DOWN_COORD(...)

#define CATC_IF_TURNED_0(...)
#define CATC_IF_TURNED_1(...) __VA_ARGS__
#define CATC_UNLESS_TURNED_0(...) __VA_ARGS__
#define CATC_UNLESS_TURNED_1(...)

#endif /* CATC_TILE_KIND_H */
