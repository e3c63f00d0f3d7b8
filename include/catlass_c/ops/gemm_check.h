/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_check.h: can this instance do this problem on this device? Pure. Implementation only. */
#ifndef CATC_OPS_GEMM_CHECK_H
#define CATC_OPS_GEMM_CHECK_H

#include "catlass_c/ops/gemm_fill.h"
#include "catlass_c/ops/gemm_names.h"
#include "catlass_c/ops/gemm_sm90_plan.h"

/* Has the instance code for the device? A target is 10 * sm for plain code (runs on later minor versions too), + 1 for
 * an architecture-specific one ('a': exactly this capability), negative for PTX (this capability and later). */
static bool catc_instance_runs_on_(const struct catc_gemm_instance *instance, const struct catc_device *device)
{
    for (int i = 0; i < CATC_TARGETS_MAX && instance->targets[i]; ++i) {
        int const target = instance->targets[i], sm = (target < 0 ? -target : target) / 10;
        bool const exact = target > 0 && target % 10 == 1;
        if (target < 0 ? device->cc >= sm : exact ? device->cc == sm : device->cc / 10 == sm / 10 && device->cc >= sm) {
            return true;
        }
    }
    return false;
}

/* Types, layout and the chain's operations. */
static enum catc_status catc_gemm_matches_(const struct catc_gemm_instance *i, const struct catc_gemm_args *g,
                                           struct catc_text *text)
{
    if (g->type_a != i->type_a || g->type_b != i->type_b || g->type_acc != i->type_acc || g->type_d != i->type_d ||
        g->layout != i->layout || g->backend != i->backend) {
        const struct {
            const char *name, *value, *limit;
        } same[] = {{"type_a", catc_type_name(g->type_a), catc_type_name(i->type_a)},
                    {"type_b", catc_type_name(g->type_b), catc_type_name(i->type_b)},
                    {"type_acc", catc_type_name(g->type_acc), catc_type_name(i->type_acc)},
                    {"type_d", catc_type_name(g->type_d), catc_type_name(i->type_d)},
                    {"layout", catc_layout_name(g->layout), catc_layout_name(i->layout)},
                    {"backend", catc_backend_name(g->backend), catc_backend_name(i->backend)}};
        int f = 0;
        while (strcmp(same[f].value, same[f].limit) == 0) {
            ++f;
        }
        return catc_say(text, CATC_NOT_SUPPORTED, "%s: %s=%s must be %s; choose another instance", i->name,
                        same[f].name, same[f].value, same[f].limit);
    }
    if (g->n_epi != i->n_epi) {
        return catc_say(text, CATC_NOT_SUPPORTED, "%s: n_epi=%d must be %d; choose an instance with this chain",
                        i->name, g->n_epi, i->n_epi);
    }
    for (int e = 0; e < g->n_epi; ++e) {
        const struct catc_epi_position *const position = &i->epi[e];
        if (g->epi[e].op != catc_op_id(position->name)) {
            return catc_say(text, CATC_NOT_SUPPORTED,
                            "%s: epi[%d].op=0x%08x must be %s (0x%08x); choose another instance", i->name, e,
                            (unsigned)g->epi[e].op, position->name, (unsigned)catc_op_id(position->name));
        }
        enum catc_type const given = g->epi[e].type ? g->epi[e].type : g->type_d;
        if (position->type && given != position->type) {
            return catc_say(text, CATC_NOT_SUPPORTED,
                            "%s: epi[%d].type=%s must be %s for %s; choose or add an instance with %s.%s", i->name, e,
                            catc_type_name(given), catc_type_name(position->type), position->name, position->name,
                            catc_type_name(given));
        }
    }
    return CATC_OK;
}

