/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/causal.h
 * kind: COORD
 * formula: x where column <= row, else -Inf: the mask of attention scores with as many keys as queries
 * error: exact
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_CAUSAL_H
#define CATC_EPILOGUE_CAUSAL_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(causal, COORD)

CATC_DEVICE float catc_epi_causal(float x, int64_t row, int64_t column)
{
    return column <= row ? x : catc_f32_from_bits(0xff800000u);
}

#endif /* CATC_EPILOGUE_CAUSAL_H */
