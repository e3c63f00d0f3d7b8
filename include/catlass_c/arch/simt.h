/* SPDX-License-Identifier: Apache-2.0
 *
 * arch/simt.h: what every GPU generation can do, as functions and macros that each backend provides
 * (backend/cuda/simt.h: CUDA C; backend/host/simt.h: the emulator). Upper-case names are macros because they take an
 * immediate or note the source line that a thread waits on.
 *
 * Kernel frame
 *   CATC_KERNEL(symbol, P, threads, min_blocks) { … }
 *       defines `void symbol(P)`, with the launch bounds on cuda. On cuda the parameters are one
 *       `const __grid_constant__ P`, on host a pointer to the launch's block; either way the body opens with
 *   const P *p = CATC_PARAMS;
 *   CATC_SHARED(S)           S *: the block's dynamic shared arena (1024-byte aligned), seen as one struct S
 *   catc_thread()            int: thread index in the block, 0 … threads-1
 *   catc_block()             int64_t: block index in the (one-dimensional) grid
 *   catc_blocks()            int64_t: blocks in the grid
 *
 * Synchronisation (PTX ISA 9.7.13)
 *   CATC_SYNC_BLOCK()        barrier 0 for all threads of the block; orders their shared and global accesses
 *   CATC_SYNC_WARP()         all 32 lanes of the warp
 *
 * Values across a warp: all 32 lanes take part
 *   CATC_SHFL_XOR_U32(v, mask)   v of lane (lane ^ mask)
 *   CATC_SHFL_U32(v, lane)       v of the given lane
 *
 * Memory
 *   catc_atomic_max_u32(p, v)    global memory, relaxed; the result is not returned
 *   struct catc_u128 { w[4] }    16 bytes, 16-byte aligned, may alias anything; assigning one through a pointer is one
 *                                128-bit access
 *
 *   catc_global(p), catc_global_out(p)   p, of which the compiler then knows that it is in global memory
 *
 * Registers
 *   catc_keep_u32(v), catc_keep_u64(v)   v, of which the compiler then knows nothing: it must keep the value in a register
 *                                        instead of computing it again from what it came from
 *
 * Arithmetic: the same bits on both backends unless it says otherwise
 *   catc_fma(a, b, c), catc_mul(a, b), catc_add(a, b)      one rounding each; never contracted with a neighbour
 *   catc_f32_from_bf16(bits), catc_f32_from_f16(bits)      exact
 *   catc_bf16_from_f32(x), catc_f16_from_f32(x)            nearest even; NaN becomes 0x7fff; overflow becomes Inf
 *   catc_f32_bits(x), catc_f32_from_bits(u)                reinterpretation
 *   catc_expf(x), catc_erfcf(x), catc_tanhf(x)  accurate single precision (a few ulp; not bit-equal across backends)
 */
#ifndef CATC_ARCH_SIMT_H
#define CATC_ARCH_SIMT_H

#include <math.h>

#include "catlass_c/base.h"

#if defined(__CUDACC__)
#include "catlass_c/backend/cuda/simt.h"
#else
#include "catlass_c/backend/host/simt.h"
#endif

/* The C library's functions, on a GPU CUDA's own. */
CATC_DEVICE float catc_expf(float x)
{
    return expf(x);
}
CATC_DEVICE float catc_erfcf(float x)
{
    return erfcf(x);
}
CATC_DEVICE float catc_tanhf(float x)
{
    return tanhf(x);
}
#endif /* CATC_ARCH_SIMT_H */
