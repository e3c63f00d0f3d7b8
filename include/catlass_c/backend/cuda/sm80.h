/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/cuda/sm80.h: arch/sm80.h as inline PTX, for sm_80 and newer. Read only by nvcc, through arch/sm80.h. */
#ifndef CATC_BACKEND_CUDA_SM80_H
#define CATC_BACKEND_CUDA_SM80_H

/* 9.7.9.20 cvta: the 32-bit address within the shared window, which every instruction here and in sm90.h takes. */
CATC_DEVICE uint32_t catc_smem_u32(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* 9.7.9.25.3.1 cp.async.cg: 16 bytes, cached in L2 only. The last operand is how many bytes are read. */
#define CATC_CP_ASYNC_16(dst, src, valid) \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" \
                 : \
                 : "r"(dst), "l"(src), "r"((valid) ? 16 : 0) \
                 : "memory")

/* 9.7.9.25.3.1 cp.async.ca: the form for 4 and 8 bytes. */
#define CATC_CP_ASYNC_PART(size, dst, src, n) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" : : "r"(dst), "l"(src), "n"(size), "r"(n) : "memory")

/* 9.7.9.25.3.2 and .3 */
#define CATC_CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;" : : : "memory")
#define CATC_CP_ASYNC_WAIT(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")

/* 9.7.14.5.15 ldmatrix: 4 wavefronts of 128 bytes without bank conflicts. */
#define CATC_CUDA_LDMATRIX(form, r, addr) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" form ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) \
                 : "r"(addr) \
                 : "memory")
#define CATC_LDMATRIX_X4(r, addr) CATC_CUDA_LDMATRIX("", r, addr)
#define CATC_LDMATRIX_X4_TRANS(r, addr) CATC_CUDA_LDMATRIX(".trans", r, addr)

/* 9.7.14.5.14 mma: not volatile, so that the compiler may order them among the loads. */
#define CATC_CUDA_MMA(type, d, a, b) \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 " \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
        : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3]) \
        : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define CATC_MMA_M16N8K16_bf16(d, a, b) CATC_CUDA_MMA("bf16", d, a, b)
#define CATC_MMA_M16N8K16_f16(d, a, b) CATC_CUDA_MMA("f16", d, a, b)

#endif /* CATC_BACKEND_CUDA_SM80_H */
