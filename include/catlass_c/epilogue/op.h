/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue/op.h: how an operation declares itself.
 *
 * One header per operation, also out of tree: epilogue/<name>.h with the line CATC_EPI_OP(<name>, <KIND>) and, by kind,
 *   NONE              CATC_DEVICE float catc_epi_<name>(float x)
 *   SCALAR, COL,
 *   ROW, TILE         CATC_DEVICE float catc_epi_<name>(float x, float operand)
 *   PAIR              CATC_DEVICE float catc_epi_<name>(float x, float a, float b)
 *   COORD             CATC_DEVICE float catc_epi_<name>(float x, int64_t row, int64_t column)   of the caller's D
 *   REDUCE            CATC_DEVICE float catc_epi_<name>(uint32_t *state, float x)   folds x into *state, returns the
 *                     value that goes on; states start at 0 and are merged by unsigned maximum, whatever the order
 *   TAP               no function: the skeleton stores the value
 * An operation never sees a pointer to its operand: moving data is the skeleton's work (docs/architecture.md). codegen
 * reads the CATC_EPI_OP line; the enumerator lets the skeleton prove that both agree. */
#ifndef CATC_EPILOGUE_OP_H
#define CATC_EPILOGUE_OP_H

#include "catlass_c/arch/simt.h"
#include "catlass_c/types.h"

#define CATC_EPI_OP(name, kind) enum { CATC_EPI_KIND_OF_##name = CATC_EPI_##kind };

#endif /* CATC_EPILOGUE_OP_H */
