/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/vector.inst.h: a run of `count` elements of type CATC_I_TYPE between global memory and fp32 values.
 *
 * count is a constant and a multiple of 4; only the first `valid` elements are read or written, the others read as 0.
 * With `vector` the address is a multiple of min(16, count * size) bytes and full runs take 16-byte accesses. */
#define CATC_I_ELEMENT CATC_PASTE(catc_element_, CATC_I_TYPE)

/* The whole run in 16-byte accesses, zeros if not `inside`; count is then a multiple of 16 bytes. */
CATC_DEVICE void CATC_PASTE(catc_load_whole_, CATC_I_TYPE)(float *x, const CATC_I_ELEMENT *source, int count,
                                                           bool inside)
{
    enum { PER_WORD = 4 / (int)sizeof(CATC_I_ELEMENT), PER_16 = 4 * PER_WORD };
    CATC_UNROLL(8)
    for (int i = 0; i < count / PER_16; ++i) {
        struct catc_u128 v = {{0, 0, 0, 0}};
        if (inside) {
            v = ((const struct catc_u128 *)source)[i];
        }
        CATC_UNROLL(4)
        for (int w = 0; w < 4; ++w) {
            CATC_PASTE(catc_unpack_, CATC_I_TYPE)(x + i * PER_16 + w * PER_WORD, v.w[w]);
        }
    }
}

CATC_DEVICE void CATC_PASTE(catc_load_, CATC_I_TYPE)(float *x, const CATC_I_ELEMENT *source, int count, int valid,
                                                     int vector)
{
    enum { PER_16 = 16 / (int)sizeof(CATC_I_ELEMENT) };
    if (vector && valid >= count && count % PER_16 == 0) {
        CATC_PASTE(catc_load_whole_, CATC_I_TYPE)(x, source, count, true);
    } else {
        CATC_UNROLL(8)
        for (int i = 0; i < count; ++i) {
            x[i] = i < valid ? CATC_PASTE(catc_f32_from_, CATC_I_TYPE)(source[i]) : 0.0f;
        }
    }
}

CATC_DEVICE void CATC_PASTE(catc_store_, CATC_I_TYPE)(CATC_I_ELEMENT *target, const float *x, int count, int valid,
                                                      int vector)
{
    enum { PER_WORD = 4 / (int)sizeof(CATC_I_ELEMENT), PER_16 = 4 * PER_WORD };
    if (vector && valid >= count && count % PER_16 == 0) {
        CATC_UNROLL(8)
        for (int i = 0; i < count / PER_16; ++i) {
            struct catc_u128 v;
            CATC_UNROLL(4)
            for (int w = 0; w < 4; ++w) {
                v.w[w] = CATC_PASTE(catc_pack_, CATC_I_TYPE)(x + i * PER_16 + w * PER_WORD);
            }
            ((struct catc_u128 *)target)[i] = v;
        }
    } else {
        CATC_UNROLL(8)
        for (int i = 0; i < count; ++i) {
            if (i < valid) {
                target[i] = CATC_PASTE(CATC_PASTE(catc_, CATC_I_TYPE), _from_f32)(x[i]);
            }
        }
    }
}

#undef CATC_I_ELEMENT
#undef CATC_I_TYPE
