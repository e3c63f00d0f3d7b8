/* SPDX-License-Identifier: Apache-2.0
 *
 * skeleton/gemm_sm80.skel.h: D = epilogue(alpha * A B + beta * C) on the tensor cores from Ampere on, fp32 accumulation:
 * cp.async, ldmatrix, mma.sync. bf16 and fp16, all four layouts, any alignment, any leading dimension, strided batch and
 * arrays of pointers.
 *
 * Contract
 *   threads   all warps do the same: (TILE_M / WARP_M) x (TILE_N / WARP_N) warps, each WARP_M x WARP_N of the tile
 *   shared    ring: STAGES x (left: TILE_M x TILE_K, right: TILE_N x TILE_K), swizzled (tile/operand_sm80.inst.h);
 *             slab: the epilogue's rows in fp32; where the tile and the next one lie
 *   protocol  one cp.async group for each k tile, also an empty one. Iteration t reads stage t % S while the copies of
 *             k tile t + S - 1 go to stage (t + S - 1) % S = (t - 1) % S. Before its last step it waits until k tile
 *             t + 1 has landed (S - 2 younger groups may be in flight), then one block barrier shows all copies to all
 *             warps and proves that stage t % S has been read
 *   registers with REG_BUFFERS 2 the fragments of step s + 1 are read during the products of step s; the last step reads
 *             the first fragments of the next k tile, which is why the wait comes one step early
 *   edges     k tiles that are whole go by 16-byte copies with rows outside the matrix as zeros; a k tile that ends in
 *             the middle, or a matrix that is not 16-byte aligned, by a slower loop (copy_edge)
 *   tiles     a block takes every catc_blocks()-th tile; the first copies of the next one run during the epilogue
 *   order     every element of D is one chain over K in one accumulator, whatever the grid
 * Parameters and rules: check/gemm_sm80.h. Left and right are the sides of the instruction: A and B, with SWAP B and A,
 * so that the tile's M runs along the caller's N. */
#ifdef CATC_SKELETON_STANDALONE
/* a complete set, so that an editor can read this file alone */
#define CATC_P_NAME gemm_sm80_standalone
#define CATC_P_NAME_STRING "gemm_sm80_standalone"
#define CATC_P_SOURCE "skeleton/gemm_sm80.skel.h"
#define CATC_P_TYPE_A bf16
#define CATC_P_TYPE_B bf16
#define CATC_P_TYPE_ACC f32
#define CATC_P_TYPE_D bf16
#define CATC_P_LAYOUT tn
#define CATC_P_TILE_M 128
#define CATC_P_TILE_N 128
#define CATC_P_TILE_K 32
#define CATC_P_WARP_M 64
#define CATC_P_WARP_N 64
#define CATC_P_STAGES 3
#define CATC_P_SCHEDULE multistage
#define CATC_P_SWAP 0
#define CATC_P_REG_BUFFERS 2
#define CATC_P_UNROLL 32
#define CATC_P_MIN_BLOCKS 1
#define CATC_P_N_EPI 0
#define CATC_P_EPI_LIST(X)
#endif

#include "catlass_c/epilogue/chain.h"
#include "catlass_c/registry.h"
#include "catlass_c/tile/chunk.h"
#include "catlass_c/tile/kind.h"
#include "catlass_c/tile/matrices.h"
#include "catlass_c/tile/raster.h"
#include "catlass_c/tile/swizzle.h"
#include "catlass_c/tile/vector.h"

#include "catlass_c/check/gemm_sm80.h"
#ifndef CATC_PROBE
#include "catlass_c/skeleton/symbols.inst.h"

/* ---- operands and epilogue ---------------------------------------------------------------------------------- */

#define CATC_I_NAME CATC_LOCAL(left)
#define CATC_I_EXTENT CATC_P_TILE_M
#define CATC_I_WARP CATC_P_WARP_M
#define CATC_I_DEPTH CATC_P_TILE_K
#define CATC_I_KCONTIG CATC_C_LEFT_KCONTIG
#define CATC_I_SPAN CATC_C_LEFT_SPAN
#define CATC_I_LEFT 1
#define CATC_I_THREADS CATC_C_THREADS
#include "catlass_c/tile/operand_sm80.inst.h"

#define CATC_I_NAME CATC_LOCAL(right)
#define CATC_I_EXTENT CATC_P_TILE_N
#define CATC_I_WARP CATC_P_WARP_N
#define CATC_I_DEPTH CATC_P_TILE_K
#define CATC_I_KCONTIG CATC_C_RIGHT_KCONTIG
#define CATC_I_SPAN CATC_C_RIGHT_SPAN
#define CATC_I_LEFT 0
#define CATC_I_THREADS CATC_C_THREADS
#include "catlass_c/tile/operand_sm80.inst.h"

