/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/silu.h
 * kind: NONE
 * formula: x / (1 + exp(-x)), which is x sigmoid(x); also called swish
 * source: Elfwing, Uchibe and Doya, arXiv 1702.03118, equation 5; Ramachandran et al., arXiv 1710.05941
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs on the host, a dense sample on a GPU); exactly x from 18 up
 * and -0 from -89 down; NaN for -Inf, which is -Inf times 0 (PyTorch gives NaN too)
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_SILU_H
#define CATC_EPILOGUE_SILU_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(silu, NONE)

CATC_DEVICE float catc_epi_silu(float x)
{
    /* for x below -88.7 exp overflows to Inf and the quotient to -0 */
    return x / (1.0f + catc_expf(-x));
}

#endif /* CATC_EPILOGUE_SILU_H */
