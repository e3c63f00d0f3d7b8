/* SPDX-License-Identifier: Apache-2.0
 *
 * skeleton/gemm_sm90.skel.h: D = epilogue(alpha * A B + beta * C) on Hopper's tensor cores, fp32 accumulation: TMA,
 * wgmma, warp-specialised, persistent. Layout tn; bases, leading dimensions and batch strides in multiples of 16 bytes,
 * those of D in any.
 *
 * Contract
 *   threads   warpgroup 0 produces: its first thread issues every load of A and B. The others consume.
 *             cooperative: the consumers share a tile, each has 64 or 128 of its rows and all its columns
 *             pingpong: two consumers take tiles in turn; while one computes, the other stores
 *   tiles     a block takes every catc_blocks()-th tile; all roles walk the same list
 *   swap      the kernel's a is the caller's B and its b the caller's A: it computes D transposed, whose few columns are the
 *             caller's few rows, and stores it as the caller's D (tile/epilogue_fragment.inst.h)
 *   edges     TMA reads zeros outside the tensors; D's right edge, where a row does not end on 16 bytes, and all of a D
 *             that is not aligned to them, is stored by elements (copy_rest)
 *   order     every element of D is one chain over K in one accumulator, whatever the grid
 * Shared memory (128 x 256 x 64, 4 stages, bias: 231424 bytes)
 *   a, b      STAGES x TILE_K / 64 x rows x 128 bytes, 128-byte swizzle: 65536 + 131072
 *   stage     2 buffers x 2 consumers of C, D, TILE and TAP (tile/fragment_stage.h): 32768
 *   columns   COL operands (with SWAP: ROW) as fp32, COLUMNS x TILE_N for each tile in work
 *   barriers  full, empty, staged, turn
 * Protocol
 *   full[s]   1 arrival (producer) + bytes of both boxes; consumers wait
 *   empty[s]  one arrival of each warp that reads the stage, when its wgmmas are complete; producer waits
 *   staged    1 arrival (first thread of the consumer) + bytes of C and TILE; that consumer waits
 *   turn[c]   pingpong: 4 arrivals, when the other consumer has issued the wgmmas of its tile; consumer c waits. The
 *             tensor cores finish one tile before they begin the next, and stores run beside them. The result needs it
 *             too: a consumer skips the other's stages, and full[s] knows its round by one bit, so that the wait of one
 *             that runs ahead would pass while the stage is still a round behind
 *   named 1 + c   one consumer: staging buffer free / written
 *   named 4 + c   those that share a tile (c of the first): columns free / written
 * Parameters and rules: check/gemm_sm90.h. */
#ifdef CATC_SKELETON_STANDALONE
/* a complete set, so that an editor can read this file alone */
#define CATC_P_NAME gemm_sm90_standalone
#define CATC_P_NAME_STRING "gemm_sm90_standalone"
#define CATC_P_SOURCE "skeleton/gemm_sm90.skel.h"
#define CATC_P_TYPE_A bf16
#define CATC_P_TYPE_B bf16
#define CATC_P_TYPE_ACC f32
#define CATC_P_TYPE_D bf16
#define CATC_P_LAYOUT tn
#define CATC_P_TILE_M 128
#define CATC_P_TILE_N 256
#define CATC_P_TILE_K 64
#define CATC_P_CLUSTER_M 1
#define CATC_P_CLUSTER_N 1
#define CATC_P_STAGES 4
#define CATC_P_SCHEDULE cooperative
#define CATC_P_SWAP 0
#define CATC_P_MIN_BLOCKS 1
#define CATC_P_PRODUCER_REGS 40
#define CATC_P_CONSUMER_REGS 232
#define CATC_P_N_EPI 0
#define CATC_P_EPI_LIST(X)
#endif

#include "catlass_c/arch/sm90.h"
#include "catlass_c/epilogue/chain.h"
#include "catlass_c/registry.h"
#include "catlass_c/tile/fragment.h"
#include "catlass_c/tile/pipeline.h"
#include "catlass_c/tile/raster.h"

#include "catlass_c/check/gemm_sm90.h"
#ifndef CATC_PROBE
#include "catlass_c/skeleton/symbols.inst.h"

/* ---- sizes -------------------------------------------------------------------------------------------------- */

enum {
    CATC_LOCAL(BLOCKS) = CATC_C_ROWS / CATC_FRAGMENT_ROWS, /* of 64 rows: wgmmas of a consumer for each k step */
    CATC_LOCAL(ACC) = CATC_P_TILE_N / 2,                   /* accumulators of a thread for one of them */
    CATC_LOCAL(SPANS) = CATC_P_TILE_K / CATC_C_SPAN_K,
    CATC_LOCAL(A_SPAN) = CATC_P_TILE_M * 128, /* bytes of one box of A: 64 of K, all rows */
    CATC_LOCAL(B_SPAN) = CATC_P_TILE_N * 128
};

