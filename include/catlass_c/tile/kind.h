/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/kind.h: text for one kind of chain position. In a macro that is applied to CATC_P_EPI_LIST,
 *   CATC_ON_TILE_##kind(text)
 * is text for a TILE position and nothing for any other. */
#ifndef CATC_TILE_KIND_H
#define CATC_TILE_KIND_H

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

#endif /* CATC_TILE_KIND_H */
