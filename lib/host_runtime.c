/* SPDX-License-Identifier: Apache-2.0
 *
 * host_runtime.c: the bodies of the host backend (CPU emulator), a unit of their own because they are built at -O3 and
 * never with the instrumentation that instances may be built with. */
#define CATC_HOST_IMPLEMENTATION
#include "catlass_c/backend/host/runtime.h"
