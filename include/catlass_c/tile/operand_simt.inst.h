/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/operand_simt.inst.h: one operand of a SIMT tile, from global memory over registers to shared memory.
 *
 * Include with
 *   CATC_I_NAME      prefix of the two functions
 *   CATC_I_TYPE      element type token
 *   CATC_I_EXTENT    rows of A or columns of B in the block tile
 *   CATC_I_KCONTIG   1: neighbours in memory are neighbours in k
 *   CATC_I_THREADS   threads of the block
 *   CATC_I_DEPTH     k elements of the tile (TILE_K)
 * Shared memory holds fp32, [DEPTH][EXTENT + CATC_C_PAD], so that a thread reads its run of neighbours in one access. */
#define CATC_I_FN(suffix) CATC_PASTE(CATC_I_NAME, suffix)
#define CATC_I_ELEMENT CATC_PASTE(catc_element_, CATC_I_TYPE)

enum {
    CATC_I_FN(_VEC) = 16 / (int)sizeof(CATC_I_ELEMENT),                                  /* elements in 16 bytes */
    CATC_I_FN(_VECS) = CATC_I_EXTENT * CATC_I_DEPTH / CATC_I_FN(_VEC),                   /* 16-byte vectors of a tile */
    CATC_I_FN(_MINE) = (CATC_I_FN(_VECS) + CATC_I_THREADS - 1) / CATC_I_THREADS,         /* of one thread, at most */
    CATC_I_FN(_VALUES) = CATC_I_FN(_MINE) * CATC_I_FN(_VEC),                             /* values in its registers */
    CATC_I_FN(_LINE) = (CATC_I_KCONTIG ? CATC_I_DEPTH : CATC_I_EXTENT) / CATC_I_FN(_VEC) /* vectors of one line */
};

/* Where a thread's vectors come from, over the k tiles of one tile of D, if they can be had without looking at edges. */
struct CATC_I_FN(_source) {
    const CATC_I_ELEMENT *at; /* vector 0 of the next k tile */
    int64_t line_step;        /* elements from one vector to the next */
    uint32_t inside;          /* bit i: vector i is inside the matrix */
    bool fast;                /* vectors are wholly inside or outside, and 16-byte aligned */
};

/* first: first row or column of the tile, of `end`; align: bytes that divide the matrix's address and its ld. */
CATC_DEVICE struct CATC_I_FN(_source)
    CATC_I_FN(_open)(const void *matrix, int64_t ld, int64_t first, int64_t end, int align)
{
    struct CATC_I_FN(_source) s;
    int const line = catc_thread() / CATC_I_FN(_LINE), column = catc_thread() % CATC_I_FN(_LINE) * CATC_I_FN(_VEC);
    s.at =
        (const CATC_I_ELEMENT *)matrix + (CATC_I_KCONTIG ? (first + line) * ld + column : line * ld + first + column);
    s.line_step = ld * (CATC_I_THREADS / CATC_I_FN(_LINE));
    s.inside = 0;
    CATC_UNROLL(16)
    for (int i = 0; i < CATC_I_FN(_MINE); ++i) {
        int64_t const place = first + (CATC_I_KCONTIG ? line + i * (CATC_I_THREADS / CATC_I_FN(_LINE)) : column);
        s.inside |= (place < end && catc_thread() + i * CATC_I_THREADS < CATC_I_FN(_VECS) ? 1u : 0u) << i;
    }
    s.inside = catc_keep_u32(s.inside);
    s.fast = CATC_I_THREADS % CATC_I_FN(_LINE) == 0 && align == 16 &&
             (CATC_I_KCONTIG || end % CATC_I_FN(_VEC) == 0 || first + CATC_I_EXTENT <= end);
    return s;
}

/* This thread's part of the next k tile, which must be whole; moves on to the one after it. */
CATC_DEVICE void CATC_I_FN(_fetch_whole)(float *value, struct CATC_I_FN(_source) * s, int64_t ld)
{
    CATC_UNROLL(16)
    for (int i = 0; i < CATC_I_FN(_MINE); ++i) {
        CATC_PASTE(catc_load_whole_, CATC_I_TYPE)
        (value + i * CATC_I_FN(_VEC), s->at + i * s->line_step, CATC_I_FN(_VEC), (s->inside >> i & 1u) != 0);
    }
    s->at += CATC_I_KCONTIG ? (int64_t)CATC_I_DEPTH : ld * CATC_I_DEPTH;
}

/* Read this thread's part of the tile that starts at (first, k0); zeros outside [0, end) x [0, k). source points at the
 * problem's matrix, ld in elements. */
CATC_DEVICE void CATC_I_FN(_fetch)(float *value, const void *source, int64_t ld, int64_t first, int64_t end, int64_t k0,
                                   int64_t k, int vector)
{
    CATC_UNROLL(16)
    for (int i = 0; i < CATC_I_FN(_MINE); ++i) {
        int const v = catc_thread() + i * CATC_I_THREADS;
        int64_t const line = (CATC_I_KCONTIG ? first : k0) + v / CATC_I_FN(_LINE);
        int64_t const column = (CATC_I_KCONTIG ? k0 : first) + v % CATC_I_FN(_LINE) * CATC_I_FN(_VEC);
        bool const inside = v < CATC_I_FN(_VECS) && line < (CATC_I_KCONTIG ? end : k);
        int const valid = inside ? catc_valid(column, CATC_I_KCONTIG ? k : end, CATC_I_FN(_VEC)) : 0;
        CATC_PASTE(catc_load_, CATC_I_TYPE)
        (value + i * CATC_I_FN(_VEC), (const CATC_I_ELEMENT *)source + line * ld + column, CATC_I_FN(_VEC), valid,
         vector);
    }
}

/* Put what was fetched into one stage of shared memory. */
CATC_DEVICE void CATC_I_FN(_stash)(float (*stage)[CATC_I_EXTENT + CATC_C_PAD], const float *value)
{
    CATC_UNROLL(16)
    for (int i = 0; i < CATC_I_FN(_MINE); ++i) {
        int const v = catc_thread() + i * CATC_I_THREADS;
        int const line = v / CATC_I_FN(_LINE), column = v % CATC_I_FN(_LINE) * CATC_I_FN(_VEC);
        if (v < CATC_I_FN(_VECS)) {
            if (CATC_I_KCONTIG) {
                CATC_UNROLL(8)
                for (int j = 0; j < CATC_I_FN(_VEC); ++j) {
                    stage[column + j][line] = value[i * CATC_I_FN(_VEC) + j];
                }
            } else {
                catc_write_floats(&stage[line][column], value + i * CATC_I_FN(_VEC), CATC_I_FN(_VEC));
            }
        }
    }
}

#undef CATC_I_FN
#undef CATC_I_ELEMENT
#undef CATC_I_NAME
#undef CATC_I_TYPE
#undef CATC_I_EXTENT
#undef CATC_I_KCONTIG
#undef CATC_I_THREADS
#undef CATC_I_DEPTH
