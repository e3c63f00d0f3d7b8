/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/hard_swish.h
 * kind: NONE
 * formula: x min(max(x + 3, 0), 6) / 6
 * source: Howard et al., Searching for MobileNetV3, arXiv 1905.02244, section 5.2
 * error: 2^-24 absolute + 2 ulp of fp32 (all fp32 inputs), the same bits on every backend; exactly x from 3 up, to Inf,
 * and -0 from -3 down; NaN for -Inf, which is -Inf times 0 (PyTorch gives NaN too)
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_HARD_SWISH_H
#define CATC_EPILOGUE_HARD_SWISH_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(hard_swish, NONE)

CATC_DEVICE float catc_epi_hard_swish(float x)
{
    /* (x + 3) / 6 = x / 6 + 1 / 2 in one rounding. 1/6 as fp32 is 3e-8 of itself too large, so that this is below 0 at
     * -3 and 1 at 3. Limited before the product, a large x does not overflow. A NaN becomes 0, and NaN again times x. */
    float const slope = catc_fma(x, 0.16666667163372039795f, 0.5f);
    float const positive = slope > 0.0f ? slope : 0.0f;
    return catc_mul(x, positive < 1.0f ? positive : 1.0f);
}

#endif /* CATC_EPILOGUE_HARD_SWISH_H */
