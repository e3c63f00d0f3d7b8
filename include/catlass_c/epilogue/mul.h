/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/mul.h
 * kind: TILE
 * formula: x * aux[row, column]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_MUL_H
#define CATC_EPILOGUE_MUL_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(mul, TILE)

CATC_DEVICE float catc_epi_mul(float x, float operand)
{
    return catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_MUL_H */
