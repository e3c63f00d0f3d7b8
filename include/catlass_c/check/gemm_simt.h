/* SPDX-License-Identifier: Apache-2.0
 *
 * check/gemm_simt.h: the parameters of skeleton/gemm_simt.skel.h, what follows from them, and every rule they must
 * keep. No include guard: read once for each instance.
 *
 * parameter       allowed                     meaning
 * TYPE_A, TYPE_B  f32, bf16, f16              elements of A and B; converted to fp32 on the way to shared memory
 * TYPE_ACC        f32                         accumulator
 * TYPE_D          f32, bf16, f16              elements of C and D
 * LAYOUT          tn tt nn nt                 types.h
 * TILE_M, TILE_N  up to 256                   block tile (of D^T with SWAP)
 * TILE_K          4 … 64                      depth of one stage
 * WARP_M, WARP_N  divide the block tile       warp tile; (warp / thread) must make 32 lanes
 * THREAD_M, _N    1, 2 or a multiple of 4     accumulators of a thread
 * STAGES          2 … 8                       shared-memory ring
 * SCHEDULE        simt
 * SWAP            0, 1                        1: the tile's M runs along the caller's N
 * UNROLL          divides TILE_K              k steps unrolled in the main loop
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
#ifndef CATC_P_THREAD_M
#error "CATC_P_THREAD_M is missing"
#endif
#ifndef CATC_P_THREAD_N
#error "CATC_P_THREAD_N is missing"
#endif
#ifndef CATC_P_UNROLL
#error "CATC_P_UNROLL is missing"
#endif

/* Elements of A, B and D in 16 bytes. */
#define CATC_C_VEC_A (16 / CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_A))
#define CATC_C_VEC_B (16 / CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_B))
#define CATC_C_VEC_D (16 / CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D))
#define CATC_C_A_KCONTIG CATC_PASTE(CATC_LAYOUT_A_KCONTIG_, CATC_P_LAYOUT)
#define CATC_C_B_KCONTIG CATC_PASTE(CATC_LAYOUT_B_KCONTIG_, CATC_P_LAYOUT)

#define CATC_C_TURNED 0 /* the epilogue's segments lie in rows of D, also with SWAP */
/* The tile in terms of the caller's D: rows R and columns C. */
#define CATC_C_TILE_R (CATC_P_SWAP ? CATC_P_TILE_N : CATC_P_TILE_M)
#define CATC_C_TILE_C (CATC_P_SWAP ? CATC_P_TILE_M : CATC_P_TILE_N)
#define CATC_C_WARP_R (CATC_P_SWAP ? CATC_P_WARP_N : CATC_P_WARP_M)
#define CATC_C_WARP_C (CATC_P_SWAP ? CATC_P_WARP_M : CATC_P_WARP_N)
#define CATC_C_THREAD_R (CATC_P_SWAP ? CATC_P_THREAD_N : CATC_P_THREAD_M)
#define CATC_C_THREAD_C (CATC_P_SWAP ? CATC_P_THREAD_M : CATC_P_THREAD_N)

#define CATC_C_LANES_R CATC_QUOTIENT(CATC_C_WARP_R, CATC_C_THREAD_R)
#define CATC_C_LANES_C CATC_QUOTIENT(CATC_C_WARP_C, CATC_C_THREAD_C)
#define CATC_C_WARPS_R CATC_QUOTIENT(CATC_C_TILE_R, CATC_C_WARP_R)
#define CATC_C_WARPS_C CATC_QUOTIENT(CATC_C_TILE_C, CATC_C_WARP_C)
#define CATC_C_THREADS (CATC_C_WARPS_R * CATC_C_WARPS_C * 32)

/* A thread's rows are THREAD_R / RUN_R runs of RUN_R neighbours, one run per 16 bytes of shared memory. */
#define CATC_C_RUN_R (CATC_C_THREAD_R < 4 ? CATC_C_THREAD_R : 4)
#define CATC_C_RUN_C (CATC_C_THREAD_C < 4 ? CATC_C_THREAD_C : 4)
#define CATC_C_PASSES CATC_QUOTIENT(CATC_C_THREAD_R, CATC_C_RUN_R)

/* Floats of shared memory: rows of the ring carry 4 floats of padding, against bank conflicts of the transposing
 * store; the epilogue slab holds one run of every thread's rows. Both share the memory. */
#define CATC_C_PAD 4
#define CATC_C_RING_FLOATS (CATC_P_STAGES * CATC_P_TILE_K * (CATC_C_TILE_R + CATC_C_TILE_C + 2 * CATC_C_PAD))
#define CATC_C_SLAB_ROWS CATC_QUOTIENT(CATC_C_TILE_R, CATC_C_PASSES)
#define CATC_C_SLAB_FLOATS (CATC_C_SLAB_ROWS * (CATC_C_TILE_C + CATC_C_PAD))
#define CATC_C_SMEM_BYTES (4 * (CATC_C_RING_FLOATS > CATC_C_SLAB_FLOATS ? CATC_C_RING_FLOATS : CATC_C_SLAB_FLOATS))
#define CATC_C_SMEM_LIMIT 166912 /* 163 KB: sm_80, the least of the targets (PTX code included) with room for it */

