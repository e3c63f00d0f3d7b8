/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/tanh.h
 * kind: NONE
 * formula: tanh(x)
 * source: its definition
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs on the host, a dense sample on a GPU); exactly x for +0, -0
 * and subnormals, exactly 1 from 10 up, to Inf, and -1 from -10 down, to -Inf; never outside -1 … 1
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_TANH_H
#define CATC_EPILOGUE_TANH_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(tanh, NONE)

CATC_DEVICE float catc_epi_tanh(float x)
{
    return catc_tanhf(x);
}

#endif /* CATC_EPILOGUE_TANH_H */