#define CATC_I_VEC CATC_C_VEC_D
#include "catlass_c/epilogue/chain.inst.h"
#define CATC_I_COLUMNS CATC_C_TILE_C
#define CATC_I_ROWS CATC_C_SLAB_ROWS
#define CATC_I_GROUP 16
#define CATC_I_STRIDE CATC_C_WARP_R
#define CATC_I_THREADS CATC_C_THREADS
#include "catlass_c/tile/epilogue_rows.inst.h"

/* ---- sizes -------------------------------------------------------------------------------------------------- */

enum {
    CATC_LOCAL(MT) = CATC_PASTE(CATC_LOCAL(left), _TILES),
    CATC_LOCAL(NT) = CATC_PASTE(CATC_LOCAL(right), _TILES),
    CATC_LOCAL(STEPS) = CATC_P_TILE_K / 16, /* k steps of a stage */
    CATC_LOCAL(AHEAD) = CATC_P_REG_BUFFERS - 1,
    CATC_LOCAL(TURN) = CATC_LOCAL(STEPS) - 1 - CATC_LOCAL(AHEAD), /* the step after which the next stage is read */
    CATC_LOCAL(PITCH) = CATC_C_TILE_C + CATC_C_PAD                /* floats of a slab row */
};

/* ---- shared memory ------------------------------------------------------------------------------------------ */

struct CATC_LOCAL(stage) {
    uint8_t left[CATC_PASTE(CATC_LOCAL(left), _BYTES)];
    uint8_t right[CATC_PASTE(CATC_LOCAL(right), _BYTES)];
};
/* The tile of D that the block works on, here because registers are dear in the main loop. */
struct CATC_LOCAL(place) {
    struct catc_matrices of;
    int64_t first_m, first_n, batch; /* first row of each operand in the tile: M and N of the instruction */
};
struct CATC_LOCAL(shared) {
    struct CATC_LOCAL(stage) ring[CATC_P_STAGES];
    float slab[CATC_C_SLAB_ROWS * CATC_LOCAL(PITCH)];
    struct CATC_LOCAL(place) place[2]; /* of this tile and the next */
};
CATC_STATIC_ASSERT(sizeof(struct CATC_LOCAL(shared)) == CATC_C_SMEM_BYTES,
                   CATC_P_NAME_STRING ": CATC_C_SMEM_BYTES must be the size of the shared struct");

enum { CATC_LOCAL(BYTES) = sizeof(struct CATC_LOCAL(stage)) };

/* ---- main loop ---------------------------------------------------------------------------------------------- */

/* What a thread copies for a tile of D. */
struct CATC_LOCAL(copies) {
    struct CATC_PASTE(CATC_LOCAL(left), _source) left;
    struct CATC_PASTE(CATC_LOCAL(right), _source) right;
    int depth, whole; /* k tiles; those that the fast copies can do, the first ones */
};

#define CATC_LEFT_OF(a, b) (CATC_P_SWAP ? (b) : (a))
#define CATC_RIGHT_OF(a, b) (CATC_P_SWAP ? (a) : (b))

CATC_DEVICE struct CATC_LOCAL(copies)
    CATC_LOCAL(open)(const struct catc_gemm_params *p, struct CATC_LOCAL(place) * place, int64_t tile)
{
    struct catc_tile_index const at = catc_raster(&p->raster, tile);
    struct catc_matrices const of = catc_matrices(p, at.batch, CATC_C_ALIGN_A, CATC_C_ALIGN_B, CATC_C_ALIGN_D);
    int64_t const first_m = at.m * CATC_P_TILE_M, first_n = at.n * CATC_P_TILE_N;
    struct CATC_LOCAL(copies) w;
    if (catc_thread() == 0) {
        place->of = of;
        place->first_m = first_m;
        place->first_n = first_n;
        place->batch = at.batch;
    }
    w.left = CATC_PASTE(CATC_LOCAL(left), _open)(CATC_LEFT_OF(of.a, of.b), CATC_LEFT_OF(p->lda, p->ldb), first_m,
                                                 CATC_LEFT_OF(p->m, p->n), CATC_LEFT_OF(of.align_a, of.align_b));
    w.right = CATC_PASTE(CATC_LOCAL(right), _open)(CATC_RIGHT_OF(of.a, of.b), CATC_RIGHT_OF(p->lda, p->ldb), first_n,
                                                   CATC_RIGHT_OF(p->m, p->n), CATC_RIGHT_OF(of.align_a, of.align_b));
    w.depth = (int)((p->k + CATC_P_TILE_K - 1) / CATC_P_TILE_K);
    w.whole = (int)catc_keep_u32(w.left.fast && w.right.fast ? (uint32_t)(p->k / CATC_P_TILE_K) : 0u);
    return w;
}

