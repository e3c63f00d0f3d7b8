/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/implementation.h: the bodies of the library, in one file of a program (CATC_IMPLEMENTATION). C11 or C++. */
#ifndef CATC_DETAIL_IMPLEMENTATION_H
#define CATC_DETAIL_IMPLEMENTATION_H

#ifdef __CUDACC__
#ifndef CATC_WITH_CUDA
#define CATC_WITH_CUDA 1
#endif
#ifndef CATC_WITH_HOST
#define CATC_WITH_HOST 0
#endif
#else
#ifndef CATC_WITH_CUDA
#define CATC_WITH_CUDA 0
#endif
#ifndef CATC_WITH_HOST
#define CATC_WITH_HOST 1
#endif
#endif

#include "catlass_c/detail/registry_impl.h"

#include "catlass_c/detail/device_impl.h"

#include "catlass_c/ops/gemm_problem.h"

#include "catlass_c/ops/gemm_check.h"

#include "catlass_c/ops/gemm_model.h"

#include "catlass_c/ops/gemm_tuned.h"

#include "catlass_c/ops/gemm_select.h"

#include "catlass_c/ops/gemm_plan.h"

#include "catlass_c/ops/gemm_explain.h"

#include "catlass_c/detail/abi_impl.h"

/* The emulator's bodies: here in a single-file program, in a unit of its own (built at -O3) in the compiled library. */
#if CATC_WITH_HOST && !defined(CATC_HOST_RUNTIME_ELSEWHERE)
#define CATC_HOST_IMPLEMENTATION
#include "catlass_c/backend/host/runtime.h"
#endif

#ifdef CATC_NO_LIBRARY_REGISTRY
const struct catc_registry *catc_library_registry(void)
{
    return NULL;
}
#endif

#endif /* CATC_DETAIL_IMPLEMENTATION_H */
