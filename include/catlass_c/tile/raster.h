/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/raster.h: the order in which blocks take the tiles of D. */
#ifndef CATC_TILE_RASTER_H
#define CATC_TILE_RASTER_H

#include "catlass_c/tile/divisor.h"

struct catc_tile_index {
    int64_t m, n, batch; /* tile row, tile column, problem */
};

struct catc_raster {
    struct catc_divisor problem; /* tiles of a problem */
    struct catc_divisor group;   /* tiles of a group */
    struct catc_divisor last;    /* tile rows of the last group */
    int64_t tiles_m;
    uint32_t log2_rows, pad_; /* of the tile rows of every other group */
};

/* A matrix of tiles_m x tiles_n tiles, 1 or more, in groups of 2^log2_rows tile rows. */
static inline struct catc_raster catc_raster_of(int64_t tiles_m, int64_t tiles_n, uint32_t log2_rows)
{
    int64_t const rows = (int64_t)1 << log2_rows, last = (tiles_m - 1) % rows + 1;
    struct catc_raster const r = {catc_divisor_of(tiles_m * tiles_n),
                                  catc_divisor_of(rows * tiles_n),
                                  catc_divisor_of(last),
                                  tiles_m,
                                  log2_rows,
                                  0};
    return r;
}

/* Tiles are taken in groups of tile rows, column by column inside a group, so that blocks that run at the same time
 * share rows of A and columns of B in L2. tile: from 0, over all problems. */
CATC_HOST_DEVICE struct catc_tile_index catc_raster(const struct catc_raster *r, int64_t tile)
{
    int64_t const batch = catc_divide(tile, &r->problem), rest = tile - batch * r->problem.value;
    int64_t const group = catc_divide(rest, &r->group), inside = rest - group * r->group.value;
    int64_t const first = group << r->log2_rows; /* first tile row of the group */
    bool const whole = first + ((int64_t)1 << r->log2_rows) <= r->tiles_m;
    int64_t const n = whole ? inside >> r->log2_rows : catc_divide(inside, &r->last);
    int64_t const m = first + inside - (whole ? n << r->log2_rows : n * r->last.value);
    struct catc_tile_index const index = {m, n, batch};
    return index;
}

#endif /* CATC_TILE_RASTER_H */
