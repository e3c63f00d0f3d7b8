/* SPDX-License-Identifier: Apache-2.0
 *
 * skeleton/gemm_simt.skel.h: D = epilogue(alpha * A B + beta * C) on the CUDA cores, fp32 accumulation. The reference
 * instance: any alignment, any leading dimension, all four layouts, strided batch.
 *
 * Contract
 *   threads   all warps do the same: (TILE_R / WARP_R) x (TILE_C / WARP_C) warps, lanes (WARP / THREAD) in each
 *   shared    ring: STAGES x (TILE_K x (TILE_R + 4) + TILE_K x (TILE_C + 4)) fp32, k-major, both operands converted on
 *             the way in; afterwards the same bytes are the epilogue's slab
 *   protocol  one block barrier for each k tile: in iteration t the block reads stage t % S and fills stage
 *             (t + S - 1) % S, which was last read in iteration t - 1, before that iteration's barrier
 *   order     every element of D is one chain of fused multiply-adds in k order: the same bits on every GPU and on the
 *             host backend
 * Parameters and rules: check/gemm_simt.h. R and C are rows and columns of the caller's D: with SWAP, tile_m and its
 * parts run along C instead of R. */
#ifdef CATC_SKELETON_STANDALONE
/* a complete set, so that an editor can read this file alone */
#define CATC_P_NAME gemm_simt_standalone
#define CATC_P_NAME_STRING "gemm_simt_standalone"
#define CATC_P_SOURCE "skeleton/gemm_simt.skel.h"
#define CATC_P_TYPE_A f32
#define CATC_P_TYPE_B f32
#define CATC_P_TYPE_ACC f32
#define CATC_P_TYPE_D f32
#define CATC_P_LAYOUT tn
#define CATC_P_TILE_M 64
#define CATC_P_TILE_N 64
#define CATC_P_TILE_K 8
#define CATC_P_WARP_M 32
#define CATC_P_WARP_N 32
#define CATC_P_THREAD_M 8
#define CATC_P_THREAD_N 4
#define CATC_P_STAGES 2
#define CATC_P_SCHEDULE simt
#define CATC_P_SWAP 0
#define CATC_P_UNROLL 8
#define CATC_P_MIN_BLOCKS 1
#define CATC_P_N_EPI 0
#define CATC_P_EPI_LIST(X)
#endif

#include "catlass_c/epilogue/chain.h"
#include "catlass_c/registry.h"
#include "catlass_c/tile/kind.h"
#include "catlass_c/tile/matrices.h"
#include "catlass_c/tile/raster.h"
#include "catlass_c/tile/vector.h"

#include "catlass_c/check/gemm_simt.h"
#ifndef CATC_PROBE
#include "catlass_c/skeleton/symbols.inst.h"

/* ---- sizes -------------------------------------------------------------------------------------------------- */

enum {
    CATC_LOCAL(R) = CATC_C_TILE_R,
    CATC_LOCAL(C) = CATC_C_TILE_C,
    CATC_LOCAL(THREAD_R) = CATC_C_THREAD_R,
    CATC_LOCAL(THREAD_C) = CATC_C_THREAD_C,
    CATC_LOCAL(GROUP_R) = CATC_C_LANES_R * CATC_C_RUN_R, /* rows that one pass over a warp's lanes covers */
    CATC_LOCAL(GROUP_C) = CATC_C_LANES_C * CATC_C_RUN_C
};

/* ---- shared memory ------------------------------------------------------------------------------------------ */

struct CATC_LOCAL(stage) {
    float a[CATC_P_TILE_K][CATC_LOCAL(R) + CATC_C_PAD];
    float b[CATC_P_TILE_K][CATC_LOCAL(C) + CATC_C_PAD];
};
union CATC_LOCAL(shared) {
    struct CATC_LOCAL(stage) ring[CATC_P_STAGES];
    float slab[CATC_C_SLAB_ROWS * (CATC_LOCAL(C) + CATC_C_PAD)];
};
CATC_STATIC_ASSERT(sizeof(union CATC_LOCAL(shared)) == CATC_C_SMEM_BYTES,
                   CATC_P_NAME_STRING ": CATC_C_SMEM_BYTES must be the size of the shared union");

/* ---- operands and epilogue ---------------------------------------------------------------------------------- */

#define CATC_I_NAME CATC_LOCAL(a)
#define CATC_I_TYPE CATC_P_TYPE_A
#define CATC_I_EXTENT CATC_C_TILE_R
#define CATC_I_KCONTIG CATC_C_A_KCONTIG
#define CATC_I_THREADS CATC_C_THREADS
#define CATC_I_DEPTH CATC_P_TILE_K
#include "catlass_c/tile/operand_simt.inst.h"

#define CATC_I_NAME CATC_LOCAL(b)
#define CATC_I_TYPE CATC_P_TYPE_B
#define CATC_I_EXTENT CATC_C_TILE_C
#define CATC_I_KCONTIG CATC_C_B_KCONTIG
#define CATC_I_THREADS CATC_C_THREADS
#define CATC_I_DEPTH CATC_P_TILE_K
#include "catlass_c/tile/operand_simt.inst.h"