/* Part `part` of `parts` of the next k tile, a whole one; the last part moves on to the one after it. */
CATC_DEVICE void CATC_LOCAL(copy)(const struct catc_gemm_params *p, struct CATC_LOCAL(copies) * w, uint32_t stage,
                                  int part, int parts)
{
    enum {
        LEFT = CATC_PASTE(CATC_LOCAL(left), _PASSES),
        RIGHT = CATC_PASTE(CATC_LOCAL(right), _PASSES),
        RIGHT_AT = CATC_PASTE(CATC_LOCAL(left), _BYTES)
    };
    CATC_PASTE(CATC_LOCAL(left), _copy)(&w->left, stage, part * LEFT / parts, (part + 1) * LEFT / parts);
    CATC_PASTE(CATC_LOCAL(right), _copy)
    (&w->right, stage + RIGHT_AT, part * RIGHT / parts, (part + 1) * RIGHT / parts);
    if (part + 1 == parts) {
        CATC_PASTE(CATC_LOCAL(left), _advance)(&w->left, CATC_LEFT_OF(p->lda, p->ldb));
        CATC_PASTE(CATC_LOCAL(right), _advance)(&w->right, CATC_RIGHT_OF(p->lda, p->ldb));
    }
}

/* K tile t, one that is not whole. */
CATC_DEVICE void CATC_LOCAL(copy_edge)(const struct catc_gemm_params *p, const struct CATC_LOCAL(place) * place,
                                       struct CATC_LOCAL(stage) * stage, int t)
{
    int64_t const k0 = (int64_t)t * CATC_P_TILE_K;
    CATC_PASTE(CATC_LOCAL(left), _copy_edge)
    (stage->left, CATC_LEFT_OF(place->of.a, place->of.b), CATC_LEFT_OF(p->lda, p->ldb), place->first_m,
     CATC_LEFT_OF(p->m, p->n), k0, p->k, CATC_LEFT_OF(place->of.align_a, place->of.align_b));
    CATC_PASTE(CATC_LOCAL(right), _copy_edge)
    (stage->right, CATC_RIGHT_OF(place->of.a, place->of.b), CATC_RIGHT_OF(p->lda, p->ldb), place->first_n,
     CATC_RIGHT_OF(p->m, p->n), k0, p->k, CATC_RIGHT_OF(place->of.align_a, place->of.align_b));
}

struct CATC_LOCAL(fragments) {
    uint32_t left[CATC_LOCAL(MT)][4], right[CATC_LOCAL(NT)][4];
};

CATC_DEVICE void CATC_LOCAL(load)(struct CATC_LOCAL(fragments) * f, uint32_t stage, int warp_m, int warp_n, int step)
{
    enum { RIGHT_AT = CATC_PASTE(CATC_LOCAL(left), _BYTES) };
    CATC_PASTE(CATC_LOCAL(left), _fragments)(f->left, stage, warp_m, step);
    CATC_PASTE(CATC_LOCAL(right), _fragments)(f->right, stage + RIGHT_AT, warp_n, step);
}

/* acc[i][j]: rows 16 i of the warp's tile, columns 8 j. Every second row of products runs backwards, so that one right
 * fragment serves two of them in a row. */
CATC_DEVICE void CATC_LOCAL(multiply)(float (*acc)[2 * CATC_LOCAL(NT)][4], const struct CATC_LOCAL(fragments) * f)
{
    CATC_UNROLL(8)
    for (int i = 0; i < CATC_LOCAL(MT); ++i) {
        CATC_UNROLL(16)
        for (int jj = 0; jj < 2 * CATC_LOCAL(NT); ++jj) {
            int const j = i % 2 ? 2 * CATC_LOCAL(NT) - 1 - jj : jj;
            CATC_PASTE(CATC_MMA_M16N8K16_, CATC_P_TYPE_A)(acc[i][j], f->left[i], f->right[j / 2] + j % 2 * 2);
        }
    }
}

/* One k tile, in stage *from, and what goes on meanwhile: the copies of a whole k tile to stage *to if `copy` (a constant),
 * and the first fragments of the next stage if `more`. */
