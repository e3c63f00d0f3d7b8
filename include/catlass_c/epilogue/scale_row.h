/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/scale_row.h
 * kind: ROW
 * formula: x * scale[row]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_SCALE_ROW_H
#define CATC_EPILOGUE_SCALE_ROW_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(scale_row, ROW)

CATC_DEVICE float catc_epi_scale_row(float x, float operand)
{
    return catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_SCALE_ROW_H */
