/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/cuda/simt.h: arch/simt.h in CUDA C, from compute capability 8.0 on. Read only by nvcc, through arch/simt.h.
 *
 * Instructions that the compiler would not choose by itself, or whose rounding must be certain, are inline PTX; the
 * rest are the language's own operations. Nothing here is a template. */
#ifndef CATC_BACKEND_CUDA_SIMT_H
#define CATC_BACKEND_CUDA_SIMT_H

/* Kernel frame. The parameters stay in the constant bank (`__grid_constant__`): taking their address makes no copy. */
#define CATC_KERNEL(symbol, P, threads, min_blocks) \
    extern "C" __global__ void __launch_bounds__(threads, min_blocks) symbol(const __grid_constant__ P p_)
#define CATC_PARAMS (&p_)

/* One dynamic arena for all kernels of a translation unit; 1024 bytes is what 128-byte swizzled tiles need. */
extern __shared__ __align__(1024) unsigned char catc_cuda_arena[];
#define CATC_SHARED(S) ((S *)(void *)catc_cuda_arena)

CATC_DEVICE int catc_thread(void)
{
    return (int)threadIdx.x;
}

CATC_DEVICE int64_t catc_block(void)
{
    return (int64_t)blockIdx.x;
}

CATC_DEVICE int64_t catc_blocks(void)
{
    return (int64_t)gridDim.x;
}

/* Synchronisation. */
#define CATC_SYNC_BLOCK() __syncthreads()
#define CATC_SYNC_WARP() __syncwarp()

#define CATC_SHFL_XOR_U32(v, mask) __shfl_xor_sync(0xffffffffu, (uint32_t)(v), (mask))
#define CATC_SHFL_U32(v, lane) __shfl_sync(0xffffffffu, (uint32_t)(v), (lane))

/* PTX ISA 9.7.13.6 red: a reduction without a result, so no round trip to L2. */
CATC_DEVICE void catc_atomic_max_u32(uint32_t *p, uint32_t v)
{
    asm volatile("{\n\t.reg .u64 g;\n\tcvta.to.global.u64 g, %0;\n\tred.relaxed.gpu.global.max.u32 [g], %1;\n\t}"
                 :
                 : "l"(p), "r"(v)
                 : "memory");
}

/* 16 bytes that may alias anything; the alignment makes one 128-bit access of every assignment. */
struct CATC_ALIGNAS(16) __attribute__((may_alias)) catc_u128 {
    uint32_t w[4];
};

CATC_DEVICE const void *catc_global(const void *p)
{
    __builtin_assume(__isGlobal(p));
    return p;
}

CATC_DEVICE void *catc_global_out(void *p)
{
    __builtin_assume(__isGlobal(p));
    return p;
}

/* Registers. */
CATC_DEVICE uint32_t catc_keep_u32(uint32_t v)
{
    asm volatile("" : "+r"(v));
    return v;
}

CATC_DEVICE uint64_t catc_keep_u64(uint64_t v)
{
    asm volatile("" : "+l"(v));
    return v;
}

/* Arithmetic. */
CATC_DEVICE float catc_fma(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}

/* The intrinsics are never contracted into a fused multiply-add, as the operators would be. */
CATC_DEVICE float catc_mul(float a, float b)
{
    return __fmul_rn(a, b);
}

CATC_DEVICE float catc_add(float a, float b)
{
    return __fadd_rn(a, b);
}

CATC_DEVICE uint32_t catc_f32_bits(float x)
{
    return __float_as_uint(x);
}

CATC_DEVICE float catc_f32_from_bits(uint32_t u)
{
    return __uint_as_float(u);
}

CATC_DEVICE float catc_f32_from_bf16(uint16_t bits)
{
    return __uint_as_float((uint32_t)bits << 16);
}

CATC_DEVICE float catc_f32_from_f16(uint16_t bits)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

/* PTX ISA 9.7.9.22 cvt.rn: nearest even; NaN gives 0x7fff for both types; too large gives infinity. Two of them whose
 * results are packed into one word become a single instruction. */
CATC_DEVICE uint16_t catc_bf16_from_f32(float x)
{
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

CATC_DEVICE uint16_t catc_f16_from_f32(float x)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

#endif /* CATC_BACKEND_CUDA_SIMT_H */