#define CATC_I_VEC CATC_C_VEC_D
#include "catlass_c/epilogue/chain.inst.h"
#define CATC_I_COLUMNS CATC_C_TILE_C
#define CATC_I_ROWS CATC_C_SLAB_ROWS
#define CATC_I_GROUP CATC_LOCAL(GROUP_R)
#define CATC_I_STRIDE CATC_C_WARP_R
#define CATC_I_THREADS CATC_C_THREADS
#include "catlass_c/tile/epilogue_rows.inst.h"

/* ---- main loop ---------------------------------------------------------------------------------------------- */

/* One stage: acc += a b, k by k. row and column are where this thread's first run starts in the block tile. */
CATC_DEVICE void CATC_LOCAL(multiply)(float (*acc)[CATC_LOCAL(THREAD_C)], const struct CATC_LOCAL(stage) * stage,
                                      int row, int column)
{
    CATC_UNROLL(CATC_P_UNROLL)
    for (int k = 0; k < CATC_P_TILE_K; ++k) {
        float a[CATC_LOCAL(THREAD_R)], b[CATC_LOCAL(THREAD_C)];
        CATC_UNROLL(16)
        for (int i = 0; i < CATC_LOCAL(THREAD_R); i += CATC_C_RUN_R) {
            catc_read_floats(a + i, &stage->a[k][row + i / CATC_C_RUN_R * CATC_LOCAL(GROUP_R)], CATC_C_RUN_R);
        }
        CATC_UNROLL(16)
        for (int j = 0; j < CATC_LOCAL(THREAD_C); j += CATC_C_RUN_C) {
            catc_read_floats(b + j, &stage->b[k][column + j / CATC_C_RUN_C * CATC_LOCAL(GROUP_C)], CATC_C_RUN_C);
        }
        CATC_UNROLL(16)
        for (int i = 0; i < CATC_LOCAL(THREAD_R); ++i) {
            CATC_UNROLL(16)
            for (int j = 0; j < CATC_LOCAL(THREAD_C); ++j) {
                acc[i][j] = catc_fma(a[i], b[j], acc[i][j]);
            }
        }
    }
}

/* This thread's part of the k tile at k0, edges and all, into registers; and a k tile into a stage. */
CATC_DEVICE void CATC_LOCAL(fetch)(const struct catc_gemm_params *p, const struct catc_matrices *of, float *next_a,
                                   float *next_b, int64_t first_row, int64_t first_column, int64_t k0)
{
    CATC_PASTE(CATC_LOCAL(a), _fetch)(next_a, of->a, p->lda, first_row, p->m, k0, p->k, of->align_a == 16);
    CATC_PASTE(CATC_LOCAL(b), _fetch)(next_b, of->b, p->ldb, first_column, p->n, k0, p->k, of->align_b == 16);
}
CATC_DEVICE void CATC_LOCAL(stash)(struct CATC_LOCAL(stage) * stage, const float *next_a, const float *next_b)
{
    CATC_PASTE(CATC_LOCAL(a), _stash)(stage->a, next_a);
    CATC_PASTE(CATC_LOCAL(b), _stash)(stage->b, next_b);
}

