/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/scale.h
 * kind: SCALAR
 * formula: x * a; a is one factor for the whole matrix (per tensor), a host value or, with scalars_on_device, one float
 * in device memory
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_SCALE_H
#define CATC_EPILOGUE_SCALE_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(scale, SCALAR)

CATC_DEVICE float catc_epi_scale(float x, float operand)
{
    return catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_SCALE_H */
