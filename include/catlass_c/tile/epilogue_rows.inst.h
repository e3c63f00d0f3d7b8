/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/epilogue_rows.inst.h: the epilogue on rows of 16 bytes, for skeletons whose accumulators pass through shared
 * memory. Include after epilogue/chain.inst.h (CATC_I_VEC = elements of D in 16 bytes) with
 *   CATC_I_COLUMNS   columns of the slab, a multiple of CATC_I_VEC
 *   CATC_I_THREADS   threads of the block
 * A slab is `rows` rows of fp32 accumulators, [rows][COLUMNS + CATC_C_PAD]. Row s of the slab is row
 *   first_row + s / group * stride + s % group
 * of D: one run of rows of every warp. */
#define CATC_I_LOAD(i, op, kind, type) CATC_I_LOAD_##kind(i, type)
#define CATC_I_LOAD_NONE(i, type)
#define CATC_I_LOAD_COORD(i, type)
#define CATC_I_LOAD_SCALAR(i, type)
#define CATC_I_LOAD_TAP(i, type)
#define CATC_I_LOAD_REDUCE(i, type)
#define CATC_I_OPERAND(i, type, offset) \
    ((const catc_element_##type *)p->epi[i].ptr + (batch * p->epi[i].batch_stride + (offset)))
#define CATC_I_LOAD_COL(i, type) \
    catc_load_##type(o->e##i, CATC_I_OPERAND(i, type, column), CATC_I_VEC, valid, p->epi[i].vector);
#define CATC_I_LOAD_ROW(i, type) o->e##i = catc_f32_from_##type(*CATC_I_OPERAND(i, type, row));
#define CATC_I_LOAD_TILE(i, type) \
    catc_load_##type(o->e##i, CATC_I_OPERAND(i, type, row * p->epi[i].ld + column), CATC_I_VEC, valid, \
                     p->epi[i].vector);

#define CATC_I_TAP(i, op, kind, type) CATC_I_TAP_##kind(i, type)
#define CATC_I_TAP_NONE(i, type)
#define CATC_I_TAP_COORD(i, type)
#define CATC_I_TAP_SCALAR(i, type)
#define CATC_I_TAP_COL(i, type)
#define CATC_I_TAP_ROW(i, type)
#define CATC_I_TAP_TILE(i, type)
#define CATC_I_TAP_REDUCE(i, type)
#define CATC_I_TAP_TAP(i, type) \
    catc_store_##type((catc_element_##type *)p->epi[i].out + \
                          (batch * p->epi[i].batch_stride + row * p->epi[i].ld + column), \
                      o->e##i, CATC_I_VEC, valid, p->epi[i].vector);

#define CATC_I_ELEMENT CATC_PASTE(catc_element_, CATC_P_TYPE_D)

CATC_DEVICE void CATC_LOCAL(epilogue_rows)(const struct catc_gemm_params *p, struct CATC_LOCAL(operands) * o,
                                           const float *slab, int rows, int group, int stride, int64_t first_row,
                                           int64_t first_column, int64_t batch)
{
    enum { SEGMENTS = CATC_I_COLUMNS / CATC_I_VEC };
    float const alpha = p->k == 0 ? 0.0f : p->alpha_ptr ? *p->alpha_ptr : p->alpha;
    float const beta = p->beta_ptr ? *p->beta_ptr : p->beta;
    for (int s = catc_thread(); s < rows * SEGMENTS; s += CATC_I_THREADS) {
        int const slab_row = s / SEGMENTS, slab_column = s % SEGMENTS * CATC_I_VEC;
        int64_t const row = first_row + slab_row / group * stride + slab_row % group;
        int64_t const column = first_column + slab_column;
        int const valid = row < p->m ? catc_valid(column, p->n, CATC_I_VEC) : 0;
        if (valid > 0) {
            float x[CATC_I_VEC], c[CATC_I_VEC];
            catc_read_floats(x, slab + slab_row * (CATC_I_COLUMNS + CATC_C_PAD) + slab_column, CATC_I_VEC);
            CATC_P_EPI_LIST(CATC_I_LOAD)
            if (beta != 0.0f) {
                CATC_PASTE(catc_load_, CATC_P_TYPE_D)
                (c, (const CATC_I_ELEMENT *)p->c + (batch * p->stride_c + row * p->ldc + column), CATC_I_VEC, valid,
                 p->vector_c);
            }
            CATC_UNROLL(8)
            for (int j = 0; j < CATC_I_VEC; ++j) {
                x[j] = catc_mul(alpha, x[j]);
                if (beta != 0.0f) {
                    x[j] = catc_fma(beta, c[j], x[j]);
                }
                /* columns past the edge hold zeros, which must not reach a REDUCE */
                if (j < valid) {
                    x[j] = CATC_LOCAL(chain)(x[j], o, j, row, column + j);
                }
            }
            CATC_P_EPI_LIST(CATC_I_TAP)
            CATC_PASTE(catc_store_, CATC_P_TYPE_D)
            ((CATC_I_ELEMENT *)p->d + (batch * p->stride_d + row * p->ldd + column), x, CATC_I_VEC, valid, p->vector_d);
        }
    }
}

#undef CATC_I_LOAD
#undef CATC_I_LOAD_NONE
#undef CATC_I_LOAD_COORD
#undef CATC_I_LOAD_SCALAR
#undef CATC_I_LOAD_TAP
#undef CATC_I_LOAD_REDUCE
#undef CATC_I_LOAD_COL
#undef CATC_I_LOAD_ROW
#undef CATC_I_LOAD_TILE
#undef CATC_I_OPERAND
#undef CATC_I_TAP
#undef CATC_I_TAP_NONE
#undef CATC_I_TAP_COORD
#undef CATC_I_TAP_SCALAR
#undef CATC_I_TAP_COL
#undef CATC_I_TAP_ROW
#undef CATC_I_TAP_TILE
#undef CATC_I_TAP_REDUCE
#undef CATC_I_TAP_TAP
#undef CATC_I_ELEMENT
#undef CATC_I_COLUMNS
#undef CATC_I_THREADS
#undef CATC_I_VEC
