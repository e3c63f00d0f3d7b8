/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/swizzle.h: where a byte of a tile lies when TMA, wgmma and stmatrix share it.
 *
 * A tile is a stack of rows of `span` bytes (32, 64 or 128), starting at a multiple of 8 * span. The hardware exchanges
 * the 16-byte chunks of each row by an XOR on the address: chunk ^= (address / 128) % (span / 16). Eight rows of the same
 * chunk then fall in different banks. */
#ifndef CATC_TILE_SWIZZLE_H
#define CATC_TILE_SWIZZLE_H

#include "catlass_c/base.h"

CATC_HOST_DEVICE uint32_t catc_swizzle(uint32_t offset, uint32_t span)
{
    return offset ^ (((offset >> 7) & (span / 16 - 1)) << 4);
}

#endif /* CATC_TILE_SWIZZLE_H */
