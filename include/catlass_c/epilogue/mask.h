/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/mask.h
 * kind: TILE
 * formula: x * mask[row, column], and +0 where the mask is 0 (or -0), also for x NaN or Inf: what is masked out never
 * leaks. That is the difference from mul, which gives NaN there
 * source: dropout without its random numbers: a mask of 0 and 1 / (1 - p)
 * error: exactly +0 where the mask is 0, else one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_MASK_H
#define CATC_EPILOGUE_MASK_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(mask, TILE)

CATC_DEVICE float catc_epi_mask(float x, float operand)
{
    return operand == 0.0f ? 0.0f : catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_MASK_H */