/* 16-byte vectors of one operand in a k tile. */
#define CATC_C_VECTORS(vec, extent) ((extent)*CATC_P_TILE_K / (vec))

/* Registers are dealt to the four quarters of a multiprocessor: a block counts as whole groups of four warps. */
#define CATC_C_REG_LIMIT CATC_QUOTIENT(65536, (CATC_C_THREADS + 127) / 128 * 128 * CATC_P_MIN_BLOCKS)
#define CATC_C_REGS_PER_THREAD (CATC_C_REG_LIMIT > 255 ? 255 : CATC_C_REG_LIMIT / 8 * 8)

/* Any alignment is served, if need be by single elements. */
#define CATC_C_ALIGN_A CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_A)
#define CATC_C_ALIGN_B CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_B)
#define CATC_C_ALIGN_C CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D)
#define CATC_C_ALIGN_D CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_D)

#define CATC_CHECK_RULES(CATC_RULE) \
    CATC_RULE(type_acc, (int)CATC_PASTE(CATC_TYPE_, CATC_P_TYPE_ACC) == (int)CATC_F32, \
              CATC_PASTE(CATC_SIZEOF_, CATC_P_TYPE_ACC) * 8, 32, \
              "acc must be f32 (an accumulator is never narrower than its inputs); set acc: f32") \
    CATC_RULE(schedule, (int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE) == (int)CATC_SIMT, \
              (int)CATC_PASTE(CATC_SCHEDULE_, CATC_P_SCHEDULE), (int)CATC_SIMT, \
              "schedule must be simt in gemm_simt; remove it or change the skeleton") \
    CATC_RULE(swap, CATC_P_SWAP == 0 || CATC_P_SWAP == 1, CATC_P_SWAP, 1, "swap must be 0 or 1; change swap") \
    CATC_RULE(tile_m_range, CATC_P_TILE_M >= 4 && CATC_P_TILE_M <= 256, CATC_P_TILE_M, 256, \
              "tile_m must be from 4 to 256; change tile") \
    CATC_RULE(tile_n_range, CATC_P_TILE_N >= 4 && CATC_P_TILE_N <= 256, CATC_P_TILE_N, 256, \
              "tile_n must be from 4 to 256; change tile") \
    CATC_RULE(tile_k_range, CATC_P_TILE_K >= 4 && CATC_P_TILE_K <= 64, CATC_P_TILE_K, 64, \
              "tile_k must be from 4 to 64; change tile") \
    CATC_RULE(stages, CATC_P_STAGES >= 2 && CATC_P_STAGES <= 8, CATC_P_STAGES, 8, \
              "stages must be from 2 to 8; change stages") \
    CATC_RULE(unroll, CATC_MULTIPLE(CATC_P_TILE_K, CATC_P_UNROLL), CATC_P_UNROLL, CATC_P_TILE_K, \
              "unroll must divide tile_k; change unroll") \
    CATC_RULE(min_blocks, CATC_P_MIN_BLOCKS >= 1 && CATC_P_MIN_BLOCKS <= 8, CATC_P_MIN_BLOCKS, 8, \
              "min_blocks must be from 1 to 8; change min_blocks") \
    CATC_RULE(tile_m_warp, CATC_MULTIPLE(CATC_P_TILE_M, CATC_P_WARP_M), CATC_P_TILE_M, CATC_P_WARP_M, \
              "tile_m must be a multiple of warp_m; change tile or warp") \
    CATC_RULE(tile_n_warp, CATC_MULTIPLE(CATC_P_TILE_N, CATC_P_WARP_N), CATC_P_TILE_N, CATC_P_WARP_N, \
              "tile_n must be a multiple of warp_n; change tile or warp") \
    CATC_RULE(warp_m_thread, CATC_MULTIPLE(CATC_P_WARP_M, CATC_P_THREAD_M), CATC_P_WARP_M, CATC_P_THREAD_M, \
              "warp_m must be a multiple of thread_m; change warp or thread") \
    CATC_RULE(warp_n_thread, CATC_MULTIPLE(CATC_P_WARP_N, CATC_P_THREAD_N), CATC_P_WARP_N, CATC_P_THREAD_N, \
              "warp_n must be a multiple of thread_n; change warp or thread") \
    CATC_RULE(lanes, CATC_C_LANES_R *CATC_C_LANES_C == 32, CATC_C_LANES_R * CATC_C_LANES_C, 32, \
              "(warp_m / thread_m) * (warp_n / thread_n) must be the 32 lanes of a warp; change warp or thread") \
    CATC_RULE(thread_m, CATC_P_THREAD_M == 1 || CATC_P_THREAD_M == 2 || CATC_MULTIPLE(CATC_P_THREAD_M, 4), \
              CATC_P_THREAD_M, 4, "thread_m must be 1, 2 or a multiple of 4 (16-byte shared loads); change thread") \
    CATC_RULE(thread_n, CATC_P_THREAD_N == 1 || CATC_P_THREAD_N == 2 || CATC_MULTIPLE(CATC_P_THREAD_N, 4), \
              CATC_P_THREAD_N, 4, "thread_n must be 1, 2 or a multiple of 4 (16-byte shared loads); change thread") \
    CATC_RULE( \
        thread_range, CATC_P_THREAD_M <= 16 && CATC_P_THREAD_N <= 16, \
        CATC_P_THREAD_M > CATC_P_THREAD_N ? CATC_P_THREAD_M : CATC_P_THREAD_N, 16, \
        "thread_m and thread_n must be at most 16 (accumulators stay in registers only in unrolled loops); change " \
        "thread") \
    CATC_RULE(fetch, \
              (CATC_C_VECTORS(CATC_C_VEC_A, CATC_C_TILE_R) > CATC_C_VECTORS(CATC_C_VEC_B, CATC_C_TILE_C) \
                   ? CATC_C_VECTORS(CATC_C_VEC_A, CATC_C_TILE_R) \
                   : CATC_C_VECTORS(CATC_C_VEC_B, CATC_C_TILE_C)) <= 16 * CATC_C_THREADS, \
              CATC_C_VECTORS(CATC_C_VEC_A, CATC_C_TILE_R) > CATC_C_VECTORS(CATC_C_VEC_B, CATC_C_TILE_C) \
                  ? CATC_C_VECTORS(CATC_C_VEC_A, CATC_C_TILE_R) \
                  : CATC_C_VECTORS(CATC_C_VEC_B, CATC_C_TILE_C), \
              16 * CATC_C_THREADS, \
              "a k tile of A or of B must be at most 16 vectors of 16 bytes for each thread; make tile_k smaller or " \
              "use more " \
              "warps") \
    CATC_RULE(threads, CATC_C_THREADS >= 32 && CATC_C_THREADS <= 1024, CATC_C_THREADS, 1024, \
              "threads per block must be at most 1024; make tile smaller or warp larger") \
    CATC_RULE(accumulators, \
              CATC_P_THREAD_M *CATC_P_THREAD_N + 32 <= 255 && \
                  (CATC_P_THREAD_M * CATC_P_THREAD_N + 32) * CATC_P_MIN_BLOCKS <= \
                      CATC_QUOTIENT(65536, CATC_C_THREADS), \
              CATC_P_THREAD_M * CATC_P_THREAD_N + 32, CATC_C_REGS_PER_THREAD, \
              "thread_m * thread_n + 32 registers must fit the launch bounds; make thread or min_blocks smaller") \
    CATC_RULE(load_a, \
              CATC_C_A_KCONTIG ? CATC_MULTIPLE(CATC_P_TILE_K, CATC_C_VEC_A) \
                               : CATC_MULTIPLE(CATC_C_TILE_R, CATC_C_VEC_A), \
              CATC_C_A_KCONTIG ? CATC_P_TILE_K : CATC_C_TILE_R, CATC_C_VEC_A, \
              "the side of A's tile that is contiguous in memory must be a multiple of 16 bytes; change tile") \
    CATC_RULE(load_b, \
              CATC_C_B_KCONTIG ? CATC_MULTIPLE(CATC_P_TILE_K, CATC_C_VEC_B) \
                               : CATC_MULTIPLE(CATC_C_TILE_C, CATC_C_VEC_B), \
              CATC_C_B_KCONTIG ? CATC_P_TILE_K : CATC_C_TILE_C, CATC_C_VEC_B, \
              "the side of B's tile that is contiguous in memory must be a multiple of 16 bytes; change tile") \
    CATC_RULE(tile_rows, CATC_MULTIPLE(CATC_C_TILE_R, 4), CATC_C_TILE_R, 4, \
              "the tile's extent along M must be a multiple of 4; change tile") \
    CATC_RULE(store_d, CATC_MULTIPLE(CATC_C_TILE_C, CATC_C_VEC_D), CATC_C_TILE_C, CATC_C_VEC_D, \
              "the tile's extent along D's rows must be a multiple of 16 bytes of D; change tile") \
    CATC_RULE(smem, 4 * CATC_C_RING_FLOATS <= CATC_C_SMEM_LIMIT && 4 * CATC_C_SLAB_FLOATS <= CATC_C_SMEM_LIMIT, \
              CATC_C_SMEM_BYTES, CATC_C_SMEM_LIMIT, \
              "shared memory of all stages must be at most 166912 bytes (sm_80); make tile or stages smaller") \
    CATC_RULES_OF_CHAIN(CATC_RULE)

#ifdef CATC_PROBE
#include "catlass_c/check/probe.inst.h"
#else
CATC_CHECK_RULES(CATC_RULE_ASSERT)
#endif
