/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/fragment.h: pairs of neighbouring columns of a wgmma accumulator in staged tiles.
 *
 * A thread holds columns 2 (lane % 4), +1 of each group of 8 columns, in rows lane / 4 and lane / 4 + 8 of its warp's 16
 * (arch/wgmma.inst.h). In a slot (tile/fragment_stage.h) such a pair is one 4-byte or one 8-byte word. */
#ifndef CATC_TILE_FRAGMENT_H
#define CATC_TILE_FRAGMENT_H

#include "catlass_c/tile/fragment_stage.h"
#include "catlass_c/tile/swizzle.h"
#include "catlass_c/tile/vector.h"

/* Staged bytes are written and read as words of several types. */
typedef uint32_t __attribute__((may_alias)) catc_word_u32;
typedef uint64_t __attribute__((may_alias)) catc_word_u64;

/* Byte of element (row, column) in a slot of elements of `size` bytes whose strips are `rows` x `strip`. */
CATC_DEVICE uint32_t catc_fragment_offset(int row, int column, int size, int rows, int strip)
{
    uint32_t const span = (uint32_t)(strip * size);
    uint32_t const inside = (uint32_t)row * span + (uint32_t)(column % strip * size);
    return (uint32_t)(column / strip) * (uint32_t)rows * span + catc_swizzle(inside, span);
}

CATC_DEVICE void catc_fragment_load_bf16(float *x, const void *at)
{
    catc_unpack_bf16(x, *(const catc_word_u32 *)at);
}
CATC_DEVICE void catc_fragment_load_f16(float *x, const void *at)
{
    catc_unpack_f16(x, *(const catc_word_u32 *)at);
}
CATC_DEVICE void catc_fragment_load_f32(float *x, const void *at)
{
    uint64_t const pair = *(const catc_word_u64 *)at;
    x[0] = catc_f32_from_bits((uint32_t)pair);
    x[1] = catc_f32_from_bits((uint32_t)(pair >> 32));
}

CATC_DEVICE void catc_fragment_store_bf16(const float *x, void *at)
{
    *(catc_word_u32 *)at = catc_pack_bf16(x);
}
CATC_DEVICE void catc_fragment_store_f16(const float *x, void *at)
{
    *(catc_word_u32 *)at = catc_pack_f16(x);
}
CATC_DEVICE void catc_fragment_store_f32(const float *x, void *at)
{
    *(catc_word_u64 *)at = (uint64_t)catc_f32_bits(x[0]) | (uint64_t)catc_f32_bits(x[1]) << 32;
}

/* catc_fragment_load_apart_<type>, catc_fragment_store_apart_<type>: a pair whose elements are no neighbours in the slot,
 * because it lies in two of its rows. */
#define CATC_FRAGMENT_APART(type) \
    CATC_DEVICE void catc_fragment_load_apart_##type(float *x, const void *at, const void *next) \
    { \
        x[0] = catc_f32_from_##type(*(const catc_element_##type *)at); \
        x[1] = catc_f32_from_##type(*(const catc_element_##type *)next); \
    } \
    CATC_DEVICE void catc_fragment_store_apart_##type(const float *x, void *at, void *next) \
    { \
        *(catc_element_##type *)at = catc_##type##_from_f32(x[0]); \
        *(catc_element_##type *)next = catc_##type##_from_f32(x[1]); \
    }
CATC_FRAGMENT_APART(bf16)
CATC_FRAGMENT_APART(f16)
CATC_FRAGMENT_APART(f32)
#undef CATC_FRAGMENT_APART

#endif /* CATC_TILE_FRAGMENT_H */
