/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_fill.h: the parameter block of a problem, as one instance wants it. Implementation only. */
#ifndef CATC_OPS_GEMM_FILL_H
#define CATC_OPS_GEMM_FILL_H

#include "catlass_c/ops/gemm_params.h"
#include "catlass_c/ops/gemm_problem.h"

static int64_t catc_ceil_div_(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Largest power of two up to 16 that divides address, line and stride, in bytes. */
static int catc_alignment_of_(const void *pointer, int64_t line, int64_t stride, size_t size)
{
    uint64_t const all = (uint64_t)(uintptr_t)pointer | (uint64_t)line * size | (uint64_t)stride * size | 16u;
    return (int)(all & (~all + 1));
}

/* Blocks that one multiprocessor certainly holds at a time: by threads, shared memory, and the registers that the launch
 * bounds allow. */
static int catc_gemm_resident_(const struct catc_gemm_instance *i, const struct catc_device *device)
{
    int const by_threads = device->threads_per_sm / i->threads;
    int const by_registers = device->regs_per_sm / (i->threads * i->regs_per_thread);
    int const by_memory = device->smem_per_sm / (i->smem_bytes + 1024); /* 1 KB of every block is the system's */
    int const fewer = by_threads < by_registers ? by_threads : by_registers;
    int const least = fewer < by_memory ? fewer : by_memory;
    return least < 1 ? 1 : least;
}

/* Does a position of this kind read memory through epi.ptr? SCALAR and PAIR do with scalars_on_device only. */
static bool catc_epi_reads_(enum catc_epi_kind kind, const struct catc_gemm_args *g)
{
    switch (kind) {
    case CATC_EPI_COL:
    case CATC_EPI_ROW:
    case CATC_EPI_TILE: return true;
    case CATC_EPI_SCALAR:
    case CATC_EPI_PAIR: return g->scalars_on_device != 0;
    default: return false;
    }
}

/* In groups of 8 tile rows, or 16 where tiles are wide. */
static struct catc_raster catc_gemm_raster_(const struct catc_gemm_instance *i, int64_t tiles_m, int64_t tiles_n)
{
    if (i->skeleton == CATC_GEMM_SIMT && i->swap) { /* its kernel counts tiles in D's rows and columns */
        return catc_raster_of(tiles_n, tiles_m, 3);
    }
    return catc_raster_of(tiles_m, tiles_n, i->skeleton == CATC_GEMM_SM90 && i->tile_m < i->tile_n ? 4 : 3);
}

/* The skeleton-independent part of the parameter block. */
static void catc_gemm_fill_(struct catc_gemm_params *p, const struct catc_gemm_problem *problem,
                            const struct catc_gemm_instance *i)
{
    const struct catc_gemm_args *const g = &problem->args;
    size_t const size_a = catc_type_size(g->type_a), size_b = catc_type_size(g->type_b);
    size_t const size_d = catc_type_size(g->type_d);
    memset(p, 0, sizeof *p);
    p->a = g->a, p->b = g->b, p->c = g->c, p->d = g->d;
    p->a_array = g->a_array, p->b_array = g->b_array, p->c_array = g->c_array, p->d_array = g->d_array;
    p->m = g->m, p->n = g->n, p->k = g->k, p->batch = g->batch;
    p->lda = g->lda, p->ldb = g->ldb, p->ldc = g->ldc, p->ldd = g->ldd;
    p->stride_a = g->stride_a, p->stride_b = g->stride_b, p->stride_c = g->stride_c, p->stride_d = g->stride_d;
    p->alpha = problem->alpha, p->beta = problem->beta;
    if (g->scalars_on_device) {
        p->alpha_ptr = g->alpha, p->beta_ptr = g->beta;
    }
    p->align_a = catc_alignment_of_(g->a, g->lda, g->stride_a, size_a);
    p->align_b = catc_alignment_of_(g->b, g->ldb, g->stride_b, size_b);
    p->align_c = catc_alignment_of_(g->c, g->ldc, g->stride_c, size_d);
    p->align_d = catc_alignment_of_(g->d, g->ldd, g->stride_d, size_d);
    p->tiles_m = catc_ceil_div_(i->swap ? g->n : g->m, i->tile_m);
    p->tiles_n = catc_ceil_div_(i->swap ? g->m : g->n, i->tile_n);
    p->tiles = p->tiles_m * p->tiles_n * g->batch;
    p->raster = catc_gemm_raster_(i, p->tiles_m, p->tiles_n);
    for (int e = 0; e < i->n_epi; ++e) {
        const struct catc_epi *const from = &g->epi[e];
        struct catc_epi_param *const to = &p->epi[e];
        enum catc_epi_kind const kind = i->epi[e].kind;
        to->ptr = catc_epi_reads_(kind, g) ? from->ptr : NULL;
        to->out = from->out;
        to->ld = from->ld, to->batch_stride = from->batch_stride;
        to->a = from->a, to->b = from->b;
        to->vector = catc_alignment_of_(kind == CATC_EPI_TAP ? from->out : from->ptr,
                                        kind == CATC_EPI_TILE || kind == CATC_EPI_TAP ? from->ld : 0,
                                        from->batch_stride, catc_type_size(i->epi[e].type)) == 16;
    }
}

#endif /* CATC_OPS_GEMM_FILL_H */
