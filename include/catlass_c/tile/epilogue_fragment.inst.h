/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/epilogue_fragment.inst.h: the epilogue on wgmma accumulators, for one consumer warpgroup: BLOCKS blocks of 64
 * rows, one after the other, TILE_N columns.
 * Include after epilogue/chain.inst.h (CATC_I_VEC 2: a pair of columns) with the sizes CATC_C_* of check/gemm_sm90.h.
 *
 * Rows and columns of an accumulator are called down and across: with SWAP they are columns and rows of D. Slots always lie
 * as D does.
 *
 * How operands arrive, by kind (with SWAP, ROW and COL change places)
 *   ROW    two values of each thread, in registers     } read from global memory before the main loop (`prefetch`),
 *   COL    fp32 in shared memory, [position][TILE_N]   } so that its arithmetic hides their latency
 *   C      by TMA into the slot where D goes           } one round ahead, the first one before the main loop
 *   TILE   by TMA into a slot of its own               }
 *   TAP    through a slot of its own, stored like D
 *   REDUCE folded for each thread, merged by chain_end
 * Protocol of a buffer (tile/fragment_stage.h): loads, if any, complete staged[buffer]; all threads read, compute and
 * write their own fragments; each makes its writes visible to the async proxy; after the warpgroup's barrier one thread
 * stores the slots by TMA, and all threads what TMA cannot store (copy_rest). The buffer is free again when that thread has
 * seen its stores read, and the warpgroup has met again if there was such a rest. */

/* Enumerators, because an expansion of the chain cannot hold another one: across a round, rows and columns of a box. */
enum { CATC_LOCAL(SUB) = CATC_C_SUB_N, CATC_LOCAL(BOX_ROWS) = CATC_C_BOX_ROWS, CATC_LOCAL(STRIP) = CATC_C_STRIP_N };

/* From (down, across) to row and column of D, and from what D has of rows and of columns to what lies down and across. */
#define CATC_I_DOWN(row, column) (CATC_P_SWAP ? (column) : (row))
#define CATC_I_ACROSS(row, column) (CATC_P_SWAP ? (row) : (column))

