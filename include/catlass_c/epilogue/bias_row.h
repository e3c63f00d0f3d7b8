/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/bias_row.h
 * kind: ROW
 * formula: x + bias[row]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_BIAS_ROW_H
#define CATC_EPILOGUE_BIAS_ROW_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(bias_row, ROW)

CATC_DEVICE float catc_epi_bias_row(float x, float operand)
{
    return catc_add(x, operand);
}

#endif /* CATC_EPILOGUE_BIAS_ROW_H */
