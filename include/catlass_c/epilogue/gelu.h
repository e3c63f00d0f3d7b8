/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/gelu.h
 * kind: NONE
 * formula: 0.5 x (1 + erf(x / sqrt(2))); the exact form, not the tanh form (gelu_tanh)
 * source: Hendrycks and Gimpel, arXiv 1606.08415, section 2
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs, on sm_90 and on the host); exactly x from 14.5 up
 * and -0 from -14.5 down; NaN for -Inf, which is -Inf times 0
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_GELU_H
#define CATC_EPILOGUE_GELU_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(gelu, NONE)

CATC_DEVICE float catc_epi_gelu(float x)
{
    /* erfc(-x / sqrt 2) keeps relative accuracy for negative x, where 1 + erf would cancel */
    return 0.5f * x * catc_erfcf(-x * 0.70710678118654752440f);
}

#endif /* CATC_EPILOGUE_GELU_H */