/* ---- shared memory ------------------------------------------------------------------------------------------ */

struct CATC_ALIGNAS(1024) CATC_LOCAL(shared) {
    uint8_t a[CATC_P_STAGES][CATC_LOCAL(SPANS) * CATC_LOCAL(A_SPAN)];
    uint8_t b[CATC_P_STAGES][CATC_LOCAL(SPANS) * CATC_LOCAL(B_SPAN)];
    uint8_t stage[CATC_FRAGMENT_BUFFERS][CATC_C_CONSUMERS][CATC_C_STAGE_BYTES];
    float columns[CATC_C_COLUMN_FLOATS];
    uint64_t full[CATC_P_STAGES], empty[CATC_P_STAGES];
    uint64_t staged[CATC_C_CONSUMERS][CATC_FRAGMENT_BUFFERS];
    uint64_t turn[CATC_C_CONSUMERS];
};
CATC_STATIC_ASSERT(sizeof(struct CATC_LOCAL(shared)) == CATC_C_SMEM_BYTES,
                   CATC_P_NAME_STRING ": CATC_C_SMEM_BYTES must be the size of the shared struct");

/* ---- instruction and epilogue ------------------------------------------------------------------------------- */

#define CATC_W_NAME CATC_LOCAL(wgmma)
#define CATC_W_N CATC_P_TILE_N
#define CATC_W_TYPE CATC_P_TYPE_A
#define CATC_W_TRANS_A 0
#define CATC_W_TRANS_B 0
#include "catlass_c/arch/wgmma.inst.h"

#define CATC_I_VEC 2
#include "catlass_c/epilogue/chain.inst.h"
#include "catlass_c/tile/epilogue_fragment.inst.h"

/* ---- producer ----------------------------------------------------------------------------------------------- */

/* One thread: fills the ring, tile after tile. */
CATC_DEVICE void CATC_LOCAL(produce)(const struct catc_gemm_sm90_params *p, struct CATC_LOCAL(shared) * shared)
{
    const struct catc_gemm_params *const g = &p->gemm;
    int32_t const depth = (int32_t)((g->k + CATC_P_TILE_K - 1) / CATC_P_TILE_K);
    struct catc_ring ring = {0, 0};
    for (int64_t tile = catc_block(); tile < g->tiles; tile += catc_blocks()) {
        struct catc_tile_index const at = catc_raster(&g->raster, tile);
        int32_t const a_row = (int32_t)at.m * CATC_P_TILE_M, b_row = (int32_t)at.n * CATC_P_TILE_N;
        int32_t const a_batch = (CATC_P_SWAP ? g->stride_b : g->stride_a) ? (int32_t)at.batch : 0;
        int32_t const b_batch = (CATC_P_SWAP ? g->stride_a : g->stride_b) ? (int32_t)at.batch : 0;
        for (int32_t t = 0; t < depth; ++t) {
            uint32_t const full = catc_smem_u32(&shared->full[ring.stage]);
            CATC_MBAR_WAIT(catc_smem_u32(&shared->empty[ring.stage]), ring.phase ^ 1);
            /* boxes count in full, also where they hang over an edge */
            catc_mbar_expect_tx(full, CATC_LOCAL(SPANS) * (CATC_LOCAL(A_SPAN) + CATC_LOCAL(B_SPAN)));
            for (int span = 0; span < CATC_LOCAL(SPANS); ++span) {
                int32_t const k = t * CATC_P_TILE_K + span * CATC_C_SPAN_K;
                catc_tma_load_3d(catc_smem_u32(shared->a[ring.stage] + span * CATC_LOCAL(A_SPAN)), &p->a, full, k,
                                 a_row, a_batch);
                catc_tma_load_3d(catc_smem_u32(shared->b[ring.stage] + span * CATC_LOCAL(B_SPAN)), &p->b, full, k,
                                 b_row, b_batch);
            }
            catc_ring_next(&ring, CATC_P_STAGES);
        }
    }
}

/* ---- consumers ---------------------------------------------------------------------------------------------- */

/* The sum over K of one tile. One group of wgmmas stays in flight: the stage before is released when the next one has
 * been issued. other: with pingpong the consumer whose turn is next. */
