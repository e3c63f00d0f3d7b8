/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/epilogue_rows.inst.h: the epilogue on rows of 16 bytes, for skeletons whose accumulators pass through shared
 * memory. Include after epilogue/chain.inst.h (CATC_I_VEC = elements of D in 16 bytes) with
 *   CATC_I_COLUMNS   columns of the slab and of the tile of D, a multiple of CATC_I_VEC
 *   CATC_I_ROWS      rows of the slab
 *   CATC_I_GROUP     rows of it that are neighbours in D too: the run of one warp
 *   CATC_I_STRIDE    from the first row of one run to that of the next, in D
 *   CATC_I_THREADS   threads of the block
 * A slab is CATC_I_ROWS rows of fp32 accumulators, [ROWS][COLUMNS + CATC_C_PAD]. Pass `pass` has the `pass`-th GROUP rows
 * of every STRIDE: row s of its slab is row s / GROUP * STRIDE + pass * GROUP + s % GROUP of the tile. */

/* Once for a thread's columns, and for each of its rows. */
#define CATC_I_LOAD_ONCE(i, op, kind, type) CATC_ON_COL_##kind(CATC_I_LOAD_COLUMNS(i, type))
#define CATC_I_LOAD(i, op, kind, type) \
    CATC_ON_ROW_##kind(CATC_I_LOAD_ROW(i, type)) CATC_ON_TILE_##kind(CATC_I_LOAD_TILE(i, type))
