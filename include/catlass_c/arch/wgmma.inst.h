/* SPDX-License-Identifier: Apache-2.0
 *
 * arch/wgmma.inst.h: defines the one wgmma function that an instance needs. An instruction's shape, types and transposes
 * are immediates, so they are parameters of an include and not of a function:
 *   CATC_W_NAME               name of the function
 *   CATC_W_N                  columns, a multiple of 8 from 8 to 256
 *   CATC_W_TYPE               bf16 or f16: elements of A and B
 *   CATC_W_TRANS_A, _B        0: K is contiguous in shared memory; 1: M (N) is
 * The function is
 *   NAME(float *acc, uint64_t desc_a, uint64_t desc_b, int scale_d)
 * one wgmma.mma_async.m64n<N>k16 with fp32 accumulators (PTX ISA 9.7.15.5.2): acc = A B + (scale_d ? acc : 0), where acc
 * has N / 2 values in each of 128 threads: acc[4 j + 2 h + c] is row 16 (warp % 4) + lane / 4 + 8 h, column
 * 8 j + 2 (lane % 4) + c. It is asynchronous: acc must not be touched before CATC_WGMMA_WAIT names it. N / 2 cycles per
 * SM, at least 18. No include guard; the parameters are undefined at the end. */
#include "catlass_c/arch/sm90.h"
#include "catlass_c/arch/wgmma_operands.h"

CATC_STATIC_ASSERT(CATC_W_N >= 8 && CATC_W_N <= 256 && CATC_W_N % 8 == 0,
                   "CATC_W_N must be a multiple of 8 from 8 to 256");
CATC_STATIC_ASSERT((int)CATC_PASTE(CATC_TYPE_, CATC_W_TYPE) == (int)CATC_BF16 ||
                       (int)CATC_PASTE(CATC_TYPE_, CATC_W_TYPE) == (int)CATC_F16,
                   "CATC_W_TYPE must be bf16 or f16");

CATC_DEVICE void CATC_W_NAME(float *acc, uint64_t desc_a, uint64_t desc_b, int scale_d)
{
#if defined(__CUDACC__)
    /* clang-format off */
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " CATC_PASTE(CATC_WGMMA_SCALE_, CATC_W_N) ", 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n" CATC_STRING(CATC_W_N) "k16.f32." CATC_STRING(CATC_W_TYPE) "."
                 CATC_STRING(CATC_W_TYPE) " {" CATC_PASTE(CATC_WGMMA_REGS_, CATC_W_N) "}, "
                 CATC_PASTE(CATC_WGMMA_A_, CATC_W_N) ", " CATC_PASTE(CATC_WGMMA_B_, CATC_W_N) ", p, 1, 1, "
                 CATC_STRING(CATC_W_TRANS_A) ", " CATC_STRING(CATC_W_TRANS_B) ";\n\t}"
                 : CATC_PASTE(CATC_WGMMA_ACC_, CATC_W_N)(acc)
                 : "l"(desc_a), "l"(desc_b), "r"(scale_d));
    /* clang-format on */
#else
    catc_host_wgmma(acc, CATC_W_N, CATC_PASTE(CATC_TYPE_, CATC_W_TYPE), desc_a, desc_b, scale_d, CATC_W_TRANS_A,
                    CATC_W_TRANS_B, __LINE__);
#endif
}

#undef CATC_W_NAME
#undef CATC_W_N
#undef CATC_W_TYPE
#undef CATC_W_TRANS_A
#undef CATC_W_TRANS_B
