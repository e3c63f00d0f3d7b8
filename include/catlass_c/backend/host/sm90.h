/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/sm90.h: arch/sm90.h for the CPU emulator. Lower-case names are macros here too where a fault can be
 * found, because a report names the source line of the call.
 *
 * What the emulator makes of an asynchronous operation (backend/host/tma.h, wgmma.h): the destination is filled with
 * NaN when it is issued and gets its value as late as the program allows, so that a missing wait shows as NaN. */
#ifndef CATC_BACKEND_HOST_SM90_H
#define CATC_BACKEND_HOST_SM90_H

#include "catlass_c/base.h"

CATC_EXTERN_C_BEGIN

enum { CATC_HOST_FENCE_OF_MBAR_INIT = 1, CATC_HOST_FENCE_OF_PROXY_ASYNC, CATC_HOST_FENCE_OF_WGMMA };
CATC_API void catc_host_fence(int fence, const char *site);

CATC_API void catc_host_mbar_init(uint32_t bar, uint32_t count, const char *site);
CATC_API void catc_host_mbar_arrive(uint32_t bar, uint32_t tx_bytes, const char *site);
CATC_API void catc_host_mbar_wait(uint32_t bar, uint32_t parity, const char *site);

CATC_API void catc_host_tma_load(uint32_t dst, const struct catc_tensor_map *map, uint32_t bar, int rank, int32_t x,
                                 int32_t y, int32_t z, const char *site);
CATC_API void catc_host_tma_store(const struct catc_tensor_map *map, uint32_t src, int rank, int32_t x, int32_t y,
                                  int32_t z, const char *site);
CATC_API void catc_host_bulk_commit(const char *site);
CATC_API void catc_host_bulk_wait(int pending, int read_only, const char *site);

/* One m64nNk32B multiply of the calling thread's warpgroup (arch/wgmma.inst.h): acc holds this thread's n / 2 values;
 * type is an enum catc_type (A and B have the same); trans 0 is K-major. */
CATC_API void catc_host_wgmma(float *acc, int n, int type, uint64_t desc_a, uint64_t desc_b, int scale_d, int trans_a,
                              int trans_b, int line);
CATC_API void catc_host_wgmma_commit(const char *site);
CATC_API void catc_host_wgmma_wait(int pending, float *acc, int count, const char *site);

CATC_API void catc_host_setmaxnreg(int increase, int registers, const char *site);
CATC_API void catc_host_named_barrier(int id, int threads, const char *site);
CATC_API void catc_host_stmatrix_x4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, int trans,
                                    const char *site);

CATC_EXTERN_C_END

#define catc_mbar_init(bar, count) catc_host_mbar_init((bar), (count), CATC_HOST_SITE)
#define catc_fence_mbar_init() catc_host_fence(CATC_HOST_FENCE_OF_MBAR_INIT, CATC_HOST_SITE)
#define catc_mbar_expect_tx(bar, bytes) catc_host_mbar_arrive((bar), (bytes), CATC_HOST_SITE)
#define catc_mbar_arrive(bar) catc_host_mbar_arrive((bar), 0, CATC_HOST_SITE)
#define CATC_MBAR_WAIT(bar, parity) catc_host_mbar_wait((bar), (uint32_t)(parity), CATC_HOST_SITE)

CATC_DEVICE void catc_tma_prefetch(const struct catc_tensor_map *map)
{
    (void)map; /* speed only */
}
#define catc_tma_load_2d(dst, map, bar, x, y) catc_host_tma_load((dst), (map), (bar), 2, (x), (y), 0, CATC_HOST_SITE)
#define catc_tma_load_3d(dst, map, bar, x, y, z) \
    catc_host_tma_load((dst), (map), (bar), 3, (x), (y), (z), CATC_HOST_SITE)
#define catc_tma_store_2d(map, src, x, y) catc_host_tma_store((map), (src), 2, (x), (y), 0, CATC_HOST_SITE)
#define catc_tma_store_3d(map, src, x, y, z) catc_host_tma_store((map), (src), 3, (x), (y), (z), CATC_HOST_SITE)
#define catc_bulk_commit() catc_host_bulk_commit(CATC_HOST_SITE)
#define CATC_BULK_WAIT_READ(n) catc_host_bulk_wait((n), 1, CATC_HOST_SITE)
#define CATC_BULK_WAIT(n) catc_host_bulk_wait((n), 0, CATC_HOST_SITE)
#define catc_fence_proxy_async() catc_host_fence(CATC_HOST_FENCE_OF_PROXY_ASYNC, CATC_HOST_SITE)

#define catc_wgmma_fence() catc_host_fence(CATC_HOST_FENCE_OF_WGMMA, CATC_HOST_SITE)
#define catc_wgmma_commit() catc_host_wgmma_commit(CATC_HOST_SITE)
#define CATC_WGMMA_WAIT(n, acc, count) catc_host_wgmma_wait((n), (acc), (count), CATC_HOST_SITE)

#define CATC_SETMAXNREG_INC(n) catc_host_setmaxnreg(1, (n), CATC_HOST_SITE)
#define CATC_SETMAXNREG_DEC(n) catc_host_setmaxnreg(0, (n), CATC_HOST_SITE)
#define CATC_NAMED_BARRIER(id, threads) catc_host_named_barrier((id), (threads), CATC_HOST_SITE)
#define catc_warp_uniform(v) ((int)catc_host_shuffle((uint32_t)(v), 0, CATC_HOST_SITE))

#define CATC_STMATRIX_X4(addr, r0, r1, r2, r3) catc_host_stmatrix_x4((addr), (r0), (r1), (r2), (r3), 0, CATC_HOST_SITE)
#define CATC_STMATRIX_X4_TRANS(addr, r0, r1, r2, r3) \
    catc_host_stmatrix_x4((addr), (r0), (r1), (r2), (r3), 1, CATC_HOST_SITE)

#endif /* CATC_BACKEND_HOST_SM90_H */