CATC_DEVICE void CATC_LOCAL(iterate)(const struct catc_gemm_params *p, float (*acc)[2 * CATC_LOCAL(NT)][4],
                                     struct CATC_LOCAL(fragments) * f, struct CATC_LOCAL(copies) * w, uint32_t *from,
                                     uint32_t *to, uint32_t ring, int warp_m, int warp_n, bool copy, bool more)
{
    uint32_t const next = *from == ring + (CATC_P_STAGES - 1) * CATC_LOCAL(BYTES) ? ring : *from + CATC_LOCAL(BYTES);
    CATC_UNROLL(1)
    for (int part = 0; part < CATC_P_TILE_K / CATC_P_UNROLL; ++part) {
        CATC_UNROLL(8)
        for (int u = 0; u < CATC_P_UNROLL / 16; ++u) {
            int const step = part * (CATC_P_UNROLL / 16) + u;
            if (!CATC_LOCAL(AHEAD)) {
                CATC_LOCAL(load)(&f[0], *from, warp_m, warp_n, step);
            } else if (step + 1 < CATC_LOCAL(STEPS)) {
                CATC_LOCAL(load)(&f[(u + 1) % CATC_P_REG_BUFFERS], *from, warp_m, warp_n, step + 1);
            } else if (more) {
                CATC_LOCAL(load)(&f[(u + 1) % CATC_P_REG_BUFFERS], next, warp_m, warp_n, 0);
            }
            if (copy && step <= CATC_LOCAL(TURN)) {
                CATC_LOCAL(copy)(p, w, *to, step, CATC_LOCAL(TURN) + 1);
            }
            CATC_LOCAL(multiply)(acc, &f[u % CATC_P_REG_BUFFERS]);
            if (step == CATC_LOCAL(TURN)) {
                CATC_CP_ASYNC_COMMIT();
                CATC_CP_ASYNC_WAIT(CATC_P_STAGES - 2);
                CATC_SYNC_BLOCK();
            }
        }
    }
    *to = *from;
    *from = next;
}

/* The accumulators of pass `pass` into the slab: 16 rows of D of every warp. row, column: where those begin in it. */
CATC_DEVICE void CATC_LOCAL(stash)(float *slab, float (*acc)[2 * CATC_LOCAL(NT)][4], int pass, int row, int column)
{
    int const g = catc_thread() % 32 / 4, q = catc_thread() % 4; /* row and pair of columns of an mma (arch/sm80.h) */
    CATC_UNROLL(8)
    for (int i = 0; i < CATC_LOCAL(MT); ++i) {
        CATC_UNROLL(16)
        for (int j = 0; j < 2 * CATC_LOCAL(NT); ++j) {
            CATC_UNROLL(2)
            for (int h = 0; h < 2; ++h) { /* the instruction's rows g and g + 8 */
                if (CATC_P_SWAP && j / 2 == pass) {
                    float *const at =
                        slab + (row + j % 2 * 8 + 2 * q) * CATC_LOCAL(PITCH) + column + i * 16 + g + 8 * h;
                    at[0] = acc[i][j][2 * h];
                    at[CATC_LOCAL(PITCH)] = acc[i][j][2 * h + 1];
                } else if (!CATC_P_SWAP && i == pass) {
                    catc_write_pair(slab + (row + g + 8 * h) * CATC_LOCAL(PITCH) + column + j * 8 + 2 * q,
                                    acc[i][j][2 * h], acc[i][j][2 * h + 1]);
                }
            }
        }
    }
}

/* The first STAGES - 1 k tiles of a tile of D, one group each. */
CATC_DEVICE void CATC_LOCAL(begin)(const struct catc_gemm_params *p, struct CATC_LOCAL(copies) * w,
                                   const struct CATC_LOCAL(place) * place, struct CATC_LOCAL(stage) * ring)
{
    CATC_UNROLL(1) /* unrolled, the slow copies alone were 30 KB of code */
    for (int s = 0; s < CATC_P_STAGES - 1; ++s) {
        if (s < w->whole) {
            CATC_LOCAL(copy)(p, w, catc_smem_u32(ring + s), 0, 1);
        } else if (s < w->depth) {
            CATC_LOCAL(copy_edge)(p, place, ring + s, s);
        }
        CATC_CP_ASYNC_COMMIT();
    }
}

