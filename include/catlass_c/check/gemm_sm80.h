/* SPDX-License-Identifier: Apache-2.0
 *
 * check/gemm_sm80.h: the parameters of skeleton/gemm_sm80.skel.h, what follows from them, and every rule they must
 * keep. No include guard: read once for each instance.
 *
 * parameter       allowed                     meaning
 * TYPE_A          bf16, f16                   elements of A and B
 * TYPE_B          TYPE_A                      mma.sync takes no mixture
 * TYPE_ACC        f32                         accumulator
 * TYPE_D          f32, bf16, f16              elements of C and D
 * LAYOUT          tn tt nn nt                 types.h
 * TILE_M, TILE_N  16 … 256, step 16           block tile (of D^T with SWAP)
 * TILE_K          16 … 128, step 16           depth of one stage
 * WARP_M, WARP_N  16 … 128, step 16           warp tile; divides the block tile
 * STAGES          2 … 6                       shared-memory ring
 * SCHEDULE        multistage
 * SWAP            0, 1                        1: the tile's M runs along the caller's N
 * REG_BUFFERS     1, 2                        k steps of 16 whose fragments are in registers: with 2 the next step is
 *                                             read from shared memory while one is multiplied
 * UNROLL          divides TILE_K              how much of K is unrolled; a multiple of 16 * REG_BUFFERS
 * MIN_BLOCKS      1 … 8                       second launch bound: blocks per multiprocessor the registers must allow */
#include "catlass_c/check/gemm_given.inst.h"
#include "catlass_c/check/rule.h"
#include "catlass_c/registry.h"

#ifndef CATC_P_WARP_M
#error "CATC_P_WARP_M is missing"
#endif
#ifndef CATC_P_WARP_N
#error "CATC_P_WARP_N is missing"
#endif
#ifndef CATC_P_REG_BUFFERS
#error "CATC_P_REG_BUFFERS is missing"
#endif
#ifndef CATC_P_UNROLL
#error "CATC_P_UNROLL is missing"
#endif

#define CATC_C_SIZE_A CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_A)
#define CATC_C_VEC_D (16 / CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D))
#define CATC_C_A_KCONTIG CATC_PASTE(CATC_LAYOUT_A_KCONTIG_, CATC_P_LAYOUT)
#define CATC_C_B_KCONTIG CATC_PASTE(CATC_LAYOUT_B_KCONTIG_, CATC_P_LAYOUT)

/* The instruction multiplies a left operand (its M) and a right one (its N): A and B, with SWAP B and A. */
#define CATC_C_LEFT_KCONTIG (CATC_P_SWAP ? CATC_C_B_KCONTIG : CATC_C_A_KCONTIG)
#define CATC_C_RIGHT_KCONTIG (CATC_P_SWAP ? CATC_C_A_KCONTIG : CATC_C_B_KCONTIG)

#define CATC_C_TURNED 0 /* the epilogue's segments lie in rows of D, also with SWAP */
/* The tile in terms of the caller's D: rows R and columns C. */
#define CATC_C_TILE_R (CATC_P_SWAP ? CATC_P_TILE_N : CATC_P_TILE_M)
#define CATC_C_TILE_C (CATC_P_SWAP ? CATC_P_TILE_M : CATC_P_TILE_N)
#define CATC_C_WARP_R (CATC_P_SWAP ? CATC_P_WARP_N : CATC_P_WARP_M)
#define CATC_C_WARPS_M CATC_QUOTIENT(CATC_P_TILE_M, CATC_P_WARP_M)
#define CATC_C_WARPS_N CATC_QUOTIENT(CATC_P_TILE_N, CATC_P_WARP_N)
#define CATC_C_THREADS (CATC_C_WARPS_M * CATC_C_WARPS_N * 32)

/* A stage of an operand lies in shared memory as blocks of lines of SPAN bytes (tile/operand_sm80.inst.h). */
#define CATC_C_SPAN(bytes) ((bytes) % 128 == 0 ? 128 : (bytes) % 64 == 0 ? 64 : 32)
#define CATC_C_LEFT_SPAN CATC_C_SPAN(CATC_C_SIZE_A *(CATC_C_LEFT_KCONTIG ? CATC_P_TILE_K : CATC_P_TILE_M))
#define CATC_C_RIGHT_SPAN CATC_C_SPAN(CATC_C_SIZE_A *(CATC_C_RIGHT_KCONTIG ? CATC_P_TILE_K : CATC_P_TILE_N))
/* 16-byte chunks of one such block: the threads of the block divide it among them, or take whole ones. */
#define CATC_C_LEFT_BLOCK (CATC_C_LEFT_SPAN / 16 * (CATC_C_LEFT_KCONTIG ? CATC_P_TILE_M : CATC_P_TILE_K))
#define CATC_C_RIGHT_BLOCK (CATC_C_RIGHT_SPAN / 16 * (CATC_C_RIGHT_KCONTIG ? CATC_P_TILE_N : CATC_P_TILE_K))