CATC_KERNEL(CATC_SYMBOL, struct catc_gemm_params, CATC_C_THREADS, CATC_P_MIN_BLOCKS)
{
    const struct catc_gemm_params *const p = CATC_PARAMS;
    union CATC_LOCAL(shared) *const shared = CATC_SHARED(union CATC_LOCAL(shared));
    int const warp = catc_thread() / 32, lane = catc_thread() % 32;
    int const warp_row = warp / CATC_C_WARPS_C * CATC_C_WARP_R, warp_column = warp % CATC_C_WARPS_C * CATC_C_WARP_C;
    int const row = warp_row + lane / CATC_C_LANES_C * CATC_C_RUN_R;
    int const column = warp_column + lane % CATC_C_LANES_C * CATC_C_RUN_C;
    int64_t const depth = (p->k + CATC_P_TILE_K - 1) / CATC_P_TILE_K; /* k tiles */

    for (int64_t tile = catc_block(); tile < p->tiles; tile += catc_blocks()) {
        struct catc_tile_index const at = catc_raster(&p->raster, tile);
        int64_t const first_row = at.m * CATC_LOCAL(R), first_column = at.n * CATC_LOCAL(C);
        struct catc_matrices const of = catc_matrices(p, at.batch, CATC_C_ALIGN_A, CATC_C_ALIGN_B, CATC_C_ALIGN_D);
        struct CATC_PASTE(CATC_LOCAL(a), _source) a =
            CATC_PASTE(CATC_LOCAL(a), _open)(of.a, p->lda, first_row, p->m, of.align_a);
        struct CATC_PASTE(CATC_LOCAL(b), _source) b =
            CATC_PASTE(CATC_LOCAL(b), _open)(of.b, p->ldb, first_column, p->n, of.align_b);
        /* not behind the main loop: ptxas then orders the loads inside it worse, and fp32 loses 3 % */
        struct CATC_LOCAL(rows) const rows = CATC_LOCAL(epilogue_open)(p, &of, first_row, first_column);
        int64_t const whole = a.fast && b.fast ? p->k / CATC_P_TILE_K : 0; /* k tiles without edges, the first ones */
        float acc[CATC_LOCAL(THREAD_R)][CATC_LOCAL(THREAD_C)];
        float next_a[CATC_PASTE(CATC_LOCAL(a), _VALUES)], next_b[CATC_PASTE(CATC_LOCAL(b), _VALUES)];
        CATC_UNROLL(16)
        for (int i = 0; i < CATC_LOCAL(THREAD_R); ++i) {
            CATC_UNROLL(16)
            for (int j = 0; j < CATC_LOCAL(THREAD_C); ++j) {
                acc[i][j] = 0.0f;
            }
        }

        for (int64_t t = 0; t < CATC_P_STAGES - 1 && t < depth; ++t) {
            if (t < whole) {
                CATC_PASTE(CATC_LOCAL(a), _fetch_whole)(next_a, &a, p->lda);
                CATC_PASTE(CATC_LOCAL(b), _fetch_whole)(next_b, &b, p->ldb);
            } else {
                CATC_LOCAL(fetch)(p, &of, next_a, next_b, first_row, first_column, t * CATC_P_TILE_K);
            }
            CATC_LOCAL(stash)(&shared->ring[t], next_a, next_b);
        }
        CATC_SYNC_BLOCK();

        /* The loads of a later k tile are in flight during each multiplication: whole ones first, then edges. */
        int read = 0, write = CATC_P_STAGES - 1; /* stages of the ring */
        int64_t t = 0;
        for (; t + CATC_P_STAGES - 1 < whole; ++t) {
            CATC_PASTE(CATC_LOCAL(a), _fetch_whole)(next_a, &a, p->lda);
            CATC_PASTE(CATC_LOCAL(b), _fetch_whole)(next_b, &b, p->ldb);
            CATC_LOCAL(multiply)(acc, &shared->ring[read], row, column);
            CATC_LOCAL(stash)(&shared->ring[write], next_a, next_b);
            CATC_SYNC_BLOCK();
            write = read;
            read = read + 1 == CATC_P_STAGES ? 0 : read + 1;
        }
        for (; t < depth; ++t) {
            int64_t const ahead = t + CATC_P_STAGES - 1;
            if (ahead < depth) {
                CATC_LOCAL(fetch)(p, &of, next_a, next_b, first_row, first_column, ahead * CATC_P_TILE_K);
            }
            CATC_LOCAL(multiply)(acc, &shared->ring[read], row, column);
            if (ahead < depth) {
                CATC_LOCAL(stash)(&shared->ring[write], next_a, next_b);
            }
            CATC_SYNC_BLOCK();
            write = read;
            read = read + 1 == CATC_P_STAGES ? 0 : read + 1;
        }

        /* ---- epilogue: one run of every thread's rows at a time through the slab ---- */
        struct CATC_LOCAL(operands) operands;
        CATC_LOCAL(chain_begin)(p, &operands);
        CATC_UNROLL(4)
        for (int pass = 0; pass < CATC_C_PASSES; ++pass) {
            int const slab_row = warp_row / CATC_C_WARP_R * CATC_LOCAL(GROUP_R) + lane / CATC_C_LANES_C * CATC_C_RUN_R;
            CATC_UNROLL(4)
            for (int i = 0; i < CATC_C_RUN_R; ++i) {
                CATC_UNROLL(16)
                for (int j = 0; j < CATC_LOCAL(THREAD_C); j += CATC_C_RUN_C) {
                    catc_write_floats(shared->slab + (slab_row + i) * (CATC_LOCAL(C) + CATC_C_PAD) + column +
                                          j / CATC_C_RUN_C * CATC_LOCAL(GROUP_C),
                                      &acc[pass * CATC_C_RUN_R + i][j], CATC_C_RUN_C);
                }
            }
            CATC_SYNC_BLOCK();
            CATC_LOCAL(epilogue_rows)
            (p, &rows, &operands, shared->slab, pass, first_row, first_column, at.batch);
            CATC_SYNC_BLOCK(); /* the slab is written again by the next pass, the ring by the next tile */
        }
        CATC_LOCAL(chain_end)(p, &operands, at.batch);
    }
}

/* ---- descriptor --------------------------------------------------------------------------------------------- */

#define CATC_D_SKELETON CATC_GEMM_SIMT
#define CATC_D_WARP CATC_P_WARP_M, CATC_P_WARP_N
#define CATC_D_THREAD CATC_P_THREAD_M, CATC_P_THREAD_N
#define CATC_D_CLUSTER 1, 1
#include "catlass_c/skeleton/gemm_descriptor.inst.h"

#include "catlass_c/check/end.inst.h"
#endif
