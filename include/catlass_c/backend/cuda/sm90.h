/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/cuda/sm90.h: arch/sm90.h as inline PTX, for sm_90a. Read only by nvcc, through arch/sm90.h.
 *
 * One function or macro is one instruction. The comment of each gives the section of the PTX ISA, the rule that orders
 * it against others, and its cost where it was measured (H200, cycles of the SM clock). Every instruction that touches
 * memory or synchronises is `volatile` and clobbers memory, so that the compiler keeps their order. */
#ifndef CATC_BACKEND_CUDA_SM90_H
#define CATC_BACKEND_CUDA_SM90_H

/* ---- mbarrier ----------------------------------------------------------------------------------------------------- */

/* 9.7.13.15.9 mbarrier.init: a generic-proxy write by one thread; catc_fence_mbar_init() and a block barrier must follow
 * before any other use. `count` is the number of arrivals that completes a phase. */
CATC_DEVICE void catc_mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

/* 9.7.13.4 fence.mbarrier_init: by the thread that initialised, once after all of them. */
CATC_DEVICE void catc_fence_mbar_init(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/* 9.7.13.15.13 mbarrier.arrive.expect_tx: one arrival; the phase also waits for `bytes` of copies. Before or after the
 * copies land is both legal within the phase; before they are issued is the readable order. */
CATC_DEVICE void catc_mbar_expect_tx(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

/* 9.7.13.15.13 mbarrier.arrive: release at block scope. */
CATC_DEVICE void catc_mbar_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(bar) : "memory");
}

/* 9.7.13.15.16 mbarrier.try_wait.parity: acquire at block scope. The hardware suspends the thread for a while; the loop
 * covers its time limit. 41 cycles when the phase is complete. Labels in braces are local to the asm block. */
CATC_DEVICE void catc_cuda_mbar_wait(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t"
                 "}"
                 :
                 : "r"(bar), "r"(parity)
                 : "memory");
}
#define CATC_MBAR_WAIT(bar, parity) catc_cuda_mbar_wait((bar), (uint32_t)(parity))

/* ---- TMA ---------------------------------------------------------------------------------------------------------- */

/* 9.7.9.27 prefetch.tensormap: brings the map into the descriptor cache; only speed. */
CATC_DEVICE void catc_tma_prefetch(const struct catc_tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

/* 9.7.9.25.5.2 cp.async.bulk.tensor, global to shared, by one thread. Writes through the async proxy; whoever passes
 * CATC_MBAR_WAIT on `bar` sees the box, by generic loads and by wgmma alike, with no fence. The slot must not be in use:
 * its readers have arrived on an mbarrier that this thread waited for. A 16 KiB box takes 682 cycles from L2 and 1532
 * from DRAM. `.shared::cluster` with an address of this block means this block. */
CATC_DEVICE void catc_tma_load_2d(uint32_t dst, const struct catc_tensor_map *map, uint32_t bar, int32_t x, int32_t y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"(dst), "l"(map), "r"(bar), "r"(x), "r"(y)
                 : "memory");
}

CATC_DEVICE void catc_tma_load_3d(uint32_t dst, const struct catc_tensor_map *map, uint32_t bar, int32_t x, int32_t y,
                                  int32_t z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];"
                 :
                 : "r"(dst), "l"(map), "r"(bar), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

/* 9.7.9.25.5.2 cp.async.bulk.tensor, shared to global, by one thread. Reads shared memory through the async proxy: every
 * thread that wrote the box executes catc_fence_proxy_async(), then a barrier, then this. */
CATC_DEVICE void catc_tma_store_2d(const struct catc_tensor_map *map, uint32_t src, int32_t x, int32_t y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                 :
                 : "l"(map), "r"(src), "r"(x), "r"(y)
                 : "memory");
}

CATC_DEVICE void catc_tma_store_3d(const struct catc_tensor_map *map, uint32_t src, int32_t x, int32_t y, int32_t z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];"
                 :
                 : "l"(map), "r"(src), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

/* 9.7.9.25.5.4 and .5: groups belong to the thread that issued the stores; only that thread can wait for them. */
CATC_DEVICE void catc_bulk_commit(void)
{
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}
#define CATC_BULK_WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(n) : "memory")
#define CATC_BULK_WAIT(n) asm volatile("cp.async.bulk.wait_group %0;" : : "n"(n) : "memory")

/* 9.7.13.4 fence.proxy.async: between this thread's generic writes of shared memory and async reads that are issued,
 * here or elsewhere, after a barrier that follows. A few tens of cycles: once per sub-tile, not per store. */
CATC_DEVICE void catc_fence_proxy_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* ---- warpgroup matrix multiply ------------------------------------------------------------------------------------ */

/* 9.7.15.7.1 wgmma.fence: before the first wgmma and after any other instruction wrote an accumulator. */
CATC_DEVICE void catc_wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

CATC_DEVICE void catc_wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* 9.7.15.7.3 wgmma.wait_group. The empty statements make the compiler believe that the wait writes the accumulators it
 * releases: no read of one can move above it. With groups still pending on the same accumulators, count is 0. */
#define CATC_WGMMA_WAIT(n, acc, count) \
    do { \
        asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(n) : "memory"); \
        catc_cuda_hold(acc, count); \
    } while (0)
CATC_DEVICE void catc_cuda_hold(float *acc, int count)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        asm volatile("" : "+f"(acc[i]) : : "memory");
}

/* ---- warp specialisation ------------------------------------------------------------------------------------------ */

/* 9.7.20.5 setmaxnreg: by all warps of a warpgroup. `inc` blocks until the pool of the block has the registers, so some
 * other warpgroup must `dec`; registers gained hold nothing. Ignored (ptxas C7508) without launch bounds. */
#define CATC_SETMAXNREG_INC(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(n))
#define CATC_SETMAXNREG_DEC(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(n))

/* 9.7.13.1 bar.sync: orders shared and global accesses of the participating threads. */
#define CATC_NAMED_BARRIER(id, threads) asm volatile("bar.sync %0, %1;" : : "r"(id), "n"(threads) : "memory")

/* A shuffle from lane 0: the result is provably the same in the warp, so addresses made from it use uniform registers. */
CATC_DEVICE int catc_warp_uniform(int v)
{
    return __shfl_sync(0xffffffffu, v, 0);
}

/* ---- stmatrix ----------------------------------------------------------------------------------------------------- */

/* 9.7.14.5.16 stmatrix: generic-proxy writes, one wavefront per matrix if its 8 rows fall in different banks. */
#define CATC_STMATRIX_X4(addr, r0, r1, r2, r3) CATC_CUDA_STMATRIX("x4", addr, r0, r1, r2, r3)
#define CATC_STMATRIX_X4_TRANS(addr, r0, r1, r2, r3) CATC_CUDA_STMATRIX("x4.trans", addr, r0, r1, r2, r3)
#define CATC_CUDA_STMATRIX(form, addr, r0, r1, r2, r3) \
    asm volatile("stmatrix.sync.aligned.m8n8." form ".shared::cta.b16 [%0], {%1, %2, %3, %4};" \
                 : \
                 : "r"(addr), "r"(r0), "r"(r1), "r"(r2), "r"(r3) \
                 : "memory")

#endif /* CATC_BACKEND_CUDA_SM90_H */