/* The epilogue slab: 16 rows of every warp in fp32, beside the ring. The padding keeps the fragment's stores,
 * 8 bytes of 4 rows at a time (with SWAP 4 bytes of 4 columns), in different banks. */
#define CATC_C_PAD (CATC_P_SWAP ? 4 : 8)
#define CATC_C_RING_BYTES (CATC_P_STAGES * CATC_P_TILE_K * (CATC_P_TILE_M + CATC_P_TILE_N) * CATC_C_SIZE_A)
#define CATC_C_PASSES (CATC_C_WARP_R / 16)
#define CATC_C_SLAB_ROWS CATC_QUOTIENT(CATC_C_TILE_R, CATC_C_PASSES)
#define CATC_C_SLAB_BYTES (4 * CATC_C_SLAB_ROWS * (CATC_C_TILE_C + CATC_C_PAD))
#define CATC_C_PLACE_BYTES (2 * 72) /* where this tile and the next lie (struct place of the skeleton) */
#define CATC_C_SMEM_BYTES (CATC_C_RING_BYTES + CATC_C_SLAB_BYTES + CATC_C_PLACE_BYTES)
#define CATC_C_SMEM_LIMIT 232448 /* 227 KB: sm_90; where a GPU has less (sm_80 163 KB, sm_89 99 KB) selection refuses */

/* Accumulators and fragments of a thread. What a kernel needs beyond them depends on the compiler: the rule refuses what
 * cannot work; what spills although it keeps the rule, the build refuses. */
#define CATC_C_FRAGMENT_REGS \
    (CATC_P_WARP_M * CATC_P_WARP_N / 32 + CATC_P_REG_BUFFERS * (CATC_P_WARP_M / 16 + CATC_P_WARP_N / 16) * 4)
/* Registers are dealt to the four quarters of a multiprocessor: a block counts as whole groups of four warps. */
#define CATC_C_REG_LIMIT CATC_QUOTIENT(65536, (CATC_C_THREADS + 127) / 128 * 128 * CATC_P_MIN_BLOCKS)
#define CATC_C_REGS_PER_THREAD (CATC_C_REG_LIMIT > 255 ? 255 : CATC_C_REG_LIMIT / 8 * 8)

/* Any alignment is served, if need be by single elements. */
#define CATC_C_ALIGN_A CATC_C_SIZE_A
#define CATC_C_ALIGN_B CATC_C_SIZE_A
#define CATC_C_ALIGN_C CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D)
#define CATC_C_ALIGN_D CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D)

#define CATC_C_STEP16(value, most) ((value) >= 16 && (value) <= (most) && (value) % 16 == 0)
#define CATC_C_DIVIDES(a, b) (CATC_MULTIPLE(a, b) || CATC_MULTIPLE(b, a))

