/* SPDX-License-Identifier: Apache-2.0
 *
 * arch/sm90.h: Hopper's asynchronous instructions, one function or macro each (backend/cuda/sm90.h: PTX;
 * backend/host/sm90.h: the emulator). It includes arch/sm80.h, whose instructions Hopper has too and whose
 * catc_smem_u32(pointer to a field of the shared struct) makes the 32-bit shared addresses that all of them take.
 *
 * mbarrier (PTX ISA 9.7.13.15): 8 bytes of shared memory each, `uint64_t` fields
 *   catc_mbar_init(bar, count)         by one thread; then catc_fence_mbar_init() and a block barrier
 *   catc_fence_mbar_init()             makes initialised barriers visible to the async proxy
 *   catc_mbar_expect_tx(bar, bytes)    arrive once and expect `bytes` more from copies in this phase
 *   catc_mbar_arrive(bar)              arrive once (release, block scope)
 *   CATC_MBAR_WAIT(bar, parity)        returns once the phase of that parity has completed (acquire). A fresh barrier
 *                                      is in phase 0: waiting for parity 1 passes at once
 *
 * TMA (9.7.9.25): inner coordinate x must start on a multiple of 16 bytes; out of bounds reads give 0 and still count
 *   catc_tma_prefetch(map)
 *   catc_tma_load_2d(dst, map, bar, x, y)     box of map at (x inner, y outer) -> dst; credits the box's bytes to bar
 *   catc_tma_load_3d(dst, map, bar, x, y, z)
 *   catc_tma_store_2d(map, src, x, y)         clipped at the tensor's edge, but in whole 16-byte units: up
 *                                             to 14 bytes behind a row that does not end on one are overwritten
 *   catc_tma_store_3d(map, src, x, y, z)
 *   catc_bulk_commit()                        closes this thread's group of stores
 *   CATC_BULK_WAIT_READ(n)                    until at most n of this thread's groups still read shared memory
 *   CATC_BULK_WAIT(n)                         until at most n are not complete (visible in global memory)
 *   catc_fence_proxy_async()                  orders this thread's shared-memory writes before later async reads of
 *                                             them; by every writer, before the barrier
 *
 * Warpgroup matrix multiply (9.7.15): aligned over 128 threads; A and B through 64-bit shared descriptors
 *   catc_wgmma_fence()                 before the first wgmma and after other writes to the accumulators
 *   catc_wgmma_commit()
 *   CATC_WGMMA_WAIT(n, acc, count)     until at most n committed groups are pending; names the accumulators it releases
 *   arch/wgmma.inst.h                  defines one wgmma function per include
 *   catc_wgmma_desc(addr, lbo, sbo, swizzle)   builds a descriptor (byte units; swizzle: CATC_SWIZZLE_*)
 *
 * Warp specialisation
 *   CATC_SETMAXNREG_INC(n), CATC_SETMAXNREG_DEC(n)   n a multiple of 8 in 24 … 256, by all warps of a warpgroup
 *   CATC_NAMED_BARRIER(id, threads)                  id 1 … 15; threads a multiple of 32
 *   catc_warp_uniform(v)                             v of lane 0, so that the compiler knows it is uniform
 *
 * stmatrix (9.7.14.5.16): four 8 x 8 matrices of 16-bit elements; lane l gives the 16-byte row address of row l % 8 of
 * matrix l / 8 and holds elements 2 * (l % 4), +1 of row l / 4 of each matrix
 *   CATC_STMATRIX_X4(addr, r0, r1, r2, r3)
 *   CATC_STMATRIX_X4_TRANS(addr, r0, r1, r2, r3)   stores each matrix transposed: lane l holds elements of its column l / 4
 */
#ifndef CATC_ARCH_SM90_H
#define CATC_ARCH_SM90_H

#include "catlass_c/arch/sm80.h"
#include "catlass_c/ops/gemm_params.h"

/* Swizzle modes in the encoding of the wgmma descriptor, bits 62-63 (the tensor map's enum has another order). */
enum { CATC_SWIZZLE_NONE = 0, CATC_SWIZZLE_128B = 1, CATC_SWIZZLE_64B = 2, CATC_SWIZZLE_32B = 3 };

#if defined(__CUDACC__)
#include "catlass_c/backend/cuda/sm90.h"
#else
#include "catlass_c/backend/host/sm90.h"
#endif

/* 9.7.15.5.1.2.2: start address, leading byte offset and stride byte offset in units of 16 bytes, base offset 0 (tiles
 * start on a multiple of 8 rows of the swizzle), swizzle mode in bits 62 and 63. The same in all four warps. */
CATC_DEVICE uint64_t catc_wgmma_desc(uint32_t addr, uint32_t lbo, uint32_t sbo, uint32_t swizzle)
{
    uint32_t low = ((addr & 0x3ffffu) >> 4) | ((lbo >> 4) << 16);
    uint32_t high = (sbo >> 4) | (swizzle << 30);
    return ((uint64_t)high << 32) | low;
}

#endif /* CATC_ARCH_SM90_H */
