/* SPDX-License-Identifier: Apache-2.0
 *
 * check/gemm_sm90.h: the parameters of skeleton/gemm_sm90.skel.h, what follows from them, and every rule they must
 * keep. No include guard: read once for each instance.
 *
 * parameter       allowed                     meaning
 * TYPE_A          bf16, f16                   elements of A and B
 * TYPE_B          TYPE_A                      wgmma takes no mixture
 * TYPE_ACC        f32                         accumulator
 * TYPE_D          bf16, f16, f32              elements of C and D
 * LAYOUT          tn                          K contiguous in A and B
 * TILE_M          64, 128, 192, 256           cooperative: 1, 2, 3, 2 consumer warpgroups share its rows;
 *                 64, 128                     pingpong: each of two consumer warpgroups has a tile of its own
 * TILE_N          16 … 256, step 16           columns of one wgmma; step 8 where only fp32 matrices are staged;
 *                 with SWAP 8 … 256, step 8
 * TILE_K          64 … 256, step 64           depth of one stage
 * CLUSTER_M, _N   1                           blocks that share operands
 * STAGES          2 … 8                       shared-memory ring
 * SCHEDULE        cooperative, pingpong       see TILE_M
 * SWAP            0, 1                        1: TILE_M lies along the caller's N, TILE_N along its M: for few rows
 * MIN_BLOCKS      1; … 4 with one consumer    second launch bound
 * PRODUCER_REGS   24 … launch, step 8         registers of a producer's thread after setmaxnreg
 * CONSUMER_REGS   launch … 256, step 8        those of a consumer's
 * With one consumer registers stay as launched (65536 / threads / MIN_BLOCKS): these two do nothing, and CONSUMER_REGS may
 * be less, but both must be what setmaxnreg could take, since an unoptimised build keeps the dead instructions. */
#include "catlass_c/check/gemm_given.inst.h"
#include "catlass_c/check/rule.h"
#include "catlass_c/registry.h"
#include "catlass_c/tile/fragment_stage.h"

#ifndef CATC_P_CLUSTER_M
#error "CATC_P_CLUSTER_M is missing"
#endif
#ifndef CATC_P_CLUSTER_N
#error "CATC_P_CLUSTER_N is missing"
#endif
#ifndef CATC_P_PRODUCER_REGS
#error "CATC_P_PRODUCER_REGS is missing"
#endif
#ifndef CATC_P_CONSUMER_REGS
#error "CATC_P_CONSUMER_REGS is missing"
#endif

#define CATC_C_IS_COOPERATIVE ((int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE) == (int)CATC_COOPERATIVE)
#define CATC_C_IS_PINGPONG ((int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE) == (int)CATC_PINGPONG)
/* Consumer warpgroups, the rows of a tile that one of them has, and those that share a tile. */
#define CATC_C_CONSUMERS (CATC_C_IS_PINGPONG ? 2 : CATC_P_TILE_M == 64 ? 1 : CATC_P_TILE_M == 192 ? 3 : 2)
#define CATC_C_SHARERS (CATC_C_IS_PINGPONG ? 1 : CATC_C_CONSUMERS)
#define CATC_C_ROWS (CATC_P_TILE_M / CATC_C_SHARERS)
#define CATC_C_THREADS (128 * (1 + CATC_C_CONSUMERS))
#define CATC_C_SIZE_D CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D)
#define CATC_C_SPAN_K 64          /* elements of K in the 128 bytes of one swizzled row */
#define CATC_C_TURNED CATC_P_SWAP /* accumulators of D transposed: a pair of them lies in a column of D */

