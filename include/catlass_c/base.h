/* SPDX-License-Identifier: Apache-2.0
 *
 * base.h: the few macros that let one text be C11 (gcc, clang), C++ (a host program) and CUDA C (nvcc).
 *
 * Which compiler reads a skeleton decides its backend: nvcc makes the `cuda` object, any other compiler the
 * `host` object (CPU emulator). Nothing here depends on a CUDA header. */
#ifndef CATC_BASE_H
#define CATC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CATC_VERSION_MAJOR 0
#define CATC_VERSION_MINOR 1
#define CATC_VERSION_PATCH 0
#define CATC_VERSION_STRING "0.1.0"

/* Paste and stringify after expansion of the arguments. */
#define CATC_PASTE_(a, b) a##b
#define CATC_PASTE(a, b) CATC_PASTE_(a, b)
#define CATC_STRING_(...) #__VA_ARGS__
#define CATC_STRING(...) CATC_STRING_(__VA_ARGS__)

#ifdef __cplusplus
#define CATC_EXTERN_C extern "C"
#define CATC_EXTERN_C_BEGIN extern "C" {
#define CATC_EXTERN_C_END }
#define CATC_STATIC_ASSERT(condition, sentence) static_assert(condition, sentence)
#define CATC_THREAD_LOCAL thread_local
#else
#define CATC_EXTERN_C extern
#define CATC_EXTERN_C_BEGIN
#define CATC_EXTERN_C_END
#define CATC_STATIC_ASSERT(condition, sentence) _Static_assert(condition, sentence)
#define CATC_THREAD_LOCAL _Thread_local
#endif

#if defined(__GNUC__)
#define CATC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define CATC_UNUSED __attribute__((unused))
#define CATC_DEPRECATED(sentence) __attribute__((deprecated(sentence)))
#else
#define CATC_PRINTF(text, first)
#define CATC_UNUSED
#define CATC_DEPRECATED(sentence)
#endif

/* Functions of the library: plain external linkage; a shared build exports exactly these. */
#if defined(__GNUC__)
#define CATC_API CATC_EXTERN_C __attribute__((visibility("default")))
#define CATC_HIDDEN __attribute__((visibility("hidden")))
#else
#define CATC_API CATC_EXTERN_C
#define CATC_HIDDEN
#endif

/* Inline device code: one text for both backends. */
#if defined(__CUDACC__)
#define CATC_DEVICE static __device__ __forceinline__
#define CATC_HOST_DEVICE static __host__ __device__ __forceinline__
#define CATC_RESTRICT __restrict__
#define CATC_UNROLL(n) _Pragma(CATC_STRING(unroll n))
#else
#define CATC_DEVICE static inline CATC_UNUSED
#define CATC_HOST_DEVICE static inline CATC_UNUSED
#define CATC_RESTRICT
#define CATC_UNROLL(n)
#endif

/* Alignment of a type, in bytes: struct CATC_ALIGNAS(64) name { … }. */
#define CATC_ALIGNAS(n) __attribute__((aligned(n)))

/* A name private to the instance that is being compiled. */
#define CATC_LOCAL(suffix) CATC_PASTE(CATC_PASTE(CATC_P_NAME, _), suffix)

/* Quotient that is 0 instead of an error for a divisor of 0 or less: for rules over parameters not yet checked. */
#define CATC_QUOTIENT(a, b) ((a) / ((b) > 0 ? (b) : 0x7fffffff))
#define CATC_MULTIPLE(a, b) ((a) > 0 && (b) > 0 && (a) % ((b) > 0 ? (b) : 1) == 0)

#endif /* CATC_BASE_H */