/* Operands of the chain: present, aligned to their element. Fills the default leading dimension. */
static enum catc_status catc_gemm_operands_(const struct catc_gemm_instance *i, struct catc_gemm_args *g,
                                            struct catc_text *text)
{
    for (int e = 0; e < i->n_epi; ++e) {
        struct catc_epi *const epi = &g->epi[e];
        const struct catc_epi_position *const position = &i->epi[e];
        enum catc_epi_kind const kind = position->kind;
        bool const output = kind == CATC_EPI_TAP || kind == CATC_EPI_REDUCE;
        bool const input = catc_epi_reads_(kind, g);
        const void *const pointer = output ? epi->out : epi->ptr;
        const char *const name = output ? catc_epi_names_[e].out : catc_epi_names_[e].ptr;
        if ((output || input) && !pointer) {
            return catc_say(text, CATC_INVALID_ARGUMENT,
                            "%s: %s=NULL must point at the %s of %s (%s); pass its address", name, name,
                            output ? "output" : "operand", position->name, catc_epi_kind_name(kind));
        }
        if (output || input) {
            CATC_TRY(catc_element_aligned_(pointer, position->type ? position->type : CATC_F32, name, text));
        }
        if (epi->batch_stride < 0) {
            return catc_say(text, CATC_INVALID_ARGUMENT,
                            "%s: batch_stride=%lld must not be negative; pass the elements between two problems",
                            catc_epi_names_[e].batch_stride, (long long)epi->batch_stride);
        }
        if (kind == CATC_EPI_TILE || kind == CATC_EPI_TAP) {
            CATC_TRY(catc_leading_(&epi->ld, g->n, catc_epi_names_[e].ld, text));
        }
    }
    return CATC_OK;
}

/* Nothing that is written (D, TAP, REDUCE) shares elements with anything else, but D with C or with a TILE that is D
 * itself. */
static enum catc_status catc_gemm_apart_(const struct catc_gemm_instance *i, const struct catc_gemm_problem *problem,
                                         struct catc_text *text)
{
    const struct catc_gemm_args *const g = &problem->args;
    struct catc_view views[4 + CATC_EPI_MAX];
    int count = 0;
    CATC_TRY(catc_gemm_views_(problem, views, &count, text));
    views[count].written = true;
    int const d = count++; /* its overlap with A, B and C has been checked for all instances */
    for (int e = 0; e < i->n_epi; ++e) {
        const struct catc_epi *const epi = &g->epi[e];
        enum catc_epi_kind const kind = i->epi[e].kind;
        bool const output = kind == CATC_EPI_TAP || kind == CATC_EPI_REDUCE,
                   matrix = kind == CATC_EPI_TILE || kind == CATC_EPI_TAP;
        bool const vector = kind == CATC_EPI_COL || kind == CATC_EPI_ROW;
        if (!output && !matrix && !vector) {
            continue;
        }
        struct catc_view *const view = &views[count];
        CATC_TRY(catc_view_(view, output ? catc_epi_names_[e].out : catc_epi_names_[e].ptr,
                            output ? epi->out : epi->ptr, i->epi[e].type ? i->epi[e].type : CATC_F32, matrix ? g->m : 1,
                            kind == CATC_EPI_REDUCE ? 1
                            : kind == CATC_EPI_ROW  ? g->m
                                                    : g->n,
                            matrix                 ? epi->ld
                            : kind == CATC_EPI_ROW ? g->m
                                                   : g->n,
                            epi->batch_stride, g->batch, text));
        view->written = output;
        if (kind == CATC_EPI_TAP) {
            CATC_TRY(catc_output_apart_(view, catc_epi_names_[e].batch_stride, epi->batch_stride, g->batch, text));
        }
        for (int other = output ? 0 : d; other < count; ++other) {
            bool const in_place = other == d && kind == CATC_EPI_TILE && i->epi[e].type == g->type_d &&
                                  catc_same_view_(view, &views[d], g->batch);
            if ((view->written || views[other].written) && !in_place &&
                catc_views_meet_(view, &views[other], g->batch)) {
                return catc_say(text, CATC_INVALID_ARGUMENT,
                                "%s: address=%p must share no element with %s (%p)%s; use another buffer", view->name,
                                view->base, views[other].name, views[other].base,
                                kind == CATC_EPI_TILE && other == d
                                    ? " unless it is D itself (same type, leading dimension, stride)"
                                    : "");
            }
        }
        ++count;
    }
    return CATC_OK;
}

static enum catc_status catc_aligned_for_(const struct catc_gemm_instance *i, int have, int need, const char *name,
                                          struct catc_text *text)
{
    if (have < need) {
        return catc_say(
            text, CATC_MISALIGNED,
            "%s: alignment of %s=%d must be at least %d bytes (address, leading dimension and batch stride); let "
            "the library select, or align them",
            i->name, name, have, need);
    }
    return CATC_OK;
}

