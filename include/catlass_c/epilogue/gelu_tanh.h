/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/gelu_tanh.h
 * kind: NONE
 * formula: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))); the tanh form, not the exact one (gelu)
 * source: Hendrycks and Gimpel, arXiv 1606.08415, section 2
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs, on sm_90 and on the host); exactly x from 14.5 up
 * and -0 from -14.5 down; NaN for -Inf, which is -Inf times 0
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_GELU_TANH_H
#define CATC_EPILOGUE_GELU_TANH_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(gelu_tanh, NONE)

CATC_DEVICE float catc_epi_gelu_tanh(float x)
{
    /* 1 + tanh(u) = 2 / (1 + exp(-2u)): no cancellation for negative u; exp overflows to Inf and the quotient to 0 */
    float const u = 0.79788456080286535588f * catc_fma(0.044715f * x * x, x, x);
    float const half = 1.0f / (1.0f + catc_expf(-2.0f * u));
    return x * half;
}

#endif /* CATC_EPILOGUE_GELU_TANH_H */
