/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/add.h
 * kind: TILE
 * formula: x + aux[row, column]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_ADD_H
#define CATC_EPILOGUE_ADD_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(add, TILE)

CATC_DEVICE float catc_epi_add(float x, float operand)
{
    return catc_add(x, operand);
}

#endif /* CATC_EPILOGUE_ADD_H */
