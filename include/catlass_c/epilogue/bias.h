/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/bias.h
 * kind: COL
 * formula: x + bias[column]
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_BIAS_H
#define CATC_EPILOGUE_BIAS_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(bias, COL)

CATC_DEVICE float catc_epi_bias(float x, float operand)
{
    return catc_add(x, operand);
}

#endif /* CATC_EPILOGUE_BIAS_H */
