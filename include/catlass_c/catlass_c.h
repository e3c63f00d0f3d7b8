/* SPDX-License-Identifier: Apache-2.0
 *
 * catlass_c.h: the one include of a host program. Declarations only; plain C11, also clean as C++11 to C++20.
 *
 * Exactly one file of a program that does not link the compiled library defines CATC_IMPLEMENTATION before this
 * include: it then holds the bodies, and only it includes CUDA headers. Switches for that file:
 *   CATC_WITH_CUDA  1: the cuda backend (default: 1 when nvcc compiles the file, else 0)
 *   CATC_WITH_HOST  1: the host backend (default: 0 when nvcc compiles the file, else 1)
 *   CATC_NO_LIBRARY_REGISTRY  defined: there is no generated registry; instances are given by args.instance or
 *                   args.registry */
#ifndef CATC_CATLASS_C_H
#define CATC_CATLASS_C_H

#include "catlass_c/abi.h"
#include "catlass_c/base.h"
#include "catlass_c/device.h"
#include "catlass_c/ops/gemm.h"
#include "catlass_c/registry.h"
#include "catlass_c/status.h"
#include "catlass_c/types.h"

#ifdef CATC_IMPLEMENTATION
#include "catlass_c/detail/implementation.h"
#endif

#endif /* CATC_CATLASS_C_H */
