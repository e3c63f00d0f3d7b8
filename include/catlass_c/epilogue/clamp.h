/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/clamp.h
 * kind: PAIR
 * formula: min(max(x, a), b); with a > b it is b for every x but NaN, as torch.clamp gives
 * source: its definition; ReLU6 is a = 0, b = 6
 * error: exact; NaN stays NaN, a NaN bound makes everything NaN, and an infinite one bounds nothing. -0 and +0 compare
 * equal, so that x keeps its sign where it meets a bound of the other zero
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_CLAMP_H
#define CATC_EPILOGUE_CLAMP_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(clamp, PAIR)

CATC_DEVICE float catc_epi_clamp(float x, float a, float b)
{
    /* a comparison with NaN is false: then the NaN of the two goes on, whichever it is */
    float const low = x >= a ? x : (x == x ? a : x);
    return low <= b ? low : (low == low ? b : low);
}

#endif /* CATC_EPILOGUE_CLAMP_H */