CATC_KERNEL(CATC_SYMBOL, struct catc_gemm_params, CATC_C_THREADS, CATC_P_MIN_BLOCKS)
{
    const struct catc_gemm_params *const p = CATC_PARAMS;
    struct CATC_LOCAL(shared) *const shared = CATC_SHARED(struct CATC_LOCAL(shared));
    uint32_t const ring = catc_smem_u32(shared->ring);
    int const warp = catc_thread() / 32;
    int const warp_m = warp / CATC_C_WARPS_N * CATC_P_WARP_M, warp_n = warp % CATC_C_WARPS_N * CATC_P_WARP_N;
    struct CATC_LOCAL(place) *place = &shared->place[0], *next_place = &shared->place[1];
    struct CATC_LOCAL(copies) w = CATC_LOCAL(open)(p, place, catc_block());
    CATC_SYNC_BLOCK(); /* place is written */
    CATC_LOCAL(begin)(p, &w, place, shared->ring);

    for (int64_t tile = catc_block(); tile < p->tiles; tile += catc_blocks()) {
        struct CATC_LOCAL(fragments) fragments[CATC_P_REG_BUFFERS];
        float acc[CATC_LOCAL(MT)][2 * CATC_LOCAL(NT)][4];
        CATC_UNROLL(8)
        for (int i = 0; i < CATC_LOCAL(MT); ++i) {
            CATC_UNROLL(16)
            for (int j = 0; j < 2 * CATC_LOCAL(NT); ++j) {
                acc[i][j][0] = acc[i][j][1] = acc[i][j][2] = acc[i][j][3] = 0.0f;
            }
        }
        CATC_CP_ASYNC_WAIT(CATC_P_STAGES - 2);
        CATC_SYNC_BLOCK();
        if (CATC_LOCAL(AHEAD) && w.depth > 0) {
            CATC_LOCAL(load)(&fragments[0], ring, warp_m, warp_n, 0);
        }

        /* Iterations that copy a whole k tile, then those that copy an edge, or nothing more. */
        uint32_t from = ring, to = ring + (CATC_P_STAGES - 1) * CATC_LOCAL(BYTES); /* stages read and written */
        int t = 0;
        for (; t + CATC_P_STAGES - 1 < w.whole; ++t) {
            CATC_LOCAL(iterate)(p, acc, fragments, &w, &from, &to, ring, warp_m, warp_n, true, true);
        }
        for (; t < w.depth; ++t) {
            if (t + CATC_P_STAGES - 1 < w.depth) {
                CATC_LOCAL(copy_edge)
                (p, place, &shared->ring[(to - ring) / CATC_LOCAL(BYTES)], t + CATC_P_STAGES - 1);
            }
            CATC_LOCAL(iterate)(p, acc, fragments, &w, &from, &to, ring, warp_m, warp_n, false, t + 1 < w.depth);
        }

        /* ---- epilogue: 16 rows of every warp at a time through the slab ---- */
        bool const another = catc_blocks() < p->tiles - tile;
        if (another) { /* nobody reads the ring any more: the next tile's first copies run during the epilogue */
            w = CATC_LOCAL(open)(p, next_place, tile + catc_blocks());
        }
        int64_t const first_row = CATC_LEFT_OF(place->first_m, place->first_n);
        int64_t const first_column = CATC_LEFT_OF(place->first_n, place->first_m);
        struct CATC_LOCAL(rows) const rows = CATC_LOCAL(epilogue_open)(p, &place->of, first_row, first_column);
        struct CATC_LOCAL(operands) operands;
        CATC_LOCAL(chain_begin)(p, &operands);
        CATC_UNROLL(8)
        for (int pass = 0; pass < CATC_C_PASSES; ++pass) {
            CATC_LOCAL(stash)
            (shared->slab, acc, pass, CATC_LEFT_OF(warp_m, warp_n) / CATC_C_PASSES, CATC_LEFT_OF(warp_n, warp_m));
            CATC_SYNC_BLOCK();
            if (pass == 0 && another) {
                CATC_LOCAL(begin)(p, &w, next_place, shared->ring);
            }
            CATC_LOCAL(epilogue_rows)
            (p, &rows, &operands, shared->slab, pass, first_row, first_column, place->batch);
            CATC_SYNC_BLOCK(); /* the slab is written again by the next pass */
        }
        CATC_LOCAL(chain_end)(p, &operands, place->batch);
        struct CATC_LOCAL(place) *const done = place;
        place = next_place;
        next_place = done;
    }
    CATC_CP_ASYNC_WAIT(0); /* groups without copies, but a thread must not end with any open */
}

/* ---- descriptor --------------------------------------------------------------------------------------------- */

#define CATC_D_SKELETON CATC_GEMM_SM80
#define CATC_D_WARP CATC_P_WARP_M, CATC_P_WARP_N
#define CATC_D_THREAD 0, 0
#define CATC_D_CLUSTER 1, 1
#include "catlass_c/skeleton/gemm_descriptor.inst.h"

#undef CATC_LEFT_OF
#undef CATC_RIGHT_OF
#include "catlass_c/check/end.inst.h"
#endif
