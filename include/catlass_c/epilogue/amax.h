/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/amax.h
 * kind: REDUCE
 * formula: passes x on; the word becomes the maximum of |x| over all elements of D at this position
 * The word is compared as an unsigned integer on the bits of |x|, so that the result does not depend on the order and
 * a NaN wins. The caller zeroes it (one call or many may share it).
 * error: exact
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_AMAX_H
#define CATC_EPILOGUE_AMAX_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(amax, REDUCE)

CATC_DEVICE float catc_epi_amax(uint32_t *state, float x)
{
    uint32_t const magnitude = catc_f32_bits(x) & 0x7fffffffu;
    *state = magnitude > *state ? magnitude : *state;
    return x;
}

#endif /* CATC_EPILOGUE_AMAX_H */
