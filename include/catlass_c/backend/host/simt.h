/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/simt.h: arch/simt.h for the CPU emulator. Instances see prototypes and inline functions only; the
 * bodies live in one translation unit (backend/host/runtime.h).
 *
 * A kernel is an ordinary function that the emulator calls once per thread, each call on a fibre of its own. A fibre
 * runs until it blocks in one of the functions below, so plain loads and stores are plain C. Everything that can
 * block or report a fault is handed its source line as one string, `file:line`.
 *
 * Threads that have exited: barrier 0 (CATC_SYNC_BLOCK) and CATC_SYNC_WARP no longer wait for them, as in CUDA
 * ("all non-exited threads"); named barriers with a thread count, shuffles, stmatrix and wgmma need every thread. */
#ifndef CATC_BACKEND_HOST_SIMT_H
#define CATC_BACKEND_HOST_SIMT_H

#include <math.h>
#include <string.h>

#include "catlass_c/base.h"

CATC_EXTERN_C_BEGIN

/* What a running thread knows about its place; one per fibre, one block shared by all of them. */
struct catc_host_block {
    int64_t index, count;
    void *shared;
};
struct catc_host_lane {
    int thread;
    const struct catc_host_block *block;
};

/* __thread and not thread_local: C++ would put a wrapper with an initialisation check around every access. */
#if defined(__GNUC__)
extern __attribute__((visibility("default"))) __thread const struct catc_host_lane *catc_host_self;
#else
extern CATC_THREAD_LOCAL const struct catc_host_lane *catc_host_self;
#endif

CATC_API void catc_host_sync_block(const char *site);
CATC_API void catc_host_sync_warp(const char *site);
CATC_API uint32_t catc_host_shuffle(uint32_t value, int source_lane, const char *site);

CATC_EXTERN_C_END

#define CATC_HOST_SITE (__FILE__ ":" CATC_STRING(__LINE__))

/* The body takes the parameters typed; the symbol that launches call has one type for all kernels, void(const void *),
 * so that it is called through the type that it has. */
#define CATC_KERNEL(symbol, P, threads, min_blocks) \
    CATC_STATIC_ASSERT((threads) >= 1 && (threads) <= 1024 && (min_blocks) >= 1, "launch bounds of " #symbol); \
    CATC_DEVICE void CATC_PASTE(symbol, _body)(const P *p_); \
    CATC_EXTERN_C void symbol(const void *p_); \
    void symbol(const void *p_) \
    { \
        CATC_PASTE(symbol, _body)((const P *)p_); \
    } \
    CATC_DEVICE void CATC_PASTE(symbol, _body)(const P *p_)
#define CATC_PARAMS (p_)
#define CATC_SHARED(S) ((S *)catc_host_self->block->shared)

CATC_DEVICE int catc_thread(void)
{
    return catc_host_self->thread;
}
CATC_DEVICE int64_t catc_block(void)
{
    return catc_host_self->block->index;
}
CATC_DEVICE int64_t catc_blocks(void)
{
    return catc_host_self->block->count;
}

#define CATC_SYNC_BLOCK() catc_host_sync_block(CATC_HOST_SITE)
#define CATC_SYNC_WARP() catc_host_sync_warp(CATC_HOST_SITE)
#define CATC_SHFL_XOR_U32(v, mask) catc_host_shuffle((v), (catc_thread() & 31) ^ (mask), CATC_HOST_SITE)
#define CATC_SHFL_U32(v, lane) catc_host_shuffle((v), (lane), CATC_HOST_SITE)

#if defined(__GNUC__)
struct __attribute__((may_alias)) CATC_ALIGNAS(16) catc_u128 {
    uint32_t w[4];
};
#else
struct CATC_ALIGNAS(16) catc_u128 {
    uint32_t w[4];
};
#endif

CATC_DEVICE const void *catc_global(const void *p)
{
    return p;
}
CATC_DEVICE void *catc_global_out(void *p)
{
    return p;
}
CATC_DEVICE uint32_t catc_keep_u32(uint32_t v)
{
    return v;
}
CATC_DEVICE uint64_t catc_keep_u64(uint64_t v)
{
    return v;
}

/* Launches of several OS threads may share the word. */
CATC_DEVICE void catc_atomic_max_u32(uint32_t *p, uint32_t v)
{
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(p, &old, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* A compiler that may not assume the instruction calls fmaf, and the C library then asks for it as is done here: with
 * calls an emulated SIMT GEMM of 256^3 takes 65 ms, so 36. Inlined at any level of optimisation for the same reason. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
CATC_DEVICE __attribute__((always_inline)) float catc_fma(float a, float b, float c)
{
    if (__builtin_expect(__builtin_cpu_supports("fma") != 0, 1)) {
        __asm__("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "xm"(c));
        return a;
    }
    return fmaf(a, b, c);
}
#else
CATC_DEVICE float catc_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
#endif
CATC_DEVICE float catc_mul(float a, float b) /* host objects are built with -ffp-contract=off */
{
    return a * b;
}
CATC_DEVICE float catc_add(float a, float b)
{
    return a + b;
}
CATC_DEVICE uint32_t catc_f32_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
CATC_DEVICE float catc_f32_from_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

CATC_DEVICE float catc_f32_from_bf16(uint16_t bits)
{
    return catc_f32_from_bits((uint32_t)bits << 16);
}
/* Multiplying by 2^112 moves the exponent from bias 15 to 127 and normalises subnormals, exactly. */
CATC_DEVICE float catc_f32_from_f16(uint16_t bits)
{
    uint32_t magnitude = (uint32_t)(bits & 0x7fffu) << 13;
    uint32_t finite = catc_f32_bits(catc_f32_from_bits(magnitude) * 0x1p112f);
    uint32_t special = magnitude | 0x7f800000u;
    return catc_f32_from_bits(((uint32_t)(bits & 0x8000u) << 16) | ((bits & 0x7c00u) == 0x7c00u ? special : finite));
}
/* Adding half of the last kept bit, less one where that bit is even, rounds to nearest even; the carry runs into the
 * exponent, and past the largest exponent into Inf, by itself. */
CATC_DEVICE uint16_t catc_bf16_from_f32(float x)
{
    uint32_t u = catc_f32_bits(x);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
CATC_DEVICE uint16_t catc_f16_from_f32(float x)
{
    uint32_t u = catc_f32_bits(x), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 0x7fff;
    if (magnitude >= 0x477ff000u) /* 65520 and up round to 2^16 */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude >= 0x38800000u) /* normal in fp16: as for bf16, with the exponent moved from bias 127 to 15 */
        return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
    /* Subnormal: 0.5 has its last bit at 2^-24, the spacing of fp16 subnormals, so the addition itself rounds. */
    return (uint16_t)(sign | (catc_f32_bits(catc_f32_from_bits(magnitude) + 0.5f) - 0x3f000000u));
}

#endif /* CATC_BACKEND_HOST_SIMT_H */
