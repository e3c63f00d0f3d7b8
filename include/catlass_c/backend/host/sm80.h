/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/sm80.h: arch/sm80.h for the CPU emulator (backend/host/async.h, mma.h).
 *
 * What the emulator makes of a copy: its target is filled with NaN when it is issued and gets its value in the wait
 * that covers it, so that a missing wait shows as NaN (CATC_HOST_LANDING=early or random: sooner). */
#ifndef CATC_BACKEND_HOST_SM80_H
#define CATC_BACKEND_HOST_SM80_H

#include "catlass_c/types.h"

CATC_EXTERN_C_BEGIN

/* The arena's shared address, as on the GPU: 0 is never a valid address, and swizzles see the same address bits. */
enum { CATC_HOST_SMEM_BASE = 1024 };

CATC_API void catc_host_cp_async(uint32_t dst, const void *src, int size, int bytes, const char *site);
CATC_API void catc_host_cp_async_commit(const char *site);
CATC_API void catc_host_cp_async_wait(int pending, const char *site);

CATC_API void catc_host_ldmatrix_x4(uint32_t *r, uint32_t address, int transposed, const char *site);

/* type is an enum catc_type: CATC_BF16 or CATC_F16. */
CATC_API void catc_host_mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, int type, const char *site);

CATC_EXTERN_C_END

CATC_DEVICE uint32_t catc_smem_u32(const void *p)
{
    return (uint32_t)((const unsigned char *)p - (const unsigned char *)catc_host_self->block->shared) +
           CATC_HOST_SMEM_BASE;
}

#define CATC_CP_ASYNC_16(dst, src, valid) catc_host_cp_async((dst), (src), 16, (valid) ? 16 : 0, CATC_HOST_SITE)
#define CATC_CP_ASYNC_PART(size, dst, src, n) catc_host_cp_async((dst), (src), (size), (int)(n), CATC_HOST_SITE)
#define CATC_CP_ASYNC_COMMIT() catc_host_cp_async_commit(CATC_HOST_SITE)
#define CATC_CP_ASYNC_WAIT(n) catc_host_cp_async_wait((n), CATC_HOST_SITE)

#define CATC_LDMATRIX_X4(r, addr) catc_host_ldmatrix_x4((r), (addr), 0, CATC_HOST_SITE)
#define CATC_LDMATRIX_X4_TRANS(r, addr) catc_host_ldmatrix_x4((r), (addr), 1, CATC_HOST_SITE)

#define CATC_MMA_M16N8K16_bf16(d, a, b) catc_host_mma_m16n8k16((d), (a), (b), CATC_BF16, CATC_HOST_SITE)
#define CATC_MMA_M16N8K16_f16(d, a, b) catc_host_mma_m16n8k16((d), (a), (b), CATC_F16, CATC_HOST_SITE)

#endif /* CATC_BACKEND_HOST_SM80_H */
