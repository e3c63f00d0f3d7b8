/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/relu_squared.h
 * kind: NONE
 * formula: max(x, 0)^2; NaN stays NaN, -0 and -Inf become 0
 * source: So et al., Primer, arXiv 2109.08668, section 4
 * error: one fp32 rounding; Inf from 2^64 up
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_RELU_SQUARED_H
#define CATC_EPILOGUE_RELU_SQUARED_H

#include "catlass_c/epilogue/relu.h"

CATC_EPI_OP(relu_squared, NONE)

CATC_DEVICE float catc_epi_relu_squared(float x)
{
    float const positive = catc_epi_relu(x);
    return catc_mul(positive, positive);
}

#endif /* CATC_EPILOGUE_RELU_SQUARED_H */
