/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_overlap.h: do two matrices in memory share elements? Exact where that is cheap; what cannot be decided counts
 * as apart, so that interleaved slices of one buffer (packed QKV) are never refused. Implementation only. */
#ifndef CATC_OPS_GEMM_OVERLAP_H
#define CATC_OPS_GEMM_OVERLAP_H

#include "catlass_c/base.h"

/* `rows` lines of `columns` bytes, `line` bytes apart, repeated every `stride` bytes (0: one copy for all problems). */
struct catc_view {
    const char *name; /* of the argument, for sentences */
    const void *base;
    int64_t rows, columns, line, stride;
    bool written; /* an output */
    bool hidden;  /* its pointers are in device memory: overlap cannot be seen */
};

enum { CATC_OVERLAP_SHIFTS = 64 }; /* problems of a batch that are compared with one another, at most */

/* Bytes from the first of one copy to behind its last. */
static int64_t catc_copy_bytes_(const struct catc_view *view)
{
    return (view->rows - 1) * view->line + view->columns;
}

/* One copy of each, `x` moved by `shift` bytes. Exact for equal lines: x starts q lines and r bytes after d, and the part
 * of it that runs past the line's end continues in the next line. */
static bool catc_copies_meet_(const struct catc_view *d, const struct catc_view *x, int64_t shift)
{
    int64_t const delta = (int64_t)((intptr_t)x->base - (intptr_t)d->base) + shift;
    int64_t const d_end = catc_copy_bytes_(d), x_end = catc_copy_bytes_(x);
    if (d->rows <= 0 || x->rows <= 0 || d->columns <= 0 || x->columns <= 0 || delta >= d_end || delta + x_end <= 0) {
        return false;
    }
    if (delta == 0) {
        return true;
    }
    if (d->line != x->line) {
        return d->rows == 1 && x->rows == 1; /* two runs of bytes that meet; otherwise not decided */
    }
    int64_t const q = delta >= 0 ? delta / d->line : -((-delta + d->line - 1) / d->line), r = delta - q * d->line;
    bool const here = r < d->columns && q < d->rows && q + x->rows > 0;
    bool const next = r + x->columns > d->line && q + 1 < d->rows && q + 1 + x->rows > 0;
    return here || next;
}

/* Do problems of d and problems of x meet? */
static bool catc_views_meet_(const struct catc_view *d, const struct catc_view *x, int64_t batch)
{
    int64_t const delta = (int64_t)((intptr_t)x->base - (intptr_t)d->base);
    if (d->hidden || x->hidden) {
        return false;
    }
    if (delta >= (batch - 1) * d->stride + catc_copy_bytes_(d) ||
        delta + (batch - 1) * x->stride + catc_copy_bytes_(x) <= 0) {
        return false; /* buffers of their own: the usual case */
    }
    int64_t const step = x->stride != 0 ? x->stride : d->stride;
    int64_t const shifts = step == 0 || (d->stride != 0 && x->stride != 0 && d->stride != x->stride) ? 1
                           : batch < CATC_OVERLAP_SHIFTS                                             ? batch
                                                         : CATC_OVERLAP_SHIFTS;
    for (int64_t j = 0; j < shifts; ++j) {
        /* problem p of d and problem p - j of x; an x that is the same for all has no problem p + j */
        if (catc_copies_meet_(d, x, -j * step) || (x->stride != 0 && catc_copies_meet_(d, x, j * step))) {
            return true;
        }
    }
    return false;
}

/* Do two problems of one output write the same elements? */
static bool catc_view_meets_itself_(const struct catc_view *d, int64_t batch)
{
    for (int64_t j = 1; j < batch && j < CATC_OVERLAP_SHIFTS && j * d->stride < catc_copy_bytes_(d); ++j) {
        if (catc_copies_meet_(d, d, j * d->stride)) {
            return true;
        }
    }
    return false;
}

#endif /* CATC_OPS_GEMM_OVERLAP_H */