/* Staging of the epilogue (tile/fragment_stage.h). */
#define CATC_C_COLUMN_BYTES (CATC_C_SIZE_D CATC_P_EPI_LIST(CATC_FRAGMENT_ADD_BYTES))
#define CATC_C_SUB_N CATC_FRAGMENT_SUB(CATC_P_SWAP, CATC_P_TILE_N, CATC_C_COLUMN_BYTES)
#define CATC_C_STRIP_N CATC_FRAGMENT_STRIP(CATC_P_SWAP, CATC_P_TILE_N, CATC_C_COLUMN_BYTES)
#define CATC_C_BOX_ROWS CATC_FRAGMENT_BOX_ROWS(CATC_P_SWAP, CATC_P_TILE_N, CATC_C_COLUMN_BYTES)
#define CATC_C_STAGE_BYTES (CATC_FRAGMENT_ROWS * CATC_C_SUB_N * CATC_C_COLUMN_BYTES)
#define CATC_C_COLUMNS (0 CATC_P_EPI_LIST(CATC_FRAGMENT_ADD_COLUMN))
#define CATC_C_LOAD_BYTES (0 CATC_P_EPI_LIST(CATC_FRAGMENT_ADD_LOAD_BYTES))
#define CATC_C_NARROW (CATC_C_SIZE_D == 2 CATC_P_EPI_LIST(CATC_FRAGMENT_OR_NARROW))

/* Shared memory, in the order of the skeleton's struct: ring of A and B, staging, COL operands (with SWAP: ROW) as fp32, of
 * each tile in work (with 16 bytes more, so that the array is never empty), barriers; a multiple of the 1024 bytes that
 * the swizzle aligns to. */
#define CATC_C_RING_BYTES (CATC_P_STAGES * (CATC_P_TILE_M + CATC_P_TILE_N) * CATC_P_TILE_K * 2)
#define CATC_C_COLUMN_FLOATS (CATC_C_COLUMNS * CATC_P_TILE_N * (CATC_C_CONSUMERS / CATC_C_SHARERS) + 4)
#define CATC_C_BARRIERS (2 * CATC_P_STAGES + CATC_C_CONSUMERS * (CATC_FRAGMENT_BUFFERS + 1))
#define CATC_C_SMEM_BYTES \
    ((CATC_C_RING_BYTES + CATC_C_CONSUMERS * CATC_FRAGMENT_BUFFERS * CATC_C_STAGE_BYTES + 4 * CATC_C_COLUMN_FLOATS + \
      8 * CATC_C_BARRIERS + 1023) / \
     1024 * 1024)
#define CATC_C_SMEM_LIMIT 232448 /* 227 KB: sm_90 */

/* What a thread has before setmaxnreg. */
#define CATC_C_SHARE_OF_REGS (CATC_QUOTIENT(65536 / CATC_C_THREADS, CATC_P_MIN_BLOCKS) / 8 * 8)
#define CATC_C_REGS_PER_THREAD (CATC_C_SHARE_OF_REGS < 255 ? CATC_C_SHARE_OF_REGS : 255)
/* setmaxnreg only moves registers inside a block: a role that asks for more than the others gave back waits forever. One
 * consumer needs nobody's. */
#define CATC_C_MOVES_REGS (CATC_C_CONSUMERS > 1)
#define CATC_C_LAUNCH_REGS (CATC_C_THREADS * CATC_C_REGS_PER_THREAD)
#define CATC_C_ROLE_REGS (128 * (CATC_P_PRODUCER_REGS + CATC_C_CONSUMERS * CATC_P_CONSUMER_REGS))
#define CATC_C_MATH_REGS (CATC_C_MOVES_REGS ? CATC_P_CONSUMER_REGS : CATC_C_REGS_PER_THREAD)
/* Columns of a round of the epilogue. */
#define CATC_C_ROUND_N (CATC_P_TILE_N < CATC_C_SUB_N ? CATC_P_TILE_N : CATC_C_SUB_N)
/* Registers that a consumer needs, and those that a wgmma needs at launch already, whatever setmaxnreg adds. Fits to where
 * ptxas of CUDA 13.0 begins to spill or gives up, on 150 instances; a chain may need more, and the build refuses spills. */
