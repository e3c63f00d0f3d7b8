/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/tap.h
 * kind: TAP
 * formula: passes x on and stores it: the value before the operations that follow, for example before an activation
 * error: the conversion to the output type
 * outputs: f32, bf16, f16 */
#ifndef CATC_EPILOGUE_TAP_H
#define CATC_EPILOGUE_TAP_H

#include "catlass_c/epilogue/op.h"

CATC_EPI_OP(tap, TAP)

#endif /* CATC_EPILOGUE_TAP_H */
