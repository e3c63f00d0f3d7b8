/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/leaky_relu.h
 * kind: SCALAR
 * formula: x where x > 0, else a x; a is the slope for negative x, in PyTorch 0.01 if not given
 * source: Maas, Hannun and Ng, Rectifier nonlinearities improve neural network acoustic models, ICML 2013
 * error: exact where x > 0, else one fp32 rounding; NaN stays NaN, and -Inf with slope 0 is NaN, as in PyTorch
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_LEAKY_RELU_H
#define CATC_EPILOGUE_LEAKY_RELU_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(leaky_relu, SCALAR)

CATC_DEVICE float catc_epi_leaky_relu(float x, float operand)
{
    return x > 0.0f ? x : catc_mul(x, operand);
}

#endif /* CATC_EPILOGUE_LEAKY_RELU_H */