CATC_DEVICE void CATC_LOCAL(accumulate)(float *acc, struct CATC_LOCAL(shared) * shared, struct catc_ring *ring,
                                        uint64_t desc_a, uint64_t desc_b, int32_t depth, int other)
{
    bool const arrives = catc_thread() % 32 == 0;
    int previous = 0; /* stage of the group in flight */
    for (int32_t t = 0; t < depth; ++t) {
        /* descriptors count in 16 bytes */
        uint64_t const a = desc_a + (uint32_t)(ring->stage * (CATC_LOCAL(SPANS) * CATC_LOCAL(A_SPAN) / 16));
        uint64_t const b = desc_b + (uint32_t)(ring->stage * (CATC_LOCAL(SPANS) * CATC_LOCAL(B_SPAN) / 16));
        CATC_MBAR_WAIT(catc_smem_u32(&shared->full[ring->stage]), ring->phase);
        catc_wgmma_fence();
        CATC_UNROLL(16)
        for (int k = 0; k < CATC_P_TILE_K / 16; ++k) { /* 32 bytes of K each, 4 to a span */
            CATC_UNROLL(2)
            for (int i = 0; i < CATC_LOCAL(BLOCKS); ++i) {
                CATC_LOCAL(wgmma)
                (acc + i * CATC_LOCAL(ACC),
                 a + (uint32_t)(i * (CATC_FRAGMENT_ROWS * 128 / 16) + k / 4 * (CATC_LOCAL(A_SPAN) / 16) + k % 4 * 2),
                 b + (uint32_t)(k / 4 * (CATC_LOCAL(B_SPAN) / 16) + k % 4 * 2), t > 0 || k > 0);
            }
        }
        catc_wgmma_commit();
        CATC_WGMMA_WAIT(1, acc, 0);
        if (t > 0 && arrives) {
            catc_mbar_arrive(catc_smem_u32(&shared->empty[previous]));
        }
        previous = ring->stage;
        catc_ring_next(ring, CATC_P_STAGES);
    }
    if (CATC_C_IS_PINGPONG && arrives) {
        catc_mbar_arrive(catc_smem_u32(&shared->turn[other]));
    }
    CATC_WGMMA_WAIT(0, acc, CATC_C_ACC);
    if (depth > 0 && arrives) {
        catc_mbar_arrive(catc_smem_u32(&shared->empty[previous]));
    }
}

/* One consumer warpgroup. */
CATC_DEVICE void CATC_LOCAL(consume)(const struct catc_gemm_sm90_params *p, struct CATC_LOCAL(shared) * shared,
                                     int consumer)
{
    const struct catc_gemm_params *const g = &p->gemm;
    int32_t const depth = (int32_t)((g->k + CATC_P_TILE_K - 1) / CATC_P_TILE_K);
    int const lane = catc_thread() % 32, sharer = CATC_C_IS_PINGPONG ? 0 : consumer; /* place among those of a tile */
    int const thread = sharer * 128 + catc_thread() % 128;                           /* among their threads */
    uint64_t const desc_a =
        catc_wgmma_desc(catc_smem_u32(shared->a[0] + sharer * CATC_C_ROWS * 128), 16, 1024, CATC_SWIZZLE_128B);
    uint64_t const desc_b = catc_wgmma_desc(catc_smem_u32(shared->b[0]), 16, 1024, CATC_SWIZZLE_128B);
    float const beta = g->beta_ptr ? *g->beta_ptr : g->beta;
    struct catc_ring ring = {0, 0};
    uint32_t turn = consumer == 0; /* the first consumer's first turn passes at once */
    struct CATC_LOCAL(epilogue) e;
    struct CATC_LOCAL(early) early;
    float acc[CATC_C_ACC];
    e.p = p;
    e.columns = shared->columns + (consumer - sharer) * CATC_C_COLUMNS * CATC_P_TILE_N;
    e.stage = shared->stage[0][consumer];
    e.stage_pitch = (uint32_t)sizeof shared->stage[0];
    e.staged = shared->staged[consumer];
    e.barrier = 1 + consumer;
    e.leader = catc_thread() % 128 == 0;
    e.row = catc_thread() % 128 / 32 * 16 + lane / 4;
    e.lane_column = lane % 4 * 2;
    e.use_c = beta != 0.0f;
    e.d_by_tma = g->align_d == 16;
    /* K = 0: the sum is 0, whatever alpha is; the accumulators are still the zeros from here */
    e.alpha = depth == 0 ? 0.0f : g->alpha_ptr ? *g->alpha_ptr : g->alpha;
    e.beta = beta;
    e.round = 0;
    CATC_UNROLL(256)
    for (int i = 0; i < CATC_C_ACC; ++i) {
        acc[i] = 0.0f;
    }
    if (CATC_C_IS_PINGPONG && consumer == 1) {
        catc_ring_skip(&ring, depth, CATC_P_STAGES); /* the stages of the other one's tile */
    }

    int64_t const step = catc_blocks() * (CATC_C_CONSUMERS / CATC_C_SHARERS);
    for (int64_t tile = catc_block() + (consumer - sharer) * catc_blocks(); tile < g->tiles; tile += step) {
        struct catc_tile_index const at = catc_raster(&g->raster, tile);
        e.first_down = at.m * CATC_P_TILE_M + sharer * CATC_C_ROWS;
        e.first_across = at.n * CATC_P_TILE_N;
        e.batch = at.batch;
        CATC_LOCAL(copy_in_first)(&e);
        CATC_LOCAL(prefetch)(&e, &early, thread);
        if (CATC_C_IS_PINGPONG) {
            CATC_MBAR_WAIT(catc_smem_u32(&shared->turn[consumer]), turn);
            CATC_SYNC_WARP(); /* before the first lane passes the turn on, every lane must have seen its own */
            turn ^= 1;
        }
        CATC_LOCAL(accumulate)(acc, shared, &ring, desc_a, desc_b, depth, consumer ^ 1);
        if (CATC_C_IS_PINGPONG) {
            catc_ring_skip(&ring, depth, CATC_P_STAGES);
        }
        if (CATC_C_COLUMNS > 0) {
            CATC_NAMED_BARRIER(4 + consumer - sharer, 128 * CATC_C_SHARERS);
            CATC_LOCAL(publish)(&e, &early, thread);
            CATC_NAMED_BARRIER(4 + consumer - sharer, 128 * CATC_C_SHARERS);
        }
        CATC_LOCAL(epilogue_fragments)(&e, &early, acc);
    }
    if (e.leader) {
        CATC_BULK_WAIT_READ(0); /* shared memory must outlive the stores that read it */
    }
}