/* Where things of a position are: its slot, as bytes of a column in front of it, and its index among the operands across. */
#define CATC_I_PLACE(i, op, kind, type) \
    CATC_LOCAL(slot_##i), \
        CATC_LOCAL(slot_end_##i) = CATC_LOCAL(slot_##i) - 1 CATC_FRAGMENT_ADD_BYTES(i, op, kind, type),
#define CATC_I_INDEX(i, op, kind, type) \
    CATC_LOCAL(index_##i), \
        CATC_LOCAL(index_end_##i) = CATC_LOCAL(index_##i) - 1 CATC_FRAGMENT_ADD_COLUMN(i, op, kind, type),
enum { CATC_LOCAL(slot_d_end) = CATC_C_SIZE_D - 1, CATC_P_EPI_LIST(CATC_I_PLACE) CATC_LOCAL(slot_last) };
enum { CATC_LOCAL(index_start) = -1, CATC_P_EPI_LIST(CATC_I_INDEX) CATC_LOCAL(index_last) };
CATC_STATIC_ASSERT((int)CATC_LOCAL(slot_last) == CATC_C_COLUMN_BYTES && (int)CATC_LOCAL(index_last) == CATC_C_COLUMNS,
                   CATC_P_NAME_STRING ": slots and columns must be those of check/gemm_sm90.h");
#define CATC_I_SLOT(i) (CATC_LOCAL(slot_##i) * CATC_FRAGMENT_ROWS * CATC_LOCAL(SUB))

/* Threads that share a tile, and its places across that each of them fetches. */
enum {
    CATC_LOCAL(FETCHERS) = 128 * CATC_C_SHARERS,
    CATC_LOCAL(FETCHES) = (CATC_P_TILE_N + CATC_LOCAL(FETCHERS) - 1) / CATC_LOCAL(FETCHERS)
};
#define CATC_I_FIELD(i, op, kind, type) \
    CATC_ON_ACROSS_##kind(float e##i[CATC_LOCAL(FETCHES)];) CATC_ON_DOWN_##kind(float e##i[CATC_LOCAL(BLOCKS)][2];)

/* Values that wait in registers during the main loop. */
struct CATC_LOCAL(early) {
    CATC_P_EPI_LIST(CATC_I_FIELD)
    int none_; /* a struct needs a member, also for an empty chain */
};

/* What the epilogue of a warpgroup works on. */
struct CATC_LOCAL(epilogue) {
    const struct catc_gemm_sm90_params *p;
    float *columns;       /* shared: [COLUMNS][TILE_N] */
    uint8_t *stage;       /* shared: first buffer of this warpgroup; the next is stage_pitch bytes further */
    uint32_t stage_pitch; /* bytes */
    uint64_t *staged;     /* shared: one barrier for each buffer */
    int barrier;          /* named barrier of this warpgroup */
    int leader;           /* 1 in the thread that issues copies */
    int row, lane_column; /* this thread's first place down 64, across 8 */
    int use_c;            /* beta is not 0 */
    int d_by_tma;         /* base, leading dimension and batch stride of D are multiples of 16 bytes */
    float alpha, beta;
    uint32_t round;                          /* rounds so far, over all tiles; gives buffer and phase */
    int64_t first_down, first_across, batch; /* of the warpgroup's part of the tile */
};

#define CATC_I_EARLY_ACROSS(i, op, kind, type) \
    CATC_ON_ACROSS_##kind(v->e##i[f] = inside ? CATC_I_VALUE(i, type, across) : 0.0f;)
#define CATC_I_EARLY_DOWN(i, op, kind, type) \
    CATC_ON_DOWN_##kind(v->e##i[block][h] = inside ? CATC_I_VALUE(i, type, down) : 0.0f;)
#define CATC_I_VALUE(i, type, offset) \
    catc_f32_from_##type(((const catc_element_##type *)g->epi[i].ptr)[e->batch * g->epi[i].batch_stride + (offset)])

/* thread: among those that share the tile. Nothing past the edges of D is read. */
CATC_DEVICE void CATC_LOCAL(prefetch)(const struct CATC_LOCAL(epilogue) * e, struct CATC_LOCAL(early) * v, int thread)
{
    const struct catc_gemm_params *const g = &e->p->gemm;
    (void)g, (void)thread;
    v->none_ = 0;
    CATC_UNROLL(4)
    for (int f = 0; f < CATC_LOCAL(FETCHES); ++f) {
        int const of_tile = thread + f * CATC_LOCAL(FETCHERS);
        int64_t const across = e->first_across + of_tile;
        bool const inside = of_tile < CATC_P_TILE_N && across < CATC_I_ACROSS(g->m, g->n);
        (void)inside;
        CATC_P_EPI_LIST(CATC_I_EARLY_ACROSS)
    }
    CATC_UNROLL(2)
    for (int block = 0; block < CATC_LOCAL(BLOCKS); ++block) {
        CATC_UNROLL(2)
        for (int h = 0; h < 2; ++h) {
            int64_t const down = e->first_down + block * CATC_FRAGMENT_ROWS + e->row + 8 * h;
            bool const inside = down < CATC_I_DOWN(g->m, g->n);
            (void)inside;
            CATC_P_EPI_LIST(CATC_I_EARLY_DOWN)
        }
    }
}

#define CATC_I_PUBLISH(i, op, kind, type) \
    CATC_ON_ACROSS_##kind(e->columns[CATC_LOCAL(index_##i) * CATC_P_TILE_N + across] = v->e##i[f];)

/* Between two barriers of all that share the tile: the last tile's readers are done, this tile's have not begun. */
CATC_DEVICE void CATC_LOCAL(publish)(const struct CATC_LOCAL(epilogue) * e, const struct CATC_LOCAL(early) * v,
                                     int thread)
{
    (void)e, (void)v;
    CATC_UNROLL(4)
    for (int f = 0; f < CATC_LOCAL(FETCHES); ++f) {
        int const across = thread + f * CATC_LOCAL(FETCHERS);
        if (across < CATC_P_TILE_N) {
            CATC_P_EPI_LIST(CATC_I_PUBLISH)
        }
    }
}

#define CATC_I_COPY_IN(i, op, kind, type) \
    CATC_ON_TILE_##kind(catc_tma_load_3d(at + CATC_I_SLOT(i) + strip * CATC_I_STRIP_BYTES(CATC_SIZEOF_##type), \
                                         &e->p->epi[i], bar, x, y, e->p->gemm.epi[i].batch_stride ? z : 0);)
#define CATC_I_STRIP_BYTES(size) (CATC_LOCAL(BOX_ROWS) * CATC_LOCAL(STRIP) * (size))
/* Strips of a round: without SWAP the last round of a tile may have fewer. */
#define CATC_I_STRIPS(round) \
    ((CATC_P_SWAP                                                 ? (int)CATC_FRAGMENT_ROWS \
      : CATC_P_TILE_N - (round)*CATC_LOCAL(SUB) < CATC_LOCAL(SUB) ? CATC_P_TILE_N - (round)*CATC_LOCAL(SUB) \
                                                                  : (int)CATC_LOCAL(SUB)) / \
     CATC_LOCAL(STRIP))
/* Rounds of a block of 64 rows. */
enum { CATC_LOCAL(ROUNDS) = (CATC_P_TILE_N + CATC_LOCAL(SUB) - 1) / CATC_LOCAL(SUB) };

/* Leader: C and TILE of a round into a buffer that is free. down: where the round's block begins. */
CATC_DEVICE void CATC_LOCAL(copy_in)(const struct CATC_LOCAL(epilogue) * e, int64_t down, int round, uint32_t buffer)
{
    int64_t const across = e->first_across + round * CATC_LOCAL(SUB);
    uint32_t const at = catc_smem_u32(e->stage) + buffer * e->stage_pitch, bar = catc_smem_u32(e->staged + buffer);
    int32_t const y = (int32_t)CATC_I_DOWN(down, across), z = (int32_t)e->batch;
    int const column_bytes = (e->use_c ? CATC_C_SIZE_D : 0) + CATC_C_LOAD_BYTES;
    catc_mbar_expect_tx(bar, (uint32_t)(CATC_I_STRIPS(round) * CATC_I_STRIP_BYTES(column_bytes)));
    for (int strip = 0; strip < CATC_I_STRIPS(round); ++strip) {
        int32_t const x = (int32_t)CATC_I_ACROSS(down, across) + strip * CATC_LOCAL(STRIP);
        if (e->use_c) {
            catc_tma_load_3d(at + strip * CATC_I_STRIP_BYTES(CATC_C_SIZE_D), &e->p->c, bar, x, y,
                             e->p->gemm.stride_c ? z : 0);
        }
        CATC_P_EPI_LIST(CATC_I_COPY_IN)
    }
}

/* Columns of D or TAP whose last 16 bytes in a row are not whole: a TMA store writes whole 16-byte units, up to 14 bytes
 * past the edge (measured on an H200; TMA loads end at the element). Such a strip is stored element by element. */
#define CATC_I_BY_TMA(size) (x + CATC_LOCAL(STRIP) <= g->n || g->n * (size) % 16 == 0)

#define CATC_I_COPY_OUT(i, op, kind, type) \
    CATC_ON_TAP_##kind(if (CATC_I_BY_TMA(CATC_SIZEOF_##type)) { \
        catc_tma_store_3d(&e->p->epi[i], at + CATC_I_SLOT(i) + strip * CATC_I_STRIP_BYTES(CATC_SIZEOF_##type), x, y, \
                          z); \
    })

/* Leader: D and TAP of a round from a buffer that is complete and fenced, as one group. */
CATC_DEVICE void CATC_LOCAL(copy_out)(const struct CATC_LOCAL(epilogue) * e, int64_t down, int round, uint32_t buffer)
{
    const struct catc_gemm_params *const g = &e->p->gemm;
    int64_t const across = e->first_across + round * CATC_LOCAL(SUB);
    uint32_t const at = catc_smem_u32(e->stage) + buffer * e->stage_pitch;
    int32_t const y = (int32_t)CATC_I_DOWN(down, across), z = (int32_t)e->batch;
    for (int strip = 0; strip < CATC_I_STRIPS(round); ++strip) {
        int32_t const x = (int32_t)CATC_I_ACROSS(down, across) + strip * CATC_LOCAL(STRIP);
        if (e->d_by_tma && CATC_I_BY_TMA(CATC_C_SIZE_D)) {
            catc_tma_store_3d(&e->p->d, at + strip * CATC_I_STRIP_BYTES(CATC_C_SIZE_D), x, y, z);
        }
        CATC_P_EPI_LIST(CATC_I_COPY_OUT)
    }
    catc_bulk_commit();
}

#define CATC_I_COPY_ELEMENT(type, out, index, slot) \
    ((catc_element_##type *)(out))[index] = \
        *(const catc_element_##type *)(const void *)((slot) + catc_fragment_offset(row, column, CATC_SIZEOF_##type, \
                                                                                   CATC_LOCAL(BOX_ROWS), \
                                                                                   CATC_LOCAL(STRIP)));
#define CATC_I_COPY_ELEMENT_OF(type, out, index, slot) CATC_I_COPY_ELEMENT(type, out, index, slot)
/* The first column of a round that TMA cannot store, for elements of `size` bytes. */
#define CATC_I_REST(size) (edge < inside && g->n * (size) % 16 != 0 ? edge : inside)
#define CATC_I_COPY_REST(i, op, kind, type) \
    CATC_ON_TAP_##kind(if (column >= CATC_I_REST(CATC_SIZEOF_##type)){CATC_I_COPY_ELEMENT( \
        type, g->epi[i].out, e->batch * g->epi[i].batch_stride + d_row * g->epi[i].ld + first + column, \
        stage + CATC_I_SLOT(i))})

