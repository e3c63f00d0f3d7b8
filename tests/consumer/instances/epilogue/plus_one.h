/* SPDX-License-Identifier: Apache-2.0
 *
 * plus_one.h: an operation that the library does not know.
 * kind: NONE
 * formula: x + 1
 * error: one fp32 rounding
 * outputs: f32, bf16, f16 */
#ifndef MINE_PLUS_ONE_H
#define MINE_PLUS_ONE_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(plus_one, NONE)

CATC_DEVICE float catc_epi_plus_one(float x)
{
    return x + 1.0f;
}

#endif /* MINE_PLUS_ONE_H */