/* ---- kernel ------------------------------------------------------------------------------------------------- */

CATC_KERNEL(CATC_SYMBOL, struct catc_gemm_sm90_params, CATC_C_THREADS, CATC_P_MIN_BLOCKS)
{
    const struct catc_gemm_sm90_params *const p = CATC_PARAMS;
    struct CATC_LOCAL(shared) *const shared = CATC_SHARED(struct CATC_LOCAL(shared));
    int const warpgroup = catc_warp_uniform(catc_thread() / 128);

    if (catc_thread() == 0) {
        if (p->gemm.k > 0) { /* first: their way is long, and the first loads wait for them */
            catc_tma_prefetch(&p->a);
            catc_tma_prefetch(&p->b);
        }
        for (int s = 0; s < CATC_P_STAGES; ++s) {
            catc_mbar_init(catc_smem_u32(&shared->full[s]), 1);
            catc_mbar_init(catc_smem_u32(&shared->empty[s]), 4 * CATC_C_SHARERS);
        }
        for (int c = 0; c < CATC_C_CONSUMERS; ++c) {
            catc_mbar_init(catc_smem_u32(&shared->turn[c]), 4);
        }
        for (int i = 0; i < CATC_C_CONSUMERS * CATC_FRAGMENT_BUFFERS; ++i) {
            catc_mbar_init(catc_smem_u32(&shared->staged[0][0] + i), 1);
        }
        catc_fence_mbar_init();
        if (p->gemm.align_d == 16) {
            catc_tma_prefetch(&p->d);
        }
    }
    CATC_SYNC_BLOCK();

    if (warpgroup == 0) {
        if (CATC_C_MOVES_REGS) {
            CATC_SETMAXNREG_DEC(CATC_P_PRODUCER_REGS);
        }
        if (catc_thread() == 0) {
            CATC_LOCAL(produce)(p, shared);
        }
    } else {
        if (CATC_C_MOVES_REGS) {
            CATC_SETMAXNREG_INC(CATC_P_CONSUMER_REGS);
        }
        CATC_LOCAL(consume)(p, shared, warpgroup - 1);
    }
}

/* ---- descriptor --------------------------------------------------------------------------------------------- */

#define CATC_D_SKELETON CATC_GEMM_SM90
#define CATC_D_WARP 0, 0
#define CATC_D_THREAD 0, 0
#define CATC_D_CLUSTER CATC_P_CLUSTER_M, CATC_P_CLUSTER_N
#include "catlass_c/skeleton/gemm_descriptor.inst.h"

#include "catlass_c/check/end.inst.h"
#endif
