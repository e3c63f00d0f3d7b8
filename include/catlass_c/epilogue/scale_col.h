/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/scale_col.h
 * kind: COL
 * formula: x * scale[column]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_SCALE_COL_H
#define CATC_EPILOGUE_SCALE_COL_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(scale_col, COL)

CATC_DEVICE float catc_epi_scale_col(float x, float operand)
{
    return catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_SCALE_COL_H */
