/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/sigmoid.h
 * kind: NONE
 * formula: 1 / (1 + exp(-x)), the logistic function
 * source: its definition
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs on the host, a dense sample on a GPU); exactly 0.5 for +0
 * and -0, exactly 1 from 18 up, to Inf, and 0 from -89 down, to -Inf; never outside 0 … 1
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_SIGMOID_H
#define CATC_EPILOGUE_SIGMOID_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(sigmoid, NONE)

CATC_DEVICE float catc_epi_sigmoid(float x)
{
    /* for x below -88.7 exp overflows to Inf and the quotient to 0 */
    return 1.0f / (1.0f + catc_expf(-x));
}

#endif /* CATC_EPILOGUE_SIGMOID_H */
