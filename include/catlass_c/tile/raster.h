/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/raster.h: the order in which blocks take the tiles of D. */
#ifndef CATC_TILE_RASTER_H
#define CATC_TILE_RASTER_H

#include "catlass_c/base.h"

struct catc_tile_index {
    int64_t m, n, batch; /* tile row, tile column, problem */
};

/* Tiles are taken in groups of `group` tile rows, column by column inside a group, so that blocks that run at the same
 * time share rows of A and columns of B in L2. tile < tiles_m * tiles_n * batch. */
CATC_HOST_DEVICE struct catc_tile_index catc_raster(int64_t tile, int64_t tiles_m, int64_t tiles_n, int group)
{
    int64_t const per_problem = tiles_m * tiles_n;
    int64_t const batch = tile < per_problem ? 0 : tile / per_problem; /* a division is dear */
    int64_t const rest = tile - batch * per_problem;
    int64_t const per_group = group * tiles_n;
    int64_t const first = rest / per_group * group; /* first tile row of the group */
    int64_t const rows = tiles_m - first < group ? tiles_m - first : group;
    int64_t const inside = rest % per_group;
    struct catc_tile_index const index = {first + inside % rows, inside / rows, batch};
    return index;
}

#endif /* CATC_TILE_RASTER_H */
