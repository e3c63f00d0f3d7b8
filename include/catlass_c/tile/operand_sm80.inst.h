/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/operand_sm80.inst.h: one operand of a 16-bit tile for mma.sync: from global memory into a stage by cp.async, and
 * from the stage into fragments by ldmatrix. Include with
 *   CATC_I_NAME      prefix of the functions
 *   CATC_I_EXTENT    rows of the operand in the tile (along M or N)
 *   CATC_I_WARP      rows of a warp's tile
 *   CATC_I_DEPTH     k of a stage
 *   CATC_I_KCONTIG   1: K is contiguous in memory, 0: the rows are
 *   CATC_I_SPAN      bytes of a line in a block of the stage: 128, 64 or 32
 *   CATC_I_LEFT      1: the instruction's M side, 0: its N side
 *   CATC_I_THREADS   threads of the block
 *
 * A stage is [BLOCKS][LINES][SPAN bytes]: the side that is contiguous in memory is cut into pieces of SPAN bytes, and
 * the 16-byte chunks of every line are exchanged by tile/swizzle.h, so that the 8 addresses of an 8 x 8 matrix, 8 lines
 * apart by one, lie in different banks, and so do 8 neighbouring chunks on the way in. */
#define CATC_I_FN(suffix) CATC_PASTE(CATC_I_NAME, suffix)

enum {
    CATC_I_FN(_CPL) = CATC_I_SPAN / CATC_CHUNK, /* chunks of a line */
    CATC_I_FN(_LINES) = CATC_I_KCONTIG ? CATC_I_EXTENT : CATC_I_DEPTH,
    CATC_I_FN(_BLOCK) = CATC_I_FN(_LINES) * CATC_I_FN(_CPL), /* chunks of a block */
    CATC_I_FN(_CHUNKS) = CATC_I_EXTENT * CATC_I_DEPTH * 2 / CATC_CHUNK,
    CATC_I_FN(_PASSES) = (CATC_I_FN(_CHUNKS) + CATC_I_THREADS - 1) / CATC_I_THREADS, /* chunks of a thread */
    /* the threads divide a block, or take several at once: pass i is line part i % PARTS of block i / PARTS * STEP */
    CATC_I_FN(_PARTS) = CATC_I_FN(_BLOCK) >= CATC_I_THREADS ? CATC_I_FN(_BLOCK) / CATC_I_THREADS : 1,
    CATC_I_FN(_STEP) = CATC_I_FN(_BLOCK) >= CATC_I_THREADS ? 1 : CATC_I_THREADS / CATC_I_FN(_BLOCK),
    CATC_I_FN(_BYTES) = CATC_I_FN(_CHUNKS) * CATC_CHUNK,
    CATC_I_FN(_TILES) = CATC_I_WARP / 16 /* 16 x 16 matrices of a warp in one k step */
};

/* Where a thread's copies come from, over the k tiles of one tile of D. */
struct CATC_I_FN(_source) {
    const uint8_t *at;  /* pass 0 of the next k tile */
    uint32_t place;     /* of pass 0 in a stage, bytes */
    uint32_t line_step; /* bytes from one line part to the next */
    uint32_t inside;    /* bit i: the chunk of pass i is inside the matrix */
    bool fast;          /* chunks are wholly inside or outside, 16-byte aligned, and line_step holds the step */
};

/* first: first row of the tile, of `end`; align: bytes that divide the matrix's address and its leading dimension. */
CATC_DEVICE struct CATC_I_FN(_source)
    CATC_I_FN(_open)(const void *matrix, int64_t ld, int64_t first, int64_t end, int align)
{
    struct CATC_I_FN(_source) s;
    int const chunk = catc_thread() % CATC_I_FN(_CPL), line = catc_thread() / CATC_I_FN(_CPL) % CATC_I_FN(_LINES);
    int const block = catc_thread() / CATC_I_FN(_BLOCK);
    int64_t const column = block * (CATC_I_SPAN / 2) + chunk * (CATC_CHUNK / 2);
    int64_t const row = CATC_I_KCONTIG ? first + line : line;
    int64_t const step = 2 * ld * (CATC_I_THREADS / CATC_I_FN(_CPL));
    s.at = (const uint8_t *)matrix + 2 * (row * ld + column + (CATC_I_KCONTIG ? 0 : first));
    s.place = catc_keep_u32(catc_swizzle((uint32_t)catc_thread() * CATC_CHUNK, CATC_I_SPAN));
    s.line_step = catc_keep_u32((uint32_t)step);
    s.inside = 0;
    CATC_UNROLL(32)
    for (int i = 0; i < CATC_I_FN(_PASSES); ++i) {
        int64_t const place =
            first + (CATC_I_KCONTIG ? line + i % CATC_I_FN(_PARTS) * (CATC_I_THREADS / CATC_I_FN(_CPL))
                                    : column + i / CATC_I_FN(_PARTS) * CATC_I_FN(_STEP) * (CATC_I_SPAN / 2));
        s.inside |= (place < end ? 1u : 0u) << i;
    }
    s.inside = catc_keep_u32(s.inside);
    s.fast = align == 16 && step <= 0xffffffff &&
             (CATC_I_KCONTIG || end % (CATC_CHUNK / 2) == 0 || first + CATC_I_EXTENT <= end);
    return s;
}