/* Everything about one instance. Fills defaults of the chain's operands in `problem`. The device is the description used
 * for selection. */
static enum catc_status catc_gemm_legal_(const struct catc_gemm_instance *i, struct catc_gemm_problem *problem,
                                         const struct catc_device *device, struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    CATC_TRY(catc_gemm_matches_(i, g, text));
    if (!catc_instance_runs_on_(i, device)) {
        return catc_say(text, CATC_ARCH_MISMATCH,
                        "%s: device=%s (compute capability %d.%d) must be a target this instance was compiled for; add "
                        "%d%s to CATC_ARCHS and rebuild",
                        i->name, device->name, device->cc / 10, device->cc % 10, device->cc,
                        i->skeleton == CATC_GEMM_SM90 ? "a (only 90a can run this skeleton)" : "");
    }
    if (i->smem_bytes > device->smem_per_block) {
        return catc_say(text, CATC_NOT_SUPPORTED, "%s: smem_bytes=%d must be at most %d on %s; choose a smaller tile",
                        i->name, i->smem_bytes, device->smem_per_block, device->name);
    }
    if (problem->empty) {
        return CATC_OK;
    }
    CATC_TRY(catc_gemm_operands_(i, g, text));
    CATC_TRY(catc_gemm_apart_(i, problem, text));
    size_t const size_a = catc_type_size(g->type_a), size_b = catc_type_size(g->type_b);
    size_t const size_d = catc_type_size(g->type_d);
    if (g->k > 0) {
        CATC_TRY(catc_aligned_for_(i, catc_alignment_of_(g->a, g->lda, g->stride_a, size_a), i->align_a, "a", text));
        CATC_TRY(catc_aligned_for_(i, catc_alignment_of_(g->b, g->ldb, g->stride_b, size_b), i->align_b, "b", text));
    }
    if (problem->reads_c) {
        CATC_TRY(catc_aligned_for_(i, catc_alignment_of_(g->c, g->ldc, g->stride_c, size_d), i->align_c, "c", text));
    }
    CATC_TRY(catc_aligned_for_(i, catc_alignment_of_(g->d, g->ldd, g->stride_d, size_d), i->align_d, "d", text));
    for (int e = 0; e < i->n_epi; ++e) { /* matrices of the chain move like C */
        const struct catc_epi *const epi = &g->epi[e];
        bool const tap = i->epi[e].kind == CATC_EPI_TAP;
        if ((tap || i->epi[e].kind == CATC_EPI_TILE) && i->align_c > (int)size_d) {
            int const has = catc_alignment_of_(tap ? epi->out : epi->ptr, epi->ld, epi->batch_stride,
                                               catc_type_size(i->epi[e].type));
            CATC_TRY(catc_aligned_for_(i, has, i->align_c, i->epi[e].name, text));
        }
    }
    if (i->skeleton == CATC_GEMM_SM80 && g->k / i->tile_k >= INT32_MAX) {
        return catc_say(text, CATC_NOT_SUPPORTED, "%s: k=%lld must be below 2^31 k tiles of %d; use gemm_simt", i->name,
                        (long long)g->k, i->tile_k);
    }
    if (i->skeleton == CATC_GEMM_SM90 && (g->a_array || g->b_array || g->c_array || g->d_array)) {
        return catc_say(text, CATC_NOT_SUPPORTED,
                        "%s: %s must be NULL (a tensor map describes one matrix or a strided batch); let the library "
                        "select, or use gemm_sm80 or gemm_simt",
                        i->name,
                        g->a_array   ? "a_array"
                        : g->b_array ? "b_array"
                        : g->c_array ? "c_array"
                                     : "d_array");
    }
    if (i->skeleton == CATC_GEMM_SM90) {
        struct catc_gemm_params params;
        catc_gemm_fill_(&params, problem, i);
        CATC_TRY(catc_gemm_sm90_can(i, &params, text->at, text->left));
    }
    return CATC_OK;
}

#endif /* CATC_OPS_GEMM_CHECK_H */