#define CATC_CHECK_RULES(CATC_RULE) \
    CATC_RULE(type_a, \
              (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A) == (int)CATC_BF16 || \
                  (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A) == (int)CATC_F16, \
              CATC_C_SIZE_A * 8, 16, "a must be bf16 or f16 (mma.sync m16n8k16); set a, or use gemm_simt") \
    CATC_RULE(type_b, (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_B) == (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A), \
              (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_B), (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_A), \
              "b must be of a's type (mma.sync takes no mixture); remove b, or use gemm_simt") \
    CATC_RULE(type_acc, (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_ACC) == (int)CATC_F32, \
              CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_ACC) * 8, 32, \
              "acc must be f32 (every sum is kept in fp32); set acc: f32") \
    CATC_RULE(schedule, (int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE) == (int)CATC_MULTISTAGE, \
              (int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE), (int)CATC_MULTISTAGE, \
              "schedule must be multistage in gemm_sm80; remove it or change the skeleton") \
    CATC_RULE(swap, CATC_P_SWAP == 0 || CATC_P_SWAP == 1, CATC_P_SWAP, 1, "swap must be 0 or 1; change swap") \
    CATC_RULE(tile_m_range, CATC_C_STEP16(CATC_P_TILE_M, 256), CATC_P_TILE_M, 256, \
              "tile_m must be a multiple of 16 (rows of one mma) up to 256; change tile") \
    CATC_RULE(tile_n_range, CATC_C_STEP16(CATC_P_TILE_N, 256), CATC_P_TILE_N, 256, \
              "tile_n must be a multiple of 16 (columns of one ldmatrix) up to 256; change tile") \
    CATC_RULE(tile_k_range, CATC_C_STEP16(CATC_P_TILE_K, 128), CATC_P_TILE_K, 128, \
              "tile_k must be a multiple of 16 (depth of one mma) up to 128; change tile") \
    CATC_RULE(warp_m_range, CATC_C_STEP16(CATC_P_WARP_M, 128), CATC_P_WARP_M, 128, \
              "warp_m must be a multiple of 16 (rows of one mma) up to 128; change warp") \
    CATC_RULE(warp_n_range, CATC_C_STEP16(CATC_P_WARP_N, 128), CATC_P_WARP_N, 128, \
              "warp_n must be a multiple of 16 (columns of one ldmatrix) up to 128; change warp") \
    CATC_RULE(tile_m_warp, CATC_MULTIPLE(CATC_P_TILE_M, CATC_P_WARP_M), CATC_P_TILE_M, CATC_P_WARP_M, \
              "tile_m must be a multiple of warp_m; change tile or warp") \
    CATC_RULE(tile_n_warp, CATC_MULTIPLE(CATC_P_TILE_N, CATC_P_WARP_N), CATC_P_TILE_N, CATC_P_WARP_N, \
              "tile_n must be a multiple of warp_n; change tile or warp") \
    CATC_RULE(stages, CATC_P_STAGES >= 2 && CATC_P_STAGES <= 6, CATC_P_STAGES, 6, \
              "stages must be from 2 to 6; change stages") \
    CATC_RULE(reg_buffers, CATC_P_REG_BUFFERS == 1 || CATC_P_REG_BUFFERS == 2, CATC_P_REG_BUFFERS, 2, \
              "reg_buffers must be 1 or 2; change reg_buffers") \
    CATC_RULE(unroll, \
              CATC_MULTIPLE(CATC_P_TILE_K, CATC_P_UNROLL) && CATC_MULTIPLE(CATC_P_UNROLL, 16 * CATC_P_REG_BUFFERS), \
              CATC_P_UNROLL, 16 * CATC_P_REG_BUFFERS, \
              "unroll must divide tile_k and be a multiple of 16 * reg_buffers; change unroll, tile or reg_buffers") \
    CATC_RULE(min_blocks, CATC_P_MIN_BLOCKS >= 1 && CATC_P_MIN_BLOCKS <= 8, CATC_P_MIN_BLOCKS, 8, \
              "min_blocks must be from 1 to 8; change min_blocks") \
    CATC_RULE(threads, CATC_C_THREADS >= 32 && CATC_C_THREADS <= 1024, CATC_C_THREADS, 1024, \
              "threads per block must be at most 1024; make tile smaller or warp larger") \
    CATC_RULE(registers, CATC_C_FRAGMENT_REGS + 40 <= CATC_C_REGS_PER_THREAD, CATC_C_FRAGMENT_REGS + 40, \
              CATC_C_REGS_PER_THREAD, \
              "accumulators, fragments and 40 more registers must fit the launch bounds; make warp, reg_buffers or " \
              "min_blocks smaller") \
    CATC_RULE(copy_left, CATC_C_DIVIDES(CATC_C_LEFT_BLOCK, CATC_C_THREADS), CATC_C_LEFT_BLOCK, CATC_C_THREADS, \
              "the 16-byte chunks of a block of lines of the operand along tile_m must be a multiple or a divisor of " \
              "the threads; change tile or warp") \
    CATC_RULE(copy_right, CATC_C_DIVIDES(CATC_C_RIGHT_BLOCK, CATC_C_THREADS), CATC_C_RIGHT_BLOCK, CATC_C_THREADS, \
              "the 16-byte chunks of a block of lines of the operand along tile_n must be a multiple or a divisor of " \
              "the threads; change tile or warp") \
    CATC_RULE( \
        copies, \
        (CATC_P_TILE_M > CATC_P_TILE_N ? CATC_P_TILE_M : CATC_P_TILE_N) * CATC_P_TILE_K / 8 <= 32 * CATC_C_THREADS, \
        (CATC_P_TILE_M > CATC_P_TILE_N ? CATC_P_TILE_M : CATC_P_TILE_N) * CATC_P_TILE_K / 8, 32 * CATC_C_THREADS, \
        "a stage of A or of B must be at most 32 chunks of 16 bytes for each thread (one bit each in a mask); " \
        "make tile smaller or use more warps") \
    CATC_RULE(smem, CATC_C_SMEM_BYTES <= CATC_C_SMEM_LIMIT, CATC_C_SMEM_BYTES, CATC_C_SMEM_LIMIT, \
              "shared memory of all stages must be at most 232448 bytes (sm_90); make tile or stages smaller") \
    CATC_RULES_OF_CHAIN(CATC_RULE)

#ifdef CATC_PROBE
#include "catlass_c/check/probe.inst.h"
#else
CATC_CHECK_RULES(CATC_RULE_ASSERT)
#endif
