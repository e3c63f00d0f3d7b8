/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/matrices.h: the matrices of one problem of a batch, by stride or from arrays of pointers. */
#ifndef CATC_TILE_MATRICES_H
#define CATC_TILE_MATRICES_H

#include "catlass_c/arch/simt.h"
#include "catlass_c/ops/gemm_params.h"

struct catc_matrices {
    const void *a, *b, *c;
    void *d;
    int align_a, align_b, align_c, align_d; /* 16, 8, 4 or 2: bytes that divide the address and every line's */
};

/* The largest power of two up to `align` (a power of two) that also divides an address. */
CATC_DEVICE int catc_align_of(const void *address, int align)
{
    uint64_t const both = (uint64_t)(uintptr_t)address | (uint64_t)align;
    return (int)(both & (~both + 1));
}

/* Problem `batch`; sizes in bytes of one element of A, B and D. Only pointers from arrays are unknown to the host, which
 * has put those of all others into p->align_a … already. */
CATC_DEVICE struct catc_matrices catc_matrices(const struct catc_gemm_params *p, int64_t batch, int size_a, int size_b,
                                               int size_d)
{
    struct catc_matrices x;
    x.a = catc_global(p->a_array ? p->a_array[batch] : (const uint8_t *)p->a + batch * p->stride_a * size_a);
    x.b = catc_global(p->b_array ? p->b_array[batch] : (const uint8_t *)p->b + batch * p->stride_b * size_b);
    x.c = p->c_array ? p->c_array[batch] : (const uint8_t *)p->c + batch * p->stride_c * size_d;
    x.d = p->d_array ? p->d_array[batch] : (uint8_t *)p->d + batch * p->stride_d * size_d;
    x.align_a = p->a_array ? catc_align_of(x.a, p->align_a) : p->align_a;
    x.align_b = p->b_array ? catc_align_of(x.b, p->align_b) : p->align_b;
    x.align_c = p->c_array ? catc_align_of(x.c, p->align_c) : p->align_c;
    x.align_d = p->d_array ? catc_align_of(x.d, p->align_d) : p->align_d;
    return x;
}

#endif /* CATC_TILE_MATRICES_H */
