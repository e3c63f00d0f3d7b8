/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/epilogue_rows.inst.h: the epilogue on rows of 16 bytes, for skeletons whose accumulators pass through shared
 * memory. Include after epilogue/chain.inst.h (CATC_I_VEC = elements of D in 16 bytes) with
 *   CATC_I_COLUMNS   columns of the slab, a multiple of CATC_I_VEC
 *   CATC_I_THREADS   threads of the block
 * A slab is `rows` rows of fp32 accumulators, [rows][COLUMNS + CATC_C_PAD]. Row s of the slab is row
 *   first_row + s / group * stride + s % group
 * of D: one run of rows of every warp. `of` holds the C and D of problem `batch`. */

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

CATC_DEVICE void CATC_LOCAL(epilogue_rows)(const struct catc_gemm_params *p, const struct catc_matrices *of,
                                           struct CATC_LOCAL(operands) * o, const float *slab, int rows, int group,
                                           int stride, int64_t first_row, int64_t first_column, int64_t batch)
{
    enum {
        SEGMENTS = CATC_I_COLUMNS / CATC_I_VEC,
        ACROSS = SEGMENTS < CATC_I_THREADS ? SEGMENTS : CATC_I_THREADS, /* threads along a row */
        DOWN = CATC_I_THREADS / ACROSS,                                 /* rows at a time */
        BATCH = 4
    };
    float const alpha = p->k == 0 ? 0.0f : p->alpha_ptr ? *p->alpha_ptr : p->alpha;
    float const beta = p->beta_ptr ? *p->beta_ptr : p->beta;
    (void)batch; /* only operands of the chain are found by it */
    if (catc_thread() >= DOWN * ACROSS) {
        return;
    }
    /* A thread keeps its columns, so that what depends on them is fetched once. */
    for (int segment = catc_thread() % ACROSS; segment < SEGMENTS; segment += ACROSS) {
        int64_t const column = first_column + segment * CATC_I_VEC;
        int const valid = catc_valid(column, p->n, CATC_I_VEC);
        if (valid == 0) {
            break;
        }
        CATC_P_EPI_LIST(CATC_I_LOAD_ONCE)
        for (int s = catc_thread() / ACROSS; s < rows; s += BATCH * DOWN) {
            float batch_x[BATCH]
                         [CATC_I_VEC]; /* several rows at a time, so that the latency of shared memory is paid once */
            CATC_UNROLL(4)
            for (int i = 0; i < BATCH; ++i) {
                int const at = s + i * DOWN < rows ? s + i * DOWN : s;
                catc_read_floats(batch_x[i], slab + at * (CATC_I_COLUMNS + CATC_C_PAD) + segment * CATC_I_VEC,
                                 CATC_I_VEC);
            }
            CATC_UNROLL(4)
            for (int i = 0; i < BATCH; ++i) {
                int const at = s + i * DOWN;
                int64_t const row = first_row + (at / group * stride + at % group);
                float *const x = batch_x[i];
                if (at < rows && row < p->m) {
                    CATC_P_EPI_LIST(CATC_I_LOAD)
                    if (beta != 0.0f) {
                        float c[CATC_I_VEC];
                        CATC_PASTE(catc_load_, CATC_P_TYPE_D)
                        (c, (const CATC_I_ELEMENT *)of->c + (row * p->ldc + column), CATC_I_VEC, valid,
                         of->align_c == 16);
                        CATC_UNROLL(8)
                        for (int j = 0; j < CATC_I_VEC; ++j) {
                            x[j] = catc_fma(beta, c[j], catc_mul(alpha, x[j]));
                        }
                    } else {
                        CATC_UNROLL(8)
                        for (int j = 0; j < CATC_I_VEC; ++j) {
                            x[j] = catc_mul(alpha, x[j]);
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
                    ((CATC_I_ELEMENT *)of->d + (row * p->ldd + column), x, CATC_I_VEC, valid, of->align_d == 16);
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
#undef CATC_I_THREADS
#undef CATC_I_VEC