#define CATC_I_OPERAND(i, type, offset) \
    ((const catc_element_##type *)p->epi[i].ptr + (batch * p->epi[i].batch_stride + (offset)))
#define CATC_I_LOAD_COLUMNS(i, type) \
    catc_load_##type(o->e##i, CATC_I_OPERAND(i, type, column), CATC_I_VEC, valid, p->epi[i].vector);
#define CATC_I_LOAD_ROW(i, type) o->e##i = catc_f32_from_##type(*CATC_I_OPERAND(i, type, row));
#define CATC_I_LOAD_TILE(i, type) \
    catc_load_##type(o->e##i, CATC_I_OPERAND(i, type, row * p->epi[i].ld + column), CATC_I_VEC, valid, \
                     p->epi[i].vector);

#define CATC_I_TAP(i, op, kind, type) CATC_ON_TAP_##kind(CATC_I_TAP_STORE(i, type))
#define CATC_I_TAP_STORE(i, type) \
    catc_store_##type((catc_element_##type *)p->epi[i].out + \
                          (batch * p->epi[i].batch_stride + row * p->epi[i].ld + column), \
                      o->e##i, CATC_I_VEC, valid, p->epi[i].vector);

#define CATC_I_ELEMENT CATC_PASTE(catc_element_, CATC_P_TYPE_D)

/* What all passes of a tile of D have in common. Few instructions count in an epilogue: with one or two warps on a
 * scheduler each takes its full latency, so that this is computed once (and `of` may lie in shared memory, which would be
 * read again after every store). */
struct CATC_LOCAL(rows) {
    const CATC_I_ELEMENT *c; /* (first_row, first_column); NULL if beta is 0 */
    CATC_I_ELEMENT *d;
    float alpha, beta;
    uint32_t down; /* rows of D from there on */
    int across;    /* columns */
    bool vector_c, vector_d;
};

CATC_DEVICE struct CATC_LOCAL(rows)
    CATC_LOCAL(epilogue_open)(const struct catc_gemm_params *p, const struct catc_matrices *of, int64_t first_row,
                              int64_t first_column)
{
    struct CATC_LOCAL(rows) r;
    r.d = (CATC_I_ELEMENT *)catc_global_out(of->d) + (first_row * p->ldd + first_column);
    r.alpha = p->k == 0 ? 0.0f : p->alpha_ptr ? *p->alpha_ptr : p->alpha;
    r.beta = p->beta_ptr ? *p->beta_ptr : p->beta;
    /* C may be NULL where it is not read, which no offset may be added to */
    r.c = r.beta != 0.0f ? (const CATC_I_ELEMENT *)catc_global(of->c) + (first_row * p->ldc + first_column) : NULL;
    r.down = (uint32_t)catc_valid(first_row, p->m, INT32_MAX);
    r.across = catc_valid(first_column, p->n, CATC_I_COLUMNS);
    r.vector_c = of->align_c == 16;
    r.vector_d = of->align_d == 16;
    return r;
}

/* One pass. first_row, first_column and batch of the tile matter to operands of the chain alone. */
CATC_DEVICE void CATC_LOCAL(epilogue_rows)(const struct catc_gemm_params *p, const struct CATC_LOCAL(rows) * r,
                                           struct CATC_LOCAL(operands) * o, const float *slab, int pass,
                                           int64_t first_row, int64_t first_column, int64_t batch)
{
    enum {
        SEGMENTS = CATC_I_COLUMNS / CATC_I_VEC,
        ACROSS = SEGMENTS < CATC_I_THREADS ? SEGMENTS : CATC_I_THREADS, /* threads along a row */
        DOWN = CATC_I_THREADS / ACROSS,                                 /* rows at a time */
        BATCH = 4,
        EVEN = CATC_I_ROWS % (BATCH * DOWN) == 0,
        PITCH = CATC_I_COLUMNS + CATC_C_PAD
    };
    uint32_t const thread = (uint32_t)catc_thread();
    (void)first_row, (void)batch;
    if (thread >= DOWN * ACROSS) {
        return;
    }
    /* A thread keeps its columns, so that what depends on them is fetched once. */
    for (uint32_t segment = thread % ACROSS; segment < SEGMENTS; segment += ACROSS) {
        int const left = r->across - (int)segment * CATC_I_VEC, valid = left < CATC_I_VEC ? left : CATC_I_VEC;
        int64_t const column = first_column + segment * CATC_I_VEC;
        if (valid <= 0) {
            break;
        }
        CATC_P_EPI_LIST(CATC_I_LOAD_ONCE)
        for (uint32_t s = thread / ACROSS; s < CATC_I_ROWS; s += BATCH * DOWN) {
            /* several rows at a time, so that the latency of shared memory is paid once */
            float batch_x[BATCH][CATC_I_VEC];
            CATC_UNROLL(4)
            for (uint32_t i = 0; i < BATCH; ++i) {
                uint32_t const at = EVEN || s + i * DOWN < CATC_I_ROWS ? s + i * DOWN : s;
                catc_read_floats(batch_x[i], slab + at * PITCH + segment * CATC_I_VEC, CATC_I_VEC);
            }
            CATC_UNROLL(4)
            for (uint32_t i = 0; i < BATCH; ++i) {
                uint32_t const at = s + i * DOWN;
                uint32_t const line =
                    at / CATC_I_GROUP * CATC_I_STRIDE + (uint32_t)pass * CATC_I_GROUP + at % CATC_I_GROUP;
                int64_t const row = first_row + line;
                float *const x = batch_x[i];
                (void)row, (void)column;
                if ((EVEN || at < CATC_I_ROWS) && line < r->down) {
                    CATC_P_EPI_LIST(CATC_I_LOAD)
                    if (r->beta != 0.0f) {
                        float c[CATC_I_VEC];
                        CATC_PASTE(catc_load_, CATC_P_TYPE_D)
                        (c, r->c + (line * p->ldc + (int)segment * CATC_I_VEC), CATC_I_VEC, valid, r->vector_c);
                        CATC_UNROLL(8)
                        for (int j = 0; j < CATC_I_VEC; ++j) {
                            x[j] = catc_fma(r->beta, c[j], catc_mul(r->alpha, x[j]));
                        }
                    } else {
                        CATC_UNROLL(8)
                        for (int j = 0; j < CATC_I_VEC; ++j) {
                            x[j] = catc_mul(r->alpha, x[j]);
                        }
                    }
                    CATC_UNROLL(8)
                    for (int j = 0; j < CATC_I_VEC; ++j) {
                        if (j < valid) { /* columns past the edge hold zeros, which must not reach a REDUCE */
                            x[j] = CATC_LOCAL(chain)(x[j], o, j, row, column + j);
                        }
                    }
                    CATC_P_EPI_LIST(CATC_I_TAP)
                    CATC_PASTE(catc_store_, CATC_P_TYPE_D)
                    (r->d + (line * p->ldd + (int)segment * CATC_I_VEC), x, CATC_I_VEC, valid, r->vector_d);
                }
            }
        }
    }
}

#undef CATC_I_LOAD
#undef CATC_I_LOAD_COLUMNS
#undef CATC_I_LOAD_ONCE
#undef CATC_I_LOAD_ROW
#undef CATC_I_LOAD_TILE
#undef CATC_I_OPERAND
#undef CATC_I_TAP
#undef CATC_I_TAP_STORE
#undef CATC_I_ELEMENT
#undef CATC_I_COLUMNS
#undef CATC_I_GROUP
#undef CATC_I_ROWS
#undef CATC_I_STRIDE
#undef CATC_I_THREADS
#undef CATC_I_VEC