/* Everyone: what copy_out left of a round: the strip that crosses the right edge of D, and all columns of a D that TMA
 * cannot store. A warp takes whole rows, so that its stores lie together. Returns whether there was anything. */
CATC_DEVICE bool CATC_LOCAL(copy_rest)(const struct CATC_LOCAL(epilogue) * e, int64_t down, int round,
                                       const uint8_t *stage)
{
    const struct catc_gemm_params *const g = &e->p->gemm;
    int64_t const across = e->first_across + round * CATC_LOCAL(SUB);
    int64_t const first_row = CATC_I_DOWN(down, across), first = CATC_I_ACROSS(down, across);
    int const width = CATC_I_STRIPS(round) * CATC_LOCAL(STRIP), inside = catc_valid(first, g->n, width);
    int const edge = inside < width ? inside / CATC_LOCAL(STRIP) * CATC_LOCAL(STRIP) : inside;
    int const d_rest = e->d_by_tma ? CATC_I_REST(CATC_C_SIZE_D) : 0, rest = d_rest < edge ? d_rest : edge;
    if (rest == inside) {
        return false;
    }
    for (int row = catc_thread() % 128 / 32; row < CATC_LOCAL(BOX_ROWS) && first_row + row < g->m; row += 4) {
        int64_t const d_row = first_row + row;
        for (int column = rest + catc_thread() % 32; column < inside; column += 32) {
            if (column >= d_rest) {
                CATC_I_COPY_ELEMENT_OF(CATC_P_TYPE_D, g->d, e->batch * g->stride_d + d_row * g->ldd + first + column,
                                       stage)
            }
            CATC_P_EPI_LIST(CATC_I_COPY_REST)
        }
    }
    return true;
}

