/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/vector.h: a run of neighbouring elements in global memory as fp32 values. The run is 16 bytes wide where that is
 * legal (`vector`), element by element otherwise, so that alignment never decides whether a result is right. */
#ifndef CATC_TILE_VECTOR_H
#define CATC_TILE_VECTOR_H

#include "catlass_c/arch/simt.h"
#include "catlass_c/types.h"

typedef float catc_element_f32;
typedef catc_bf16_bits catc_element_bf16;
typedef catc_f16_bits catc_element_f16;

CATC_DEVICE float catc_f32_from_f32(float x)
{
    return x;
}

/* Word w of a 16-byte vector as values, and back. */
CATC_DEVICE void catc_unpack_f32(float *x, uint32_t word)
{
    x[0] = catc_f32_from_bits(word);
}
CATC_DEVICE void catc_unpack_bf16(float *x, uint32_t word)
{
    x[0] = catc_f32_from_bf16((catc_bf16_bits)(word & 0xffffu));
    x[1] = catc_f32_from_bf16((catc_bf16_bits)(word >> 16));
}
CATC_DEVICE void catc_unpack_f16(float *x, uint32_t word)
{
    x[0] = catc_f32_from_f16((catc_f16_bits)(word & 0xffffu));
    x[1] = catc_f32_from_f16((catc_f16_bits)(word >> 16));
}
CATC_DEVICE uint32_t catc_pack_f32(const float *x)
{
    return catc_f32_bits(x[0]);
}
CATC_DEVICE uint32_t catc_pack_bf16(const float *x)
{
    return (uint32_t)catc_bf16_from_f32(x[0]) | (uint32_t)catc_bf16_from_f32(x[1]) << 16;
}
CATC_DEVICE uint32_t catc_pack_f16(const float *x)
{
    return (uint32_t)catc_f16_from_f32(x[0]) | (uint32_t)catc_f16_from_f32(x[1]) << 16;
}

/* catc_load_<type> and catc_store_<type> for each element type (tile/vector.inst.h) */
#define CATC_I_TYPE f32
#include "catlass_c/tile/vector.inst.h"
#define CATC_I_TYPE bf16
#include "catlass_c/tile/vector.inst.h"
#define CATC_I_TYPE f16
#include "catlass_c/tile/vector.inst.h"

/* count floats of shared memory, in 16-byte accesses where count allows; source and target are then 16-byte aligned. */
CATC_DEVICE void catc_read_floats(float *x, const float *source, int count)
{
    if (count % 4 == 0) {
        CATC_UNROLL(8)
        for (int i = 0; i < count / 4; ++i) {
            struct catc_u128 const v = ((const struct catc_u128 *)source)[i];
            CATC_UNROLL(4)
            for (int w = 0; w < 4; ++w) {
                x[4 * i + w] = catc_f32_from_bits(v.w[w]);
            }
        }
    } else {
        CATC_UNROLL(8)
        for (int i = 0; i < count; ++i) {
            x[i] = source[i];
        }
    }
}
/* Two neighbours in one 8-byte access; target is 8-byte aligned. */
CATC_DEVICE void catc_write_pair(float *target, float x, float y)
{
    typedef uint64_t __attribute__((may_alias)) word;
    *(word *)(void *)target = (uint64_t)catc_f32_bits(x) | (uint64_t)catc_f32_bits(y) << 32;
}
CATC_DEVICE void catc_write_floats(float *target, const float *x, int count)
{
    if (count % 4 == 0) {
        CATC_UNROLL(8)
        for (int i = 0; i < count / 4; ++i) {
            struct catc_u128 v;
            CATC_UNROLL(4)
            for (int w = 0; w < 4; ++w) {
                v.w[w] = catc_f32_bits(x[4 * i + w]);
            }
            ((struct catc_u128 *)target)[i] = v;
        }
    } else {
        CATC_UNROLL(8)
        for (int i = 0; i < count; ++i) {
            target[i] = x[i];
        }
    }
}

/* How many of `count` elements starting at `first` lie below `end`. */
CATC_DEVICE int catc_valid(int64_t first, int64_t end, int count)
{
    int64_t const left = end - first;
    return left < 0 ? 0 : left < count ? (int)left : count;
}

#endif /* CATC_TILE_VECTOR_H */
