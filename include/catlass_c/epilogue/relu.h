/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/relu.h
 * kind: NONE
 * formula: max(x, 0); NaN stays NaN, -0 becomes 0
 * error: exact
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_RELU_H
#define CATC_EPILOGUE_RELU_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(relu, NONE)

CATC_DEVICE float catc_epi_relu(float x)
{
    return x > 0.0f ? x : (x == x ? 0.0f : x);
}

#endif /* CATC_EPILOGUE_RELU_H */