/* Passes [from, to) of the next k tile, which must be whole, into a stage; asynchronous. */
CATC_DEVICE void CATC_I_FN(_copy)(const struct CATC_I_FN(_source) * s, uint32_t stage, int from, int to)
{
    CATC_UNROLL(32)
    for (int i = from; i < to; ++i) {
        uint32_t const pass = (uint32_t)(i * CATC_I_THREADS * CATC_CHUNK);
        /* a pass of 1024 bytes or a multiple repeats the exchange of the first */
        uint32_t const place = CATC_I_THREADS % 64 == 0
                                   ? s->place + pass
                                   : catc_swizzle((uint32_t)catc_thread() * CATC_CHUNK + pass, CATC_I_SPAN);
        const uint8_t *const source = s->at + (uint64_t)s->line_step * (uint32_t)(i % CATC_I_FN(_PARTS)) +
                                      i / CATC_I_FN(_PARTS) * (CATC_I_FN(_STEP) * CATC_I_SPAN);
        if (CATC_I_FN(_CHUNKS) % CATC_I_THREADS == 0 || catc_thread() + i * CATC_I_THREADS < CATC_I_FN(_CHUNKS)) {
            CATC_CP_ASYNC_16(stage + place, source, s->inside >> i & 1u);
        }
    }
}

/* On to the next k tile. */
CATC_DEVICE void CATC_I_FN(_advance)(struct CATC_I_FN(_source) * s, int64_t ld)
{
    s->at += 2 * (CATC_I_KCONTIG ? (int64_t)CATC_I_DEPTH : ld * CATC_I_DEPTH);
}

/* A whole k tile that _copy cannot do: it ends in the middle, or the matrix is not aligned. k0: its first k. */
CATC_DEVICE void CATC_I_FN(_copy_edge)(uint8_t *stage, const void *matrix, int64_t ld, int64_t first, int64_t end,
                                       int64_t k0, int64_t k, int align)
{
    CATC_UNROLL(1)
    for (int v = catc_thread(); v < CATC_I_FN(_CHUNKS); v += CATC_I_THREADS) {
        int const line = v / CATC_I_FN(_CPL) % CATC_I_FN(_LINES);
        int const contiguous = v / CATC_I_FN(_BLOCK) * (CATC_I_SPAN / 2) + v % CATC_I_FN(_CPL) * (CATC_CHUNK / 2);
        int64_t const row = (CATC_I_KCONTIG ? first : k0) + line;
        int64_t const column = (CATC_I_KCONTIG ? k0 : first) + contiguous;
        int const valid =
            row < (CATC_I_KCONTIG ? end : k) ? catc_valid(column, CATC_I_KCONTIG ? k : end, CATC_CHUNK / 2) : 0;
        catc_copy_chunk(stage + catc_swizzle((uint32_t)v * CATC_CHUNK, CATC_I_SPAN),
                        (const uint8_t *)matrix + 2 * (row * ld + column), 2 * valid, align);
    }
}

/* The warp's fragments of k step `step` (16 k), f[TILES][4]; first: the warp's first row in the tile, a multiple of 16.
 * Each f[i] is an m16k16 operand of the left side, two n8k16 operands of the right one (arch/sm80.h). */
CATC_DEVICE void CATC_I_FN(_fragments)(uint32_t (*f)[4], uint32_t stage, int first, int step)
{
    /* Of the four 8 x 8 matrices, one bit of the index goes along the lines of the stage, the other along its chunks.
     * The order of the instruction's registers says which. */
    int const lane = catc_thread() % 32;
    int const bit0 = lane / 8 % 2, bit1 = lane / 16;
    int const line = lane % 8 + 8 * (CATC_I_LEFT == CATC_I_KCONTIG ? bit0 : bit1);
    uint32_t const chunk = (uint32_t)(CATC_I_LEFT == CATC_I_KCONTIG ? bit1 : bit0) * CATC_CHUNK;
    /* 16 lines further the exchange is the same: within a warp's tile it depends on the lane alone */
    uint32_t const exchange = catc_swizzle((uint32_t)line * CATC_I_SPAN, CATC_I_SPAN) % CATC_I_SPAN ^ chunk;
    CATC_UNROLL(8)
    for (int i = 0; i < CATC_I_FN(_TILES); ++i) {
        int const row = first + i * 16;
        int const from_line = CATC_I_KCONTIG ? row : step * 16;
        uint32_t const inner = (uint32_t)(CATC_I_KCONTIG ? step * 16 : row) * 2; /* bytes along the contiguous side */
        uint32_t const at = stage + inner / CATC_I_SPAN * (CATC_I_FN(_LINES) * CATC_I_SPAN) +
                            (uint32_t)(from_line + line) * CATC_I_SPAN + (exchange ^ inner % CATC_I_SPAN);
        if (CATC_I_KCONTIG) {
            CATC_LDMATRIX_X4(f[i], at);
        } else {
            CATC_LDMATRIX_X4_TRANS(f[i], at);
        }
    }
}

#undef CATC_I_FN
#undef CATC_I_NAME
#undef CATC_I_EXTENT
#undef CATC_I_WARP
#undef CATC_I_DEPTH
#undef CATC_I_KCONTIG
#undef CATC_I_SPAN
#undef CATC_I_LEFT
#undef CATC_I_THREADS
