/* SPDX-License-Identifier: Apache-2.0
 *
 * skeleton/symbols.inst.h: names of the kernel and the descriptor of the instance being compiled, with the backend as
 * suffix, so that one program holds both. CATC_PREFIX (default catc_) keeps two libraries in one process apart. */
#ifndef CATC_PREFIX
#define CATC_PREFIX catc_
#endif
#if defined(__CUDACC__)
#define CATC_SYMBOL_SUFFIX _cuda
#define CATC_SYMBOL_BACKEND CATC_CUDA
#else
#define CATC_SYMBOL_SUFFIX _host
#define CATC_SYMBOL_BACKEND CATC_HOST
#endif
#define CATC_SYMBOL CATC_PASTE(CATC_PASTE(CATC_PREFIX, CATC_P_NAME), CATC_SYMBOL_SUFFIX)
#define CATC_SYMBOL_INSTANCE CATC_PASTE(CATC_SYMBOL, _instance)

/* Compiled targets of this object (registry.h); the build sets them. */
#ifndef CATC_TARGETS
#define CATC_TARGETS 800
#endif
