/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/mma.h: ldmatrix and mma.sync (PTX ISA 9.7.14.5). A part of backend/host/runtime.h. */

/* ldmatrix: a lane brings its row when it arrives. Nothing orders it after stores that other lanes have still to make:
 * those need a barrier. The rows follow each other as matrix[4][8][4 words], which is the order of the results too. */
CATC_API void catc_host_ldmatrix_x4(uint32_t *r, uint32_t address, int transposed, const char *site)
{
    struct catc_host *h = catc_host_tls;
    const enum catc_host_op op = transposed ? CATC_HOST_OP_LDMATRIX_TRANS : CATC_HOST_OP_LDMATRIX;
    struct catc_host_warp *w = catc_host_whole_warp(h, op, site);
    struct catc_host_fragments *x = &w->fragments;
    const int lane = h->current & 31;
    if (address % 16)
        catc_host_fail(h, "%s at %s: row address 0x%x must be a multiple of 16", catc_host_op_name(op), site, address);
    const unsigned char *row = catc_host_smem(h, address, 16, catc_host_op_name(op), site);
    CATC_HOST_HOOK(read, row, 16, site);
    memcpy(&x->a[lane / 8][lane % 8 * 4], row, 16);
    const int last = catc_host_gather_warp(h, op, 0, site);
    if (last) {
        if (!transposed) {
            memcpy(x->matrix, x->a, sizeof x->matrix);
        } else {
            for (int m = 0; m < 4; m++) {
                uint16_t in[8][8], out[8][8];
                memcpy(in, x->a[m], sizeof in);
                for (int i = 0; i < 8; i++)
                    for (int j = 0; j < 8; j++)
                        out[i][j] = in[j][i];
                memcpy(x->matrix[m], out, sizeof out);
            }
        }
        catc_host_release_warp(h, h->current >> 5);
    }
    for (int m = 0; m < 4; m++)
        r[m] = x->matrix[m][lane];
    if (last)
        catc_host_woke_others(h);
}

/* 32 words of two 16-bit floats at words[4 pairs of k][8 rows or columns] into panel[8 k][stride]. */
static inline void catc_host_unpack(float *panel, int stride, const uint32_t *words, int type)
{
    for (int q = 0; q < 4; q++) {
        for (int g = 0; g < 8; g++) {
            const uint32_t word = words[8 * q + g];
            float *at = panel + 2 * q * stride + g;
            if (type == CATC_BF16) {
                at[0] = catc_f32_from_bf16((uint16_t)word);
                at[stride] = catc_f32_from_bf16((uint16_t)(word >> 16));
            } else {
                at[0] = catc_f32_from_f16((uint16_t)word);
                at[stride] = catc_f32_from_f16((uint16_t)(word >> 16));
            }
        }
    }
}

static inline void catc_host_fragments_multiply(struct catc_host_fragments *x, int type)
{
    float a[16 * 16], b[16 * 8];
    for (int i = 0; i < 4; i++)
        catc_host_unpack(a + (i / 2 * 8) * 16 + i % 2 * 8, 16, x->a[i], type);
    for (int i = 0; i < 2; i++)
        catc_host_unpack(b + i * 8 * 8, 8, x->b[i], type);
    memcpy(x->d, x->c, sizeof x->d);
    catc_host_multiply_panels(x->d, a, b, 16, 8, 16);
}

/* Lane 4 g + q brings its words of A and B to [q][g], so that they unpack without a transposition; C lies in the order
 * of the lanes already. */
CATC_API void catc_host_mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, int type, const char *site)
{
    struct catc_host *h = catc_host_tls;
    const enum catc_host_op op = type == CATC_BF16 ? CATC_HOST_OP_MMA_BF16 : CATC_HOST_OP_MMA_F16;
    struct catc_host_warp *w = catc_host_whole_warp(h, op, site);
    struct catc_host_fragments *x = &w->fragments;
    const int lane = h->current & 31, at = lane % 4 * 8 + lane / 4;
    for (int i = 0; i < 4; i++)
        x->a[i][at] = a[i];
    x->b[0][at] = b[0];
    x->b[1][at] = b[1];
    memcpy(x->c + 2 * lane, d, 8);
    memcpy(x->c + 64 + 2 * lane, d + 2, 8);
    const int last = catc_host_gather_warp(h, op, 0, site);
    if (last) {
        if (type == CATC_BF16)
            catc_host_fragments_multiply(x, CATC_BF16);
        else
            catc_host_fragments_multiply(x, CATC_F16);
        catc_host_release_warp(h, h->current >> 5);
    }
    memcpy(d, x->d + 2 * lane, 8);
    memcpy(d + 2, x->d + 64 + 2 * lane, 8);
    if (last)
        catc_host_woke_others(h);
}