/* Leader: C and TILE of the tile's first round, before the main loop. */
CATC_DEVICE void CATC_LOCAL(copy_in_first)(const struct CATC_LOCAL(epilogue) * e)
{
    if (e->leader && (e->use_c || CATC_C_LOAD_BYTES > 0)) {
        CATC_BULK_WAIT_READ(0);
        CATC_LOCAL(copy_in)(e, e->first_down, 0, e->round % CATC_FRAGMENT_BUFFERS);
    }
    CATC_SYNC_WARP(); /* what follows is aligned: the leader's warp must be whole again */
}

#define CATC_I_FETCH_ACROSS(i, op, kind, type) \
    CATC_ON_ACROSS_##kind( \
        catc_fragment_load_f32(o->e##i, e->columns + CATC_LOCAL(index_##i) * CATC_P_TILE_N + tile_across);)

/* Byte of a place in a slot, and those of the pair at (down, across), of which the second is of use with SWAP alone, where
 * its elements lie in two rows. */
#define CATC_I_OFFSET(down, across, size) \
    catc_fragment_offset(CATC_I_DOWN(down, across), CATC_I_ACROSS(down, across), size, CATC_LOCAL(BOX_ROWS), \
                         CATC_LOCAL(STRIP))
#define CATC_I_LOAD(type, x, slot, down, across) \
    (CATC_P_SWAP ? catc_fragment_load_apart_##type(x, (slot) + CATC_I_OFFSET(down, across, CATC_SIZEOF_##type), \
                                                   (slot) + CATC_I_OFFSET(down, (across) + 1, CATC_SIZEOF_##type)) \
                 : catc_fragment_load_##type(x, (slot) + CATC_I_OFFSET(down, across, CATC_SIZEOF_##type)))
#define CATC_I_STORE(type, x, slot, down, across) \
    (CATC_P_SWAP ? catc_fragment_store_apart_##type(x, (slot) + CATC_I_OFFSET(down, across, CATC_SIZEOF_##type), \
                                                    (slot) + CATC_I_OFFSET(down, (across) + 1, CATC_SIZEOF_##type)) \
                 : catc_fragment_store_##type(x, (slot) + CATC_I_OFFSET(down, across, CATC_SIZEOF_##type)))
#define CATC_I_LOAD_OF(type, ...) CATC_I_LOAD(type, __VA_ARGS__)
#define CATC_I_STORE_OF(type, ...) CATC_I_STORE(type, __VA_ARGS__)

#define CATC_I_FETCH(i, op, kind, type) \
    CATC_ON_DOWN_##kind(o->e##i = v->e##i[block][h];) \
        CATC_ON_TILE_##kind(CATC_I_LOAD(type, o->e##i, stage + CATC_I_SLOT(i), down, across);)

#define CATC_I_PUT(i, op, kind, type) \
    CATC_ON_TAP_##kind(CATC_I_STORE(type, o->e##i, stage + CATC_I_SLOT(i), down, across);)

/* A REDUCE must not see elements past the edges of D: its state is put back after them. */
#define CATC_I_KEEP(i, op, kind, type) CATC_ON_REDUCE_##kind(uint32_t const kept_##i = o->e##i;)
#define CATC_I_RESTORE(i, op, kind, type) CATC_ON_REDUCE_##kind(o->e##i = inside ? o->e##i : kept_##i;)

/* Columns that are in work at a time: those of one stmatrix, if there are so many. */
enum { CATC_LOCAL(UNIT) = CATC_LOCAL(SUB) < 16 ? CATC_LOCAL(SUB) : 16 };

/* x = alpha * acc + beta * C for a unit that begins at column `across` of the round. One branch for all of it: as a
 * predicate of every element it made an epilogue without C, the usual one, issue three times the instructions. */
CATC_DEVICE void CATC_LOCAL(scale)(const struct CATC_LOCAL(epilogue) * e, float *x, const float *acc,
                                   const uint8_t *stage, int across, int width)
{
    CATC_UNROLL(8)
    for (int i = 0; i < CATC_LOCAL(UNIT) / 2; ++i) {
        x[i] = i < width / 2 ? catc_mul(e->alpha, acc[i]) : 0.0f;
    }
    if (e->use_c) {
        CATC_UNROLL(4)
        for (int i = 0; i < CATC_LOCAL(UNIT) / 4; ++i) { /* pairs: two places down for each group of 8 across */
            if (i < width / 4) {
                float c[2];
                CATC_I_LOAD_OF(CATC_P_TYPE_D, c, stage, e->row + i % 2 * 8, across + i / 2 * 8 + e->lane_column);
                x[2 * i] = catc_fma(e->beta, c[0], x[2 * i]);
                x[2 * i + 1] = catc_fma(e->beta, c[1], x[2 * i + 1]);
            }
        }
        CATC_SYNC_WARP(); /* other lanes have read C where this one writes D; a warp stays among its own lines */
    }
}

/* One pair: x = chain(x). (down, across): its place in the round's slots, h: which of the thread's places down the
 * block. */
CATC_DEVICE void CATC_LOCAL(pair)(const struct CATC_LOCAL(epilogue) * e, struct CATC_LOCAL(operands) * o,
                                  const struct CATC_LOCAL(early) * v, float *x, uint8_t *stage, int block, int down,
                                  int across, int tile_across, int h)
{
    int64_t const all_down = e->first_down + block * CATC_FRAGMENT_ROWS + down,
                  all_across = e->first_across + tile_across;
    (void)v, (void)h, (void)stage, (void)across;
    CATC_P_EPI_LIST(CATC_I_FETCH)
    CATC_UNROLL(2)
    for (int j = 0; j < 2; ++j) {
        int64_t const d_row = CATC_I_DOWN(all_down, all_across + j), d_column = CATC_I_ACROSS(all_down, all_across + j);
        bool const inside = d_row < e->p->gemm.m && d_column < e->p->gemm.n;
        (void)inside;
        CATC_P_EPI_LIST(CATC_I_KEEP)
        x[j] = CATC_LOCAL(chain)(x[j], o, j, d_row, d_column);
        CATC_P_EPI_LIST(CATC_I_RESTORE)
    }
    CATC_P_EPI_LIST(CATC_I_PUT)
}

/* One round: reads the accumulators acc of SUB_N columns and writes the round's slots. */
CATC_DEVICE void CATC_LOCAL(round)(const struct CATC_LOCAL(epilogue) * e, struct CATC_LOCAL(operands) * o,
                                   const struct CATC_LOCAL(early) * v, const float *acc, uint8_t *stage, int block,
                                   int round)
{
    int const lane = catc_thread() % 32;
    /* stmatrix: lane l addresses line l % 8 of matrix l / 8; matrices are 0-7, 8-15 down, 0-7 across, then 8-15. A line
     * lies across; transposed, it lies down */
    int const matrix_down = e->row - lane / 4 + (CATC_P_SWAP ? lane / 8 % 2 * 8 : lane % 16);
    int const matrix_across = lane / 16 * 8 + (CATC_P_SWAP ? lane % 8 : 0);
    (void)matrix_down, (void)matrix_across;
    CATC_UNROLL(4)
    for (int unit = 0; unit < CATC_LOCAL(SUB); unit += CATC_LOCAL(UNIT)) {
        int const left = CATC_P_TILE_N - round * CATC_LOCAL(SUB) - unit; /* columns of the tile */
        if (left > 0) {
            int const width = left < CATC_LOCAL(UNIT) ? left : (int)CATC_LOCAL(UNIT);
            float x[CATC_LOCAL(UNIT) / 2];
            uint32_t word[4] = {0, 0, 0, 0};
            CATC_LOCAL(scale)(e, x, acc + unit / 2, stage, unit, width);
            CATC_UNROLL(2)
            for (int group = 0; group < CATC_LOCAL(UNIT) / 8; ++group) {
                if (group * 8 < width) {
                    int const across = unit + group * 8 + e->lane_column;
                    int const tile_across = round * CATC_LOCAL(SUB) + across;
                    CATC_P_EPI_LIST(CATC_I_FETCH_ACROSS)
                    CATC_UNROLL(2)
                    for (int h = 0; h < 2; ++h) {
                        int const down = e->row + 8 * h;
                        float *const pair = x + group * 4 + h * 2;
                        CATC_LOCAL(pair)(e, o, v, pair, stage, block, down, across, tile_across, h);
                        if (CATC_C_SIZE_D == 4 || CATC_LOCAL(UNIT) == 8) { /* 8: half of what stmatrix stores */
                            CATC_I_STORE_OF(CATC_P_TYPE_D, pair, stage, down, across);
                        } else {
                            word[group * 2 + h] = CATC_PASTE(catc_pack_, CATC_P_TYPE_D)(pair);
                        }
                    }
                }
            }
            if (CATC_C_SIZE_D == 2 && CATC_LOCAL(UNIT) == 16) {
                uint32_t const at = catc_smem_u32(stage) + CATC_I_OFFSET(matrix_down, unit + matrix_across, 2);
                if (CATC_P_SWAP) {
                    CATC_STMATRIX_X4_TRANS(at, word[0], word[1], word[2], word[3]);
                } else {
                    CATC_STMATRIX_X4(at, word[0], word[1], word[2], word[3]);
                }
            }
        }
    }
}

/* The tile: acc is the whole accumulator of the thread. */
CATC_DEVICE void CATC_LOCAL(epilogue_fragments)(struct CATC_LOCAL(epilogue) * e, const struct CATC_LOCAL(early) * v,
                                                const float *acc)
{
    bool const loads = CATC_C_LOAD_BYTES > 0 || e->use_c;
    struct CATC_LOCAL(operands) operands;
    CATC_LOCAL(chain_begin)(&e->p->gemm, &operands);
    CATC_UNROLL(32)
    for (int i = 0; i < CATC_LOCAL(BLOCKS) * CATC_LOCAL(ROUNDS); ++i) {
        int const block = i / CATC_LOCAL(ROUNDS), round = i % CATC_LOCAL(ROUNDS);
        int64_t const down = e->first_down + block * CATC_FRAGMENT_ROWS;
        uint32_t const buffer = e->round % CATC_FRAGMENT_BUFFERS;
        if (e->leader) {
            if (!loads) {
                CATC_BULK_WAIT_READ(1); /* the last round's stores may still read the other buffer */
            } else if (i + 1 < CATC_LOCAL(BLOCKS) * CATC_LOCAL(ROUNDS)) {
                int64_t const next_down = e->first_down + (i + 1) / CATC_LOCAL(ROUNDS) * CATC_FRAGMENT_ROWS;
                CATC_BULK_WAIT_READ(0);
                CATC_LOCAL(copy_in)(e, next_down, (i + 1) % CATC_LOCAL(ROUNDS), buffer ^ 1);
            }
        }
        CATC_SYNC_WARP();
        if (loads) {
            CATC_MBAR_WAIT(catc_smem_u32(e->staged + buffer), e->round / CATC_FRAGMENT_BUFFERS % 2);
        } else {
            CATC_NAMED_BARRIER(e->barrier, 128);
        }
        CATC_LOCAL(round)
        (e, &operands, v, acc + block * (CATC_P_TILE_N / 2) + round * (CATC_LOCAL(SUB) / 2),
         e->stage + buffer * e->stage_pitch, block, round);
        catc_fence_proxy_async();
        CATC_NAMED_BARRIER(e->barrier, 128);
        if (e->leader) {
            CATC_LOCAL(copy_out)(e, down, round, buffer);
        }
        CATC_SYNC_WARP();
        if (CATC_LOCAL(copy_rest)(e, down, round, e->stage + buffer * e->stage_pitch)) {
            CATC_NAMED_BARRIER(e->barrier, 128); /* the leader must not load into the buffer while others read it */
        }
        e->round += 1;
    }
    CATC_LOCAL(chain_end)(&e->p->gemm, &operands, e->batch);
}

#undef CATC_I_ACROSS
#undef CATC_I_BY_TMA
#undef CATC_I_COPY_ELEMENT
#undef CATC_I_COPY_ELEMENT_OF
#undef CATC_I_COPY_IN
#undef CATC_I_COPY_OUT
#undef CATC_I_COPY_REST
#undef CATC_I_DOWN
#undef CATC_I_EARLY_ACROSS
#undef CATC_I_EARLY_DOWN
#undef CATC_I_FETCH
#undef CATC_I_FETCH_ACROSS
#undef CATC_I_FIELD
#undef CATC_I_INDEX
#undef CATC_I_KEEP
#undef CATC_I_LOAD
#undef CATC_I_LOAD_OF
#undef CATC_I_OFFSET
#undef CATC_I_PLACE
#undef CATC_I_PUBLISH
#undef CATC_I_PUT
#undef CATC_I_REST
#undef CATC_I_RESTORE
#undef CATC_I_SLOT
#undef CATC_I_STORE
#undef CATC_I_STORE_OF
#undef CATC_I_STRIPS
#undef CATC_I_STRIP_BYTES
#undef CATC_I_VALUE
#undef CATC_I_VEC
