/* SPDX-License-Identifier: Apache-2.0
 *
 * arch/sm80.h: Ampere's copies and tensor cores, one function or macro each (backend/cuda/sm80.h: PTX;
 * backend/host/sm80.h: the emulator). Shared addresses are 32-bit (`uint32_t`), made by catc_smem_u32(pointer to a field
 * of the shared struct); only this layer turns them back into memory.
 *
 * cp.async (PTX ISA 9.7.9.25.3): global to shared memory past the registers. The source may be read, and the target
 * written, at any time up to the wait that covers it; until then neither may be touched. What lands is visible to the
 * thread that waited; a block barrier makes it visible to the others.
 *   CATC_CP_ASYNC_16(dst, src, valid)         16 bytes (both 16-byte aligned), past L1; zeros, and src is not read, if
 *                                             `valid` is false
 *   CATC_CP_ASYNC_PART(size, dst, src, n)     size: immediate 4, 8 or 16, also the alignment of both; the first n bytes
 *                                             (0 … size) are copied, the rest of `size` become zero
 *   CATC_CP_ASYNC_COMMIT()                    closes this thread's group of copies; it may be empty
 *   CATC_CP_ASYNC_WAIT(n)                     until at most n (immediate) of this thread's groups have not landed
 *
 * ldmatrix (9.7.14.5.15): four 8 x 8 matrices of 16-bit elements. Lane l gives the 16-byte aligned address of row l % 8 of
 * matrix l / 8 (16 bytes) and receives in r[i] two elements of matrix i; all 32 lanes
 *   CATC_LDMATRIX_X4(r, addr)                 elements 2 * (l % 4), +1 of row l / 4
 *   CATC_LDMATRIX_X4_TRANS(r, addr)           of the transposed matrices: elements of rows 2 * (l % 4), +1, column l / 4
 *
 * mma.sync (9.7.14.5.8, m16n8k16): d[16 x 8] += a[16 x 16] b[16 x 8] in fp32, all 32 lanes. g = lane / 4, q = lane % 4;
 * a word holds two neighbours, the lower index in its lower half:
 *   a[0]: row g, k 2q   a[1]: row g + 8, k 2q   a[2]: row g, k 2q + 8   a[3]: row g + 8, k 2q + 8
 *   b[0]: k 2q, column g   b[1]: k 2q + 8, column g          d[0], d[1]: row g, columns 2q, 2q + 1   d[2], d[3]: row g + 8
 *   CATC_MMA_M16N8K16_bf16(d, a, b), CATC_MMA_M16N8K16_f16(d, a, b)     float d[4], const uint32_t a[4], b[2]
 */
#ifndef CATC_ARCH_SM80_H
#define CATC_ARCH_SM80_H

#include "catlass_c/arch/simt.h"

#if defined(__CUDACC__)
#include "catlass_c/backend/cuda/sm80.h"
#else
#include "catlass_c/backend/host/sm80.h"
#endif

#endif /* CATC_ARCH_SM80_H */