#define CATC_C_NEED_REGS (CATC_C_ACC + CATC_C_ROUND_N / 2 + 28)
#define CATC_C_NEED_LAUNCH_REGS (CATC_P_TILE_N / 2 + (CATC_C_ROUND_N < 64 ? 26 : 36))

/* TMA takes base addresses and strides in multiples of 16 bytes; a D that has none is stored by elements. */
#define CATC_C_ALIGN_A 16
#define CATC_C_ALIGN_B 16
#define CATC_C_ALIGN_C 16
#define CATC_C_ALIGN_D CATC_C_SIZE_D

/* Accumulators of a consumer thread. */
#define CATC_C_ACC (CATC_C_ROWS * CATC_P_TILE_N / 128)

#define CATC_CHECK_RULES(CATC_RULE) \
    CATC_RULE(type_a, \
              (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A) == (int)CATC_BF16 || \
                  (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A) == (int)CATC_F16, \
              CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_A) * 8, 16, \
              "a must be bf16 or f16 in gemm_sm90; change a or use gemm_simt") \
    CATC_RULE(type_b, (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_B) == (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A), \
              CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_B) * 8, 16, \
              "b must have the type of a (wgmma takes no mixture); change b or use gemm_simt") \
    CATC_RULE(type_acc, (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_ACC) == (int)CATC_F32, \
              CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_ACC) * 8, 32, \
              "acc must be f32 (an accumulator is never narrower than its inputs); set acc: f32") \
    CATC_RULE(type_d, CATC_C_SIZE_D == 2 || CATC_C_SIZE_D == 4, CATC_C_SIZE_D, 4, \
              "d must be bf16, f16 or f32; change d") \
    CATC_RULE(layout, (int)CATC_PASTE(CATC_LAYOUT_, CATC_P_LAYOUT) == (int)CATC_TN, \
              (int)CATC_PASTE(CATC_LAYOUT_, CATC_P_LAYOUT), (int)CATC_TN, \
              "layout must be tn in this version of gemm_sm90; change layout or use gemm_simt") \
    CATC_RULE(schedule, CATC_C_IS_COOPERATIVE || CATC_C_IS_PINGPONG, (int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE), \
              (int)CATC_PINGPONG, "schedule must be cooperative or pingpong in gemm_sm90; change schedule") \
    CATC_RULE(cluster_m, CATC_P_CLUSTER_M == 1, CATC_P_CLUSTER_M, 1, \
              "cluster_m must be 1 in this version of gemm_sm90; remove cluster") \
    CATC_RULE(cluster_n, CATC_P_CLUSTER_N == 1, CATC_P_CLUSTER_N, 1, \
              "cluster_n must be 1 in this version of gemm_sm90; remove cluster") \
    CATC_RULE(swap, CATC_P_SWAP == 0 || CATC_P_SWAP == 1, CATC_P_SWAP, 1, "swap must be 0 or 1; change swap") \
    CATC_RULE( \
        min_blocks, CATC_P_MIN_BLOCKS >= 1 && CATC_P_MIN_BLOCKS <= (CATC_C_MOVES_REGS ? 1 : 4), CATC_P_MIN_BLOCKS, \
        CATC_C_MOVES_REGS ? 1 : 4, \
        "min_blocks must be 1 where warpgroups exchange registers (setmaxnreg), and at most 4 with one consumer " \
        "(tile_m 64, cooperative); change min_blocks") \
    CATC_RULE(tile_m, \
              CATC_P_TILE_M == 64 || CATC_P_TILE_M == 128 || \
                  (CATC_C_IS_COOPERATIVE && (CATC_P_TILE_M == 192 || CATC_P_TILE_M == 256)), \
              CATC_P_TILE_M, CATC_C_IS_COOPERATIVE ? 256 : 128, \
              "tile_m must be 64 or 128, or 192 or 256 with schedule cooperative (64 rows to a wgmma); change tile") \
    CATC_RULE(tile_n, CATC_P_TILE_N >= (CATC_P_SWAP ? 8 : 16) && CATC_P_TILE_N <= 256 && CATC_P_TILE_N % 8 == 0, \
              CATC_P_TILE_N, 256, \
              "tile_n must be a multiple of 8 from 16 (with swap from 8) to 256 (one wgmma); change tile") \
    CATC_RULE( \
        tile_n_narrow, CATC_P_TILE_N % 16 == 0 || CATC_P_SWAP || !(CATC_C_NARROW), CATC_P_TILE_N, 16, \
        "tile_n must be a multiple of 16 where D or a matrix of the chain has 16-bit elements; change tile or set " \
        "swap") \
    CATC_RULE(tile_k, CATC_P_TILE_K >= 64 && CATC_P_TILE_K <= 256 && CATC_P_TILE_K % CATC_C_SPAN_K == 0, \
              CATC_P_TILE_K, 256, \
              "tile_k must be a multiple of 64 (128 bytes, the span of the swizzle) from 64 to 256; change tile") \
    CATC_RULE(stages, CATC_P_STAGES >= 2 && CATC_P_STAGES <= 8, CATC_P_STAGES, 8, \
              "stages must be from 2 to 8; change stages") \
    CATC_RULE(producer_regs, \
              CATC_P_PRODUCER_REGS >= 24 && CATC_P_PRODUCER_REGS <= CATC_C_REGS_PER_THREAD && \
                  CATC_P_PRODUCER_REGS % 8 == 0, \
              CATC_P_PRODUCER_REGS, CATC_C_REGS_PER_THREAD, \
              "producer_regs must be a multiple of 8 from 24 to what a thread starts with; change regs") \
    CATC_RULE( \
        consumer_regs, \
        CATC_P_CONSUMER_REGS >= (CATC_C_MOVES_REGS ? CATC_C_REGS_PER_THREAD : 24) && CATC_P_CONSUMER_REGS <= 256 && \
            CATC_P_CONSUMER_REGS % 8 == 0, \
        CATC_P_CONSUMER_REGS, 256, \
        "consumer_regs must be a multiple of 8 from what a thread starts with (with one consumer: from 24) to 256; " \
        "change regs") \
    CATC_RULE( \
        registers, !(CATC_C_MOVES_REGS) || CATC_C_ROLE_REGS <= CATC_C_LAUNCH_REGS, CATC_C_ROLE_REGS, \
        CATC_C_LAUNCH_REGS, \
        "128 * (producer_regs + consumers * consumer_regs) must be at most what a block starts with; change regs") \
    CATC_RULE( \
        accumulators, CATC_C_NEED_REGS <= CATC_C_MATH_REGS, CATC_C_NEED_REGS, CATC_C_MATH_REGS, \
        "accumulators of a consumer, half of the columns of an epilogue's round and 28 more must fit its registers; " \
        "make tile or min_blocks smaller or consumer_regs larger") \
    CATC_RULE( \
        wgmma_registers, CATC_C_NEED_LAUNCH_REGS <= CATC_C_REGS_PER_THREAD, CATC_C_NEED_LAUNCH_REGS, \
        CATC_C_REGS_PER_THREAD, \
        "tile_n / 2 and 26 more registers (36 where the epilogue's rounds have 64 columns) must fit what a thread " \
        "starts with; make tile smaller") \
    CATC_RULE( \
        smem, CATC_C_SMEM_BYTES <= CATC_C_SMEM_LIMIT, CATC_C_SMEM_BYTES, CATC_C_SMEM_LIMIT, \
        "shared memory of all stages and of the epilogue must be at most 232448 bytes; make tile or stages smaller") \
    CATC_RULES_OF_CHAIN(CATC_RULE)

#ifdef CATC_PROBE
#include "catlass_c/check/probe.inst.h"
#else
CATC_CHECK_RULES(CATC_RULE_ASSERT)
#endif
