/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiled library is the header-only library in one unit; instances and the registry are generated beside it,
 * and the emulator has its own file (host_runtime.c). */
#define CATC_HOST_RUNTIME_ELSEWHERE /* host_runtime.c */
#define CATC_IMPLEMENTATION
#include "catlass_c/catlass_c.h"
