/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/chunk.h: 16 bytes of an operand from global to shared memory, whatever their alignment. */
#ifndef CATC_TILE_CHUNK_H
#define CATC_TILE_CHUNK_H

#include "catlass_c/arch/sm80.h"

enum { CATC_CHUNK = 16 }; /* bytes */

/* The first `bytes` (0 … 16) of `source` go to target, the rest of the 16 become zero. align: 16, 8, 4 or 2, a divisor of
 * the source's address. Copies belong to the thread's open cp.async group. A chunk that ends in the middle, or is aligned
 * to 2, goes by plain accesses, which are complete on return: cp.async could cut it off too, but compute-sanitizer then
 * reports the bytes that are not read. */
CATC_DEVICE void catc_copy_chunk(void *target, const uint8_t *source, int bytes, int align)
{
    uint32_t const at = catc_smem_u32(target);
    bool const all = bytes == CATC_CHUNK;
    if (align == 2 || (bytes > 0 && !all)) {
        struct catc_u128 chunk;
        const uint16_t *const half = (const uint16_t *)(const void *)source;
        CATC_UNROLL(4)
        for (int w = 0; w < 4; ++w) {
            uint32_t const low = bytes > 4 * w ? half[2 * w] : 0u, high = bytes > 4 * w + 2 ? half[2 * w + 1] : 0u;
            chunk.w[w] = low | high << 16;
        }
        *(struct catc_u128 *)target = chunk;
    } else if (align == 16) {
        CATC_CP_ASYNC_16(at, source, all);
    } else if (align == 8) {
        CATC_CP_ASYNC_PART(8, at, source, all ? 8 : 0);
        CATC_CP_ASYNC_PART(8, at + 8u, source + 8, all ? 8 : 0);
    } else {
        CATC_UNROLL(4)
        for (int i = 0; i < CATC_CHUNK; i += 4) {
            CATC_CP_ASYNC_PART(4, at + (uint32_t)i, source + i, all ? 4 : 0);
        }
    }
}

#endif /* CATC_TILE_CHUNK_H */
