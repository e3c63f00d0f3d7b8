/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_sm90_plan.h: what gemm_sm90 needs beside the common parameter block: tensor maps, built on the host from the
 * numbers of the descriptor. Part of the implementation (CATC_IMPLEMENTATION); no nvcc needed.
 *
 *   catc_gemm_sm90_can    is this problem one that TMA can address? Pure; part of the check
 *   catc_gemm_sm90_fill   the maps behind the common part, which is already filled, of a problem that passed it */
#ifndef CATC_OPS_GEMM_SM90_PLAN_H
#define CATC_OPS_GEMM_SM90_PLAN_H

#ifdef CATC_IMPLEMENTATION

#include <stdio.h>
#include <string.h>

#include "catlass_c/ops/gemm_params.h"
#include "catlass_c/registry.h"
#include "catlass_c/status.h"
#include "catlass_c/tile/fragment_stage.h"
#include "catlass_c/ops/gemm_names.h"
#include "catlass_c/types.h"

#if CATC_WITH_CUDA
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include "catlass_c/detail/driver_entry.h"
#endif
#if CATC_WITH_HOST
#include "catlass_c/backend/host/launch.h"
#endif

/* One matrix (of a batch) as TMA sees it: rows of `columns` elements, `ld` apart. */
struct catc_gemm_sm90_matrix {
    const char *name;            /* of the argument, for sentences: "a", "epi[2]" */
    struct catc_tensor_map *map; /* where its map goes */
    const void *base;
    enum catc_type type;
    int64_t rows, columns, ld, stride; /* elements; stride 0: one matrix for all problems */
    int box_rows, box_columns;
};

enum { CATC_GEMM_SM90_MATRICES = 4 + CATC_EPI_MAX };

/* The matrices that a launch will touch; returns how many. p gives the maps' addresses and may be NULL. */
static int catc_gemm_sm90_matrices(const struct catc_gemm_instance *inst, const struct catc_gemm_params *g,
                                   struct catc_gemm_sm90_params *p, struct catc_gemm_sm90_matrix *out)
{
    int const span_k = 128 / (int)catc_type_size(inst->type_a); /* elements of K in one swizzled row */
    int column_bytes = (int)catc_type_size(inst->type_d), rows, strip, count = 0;
    for (int i = 0; i < inst->n_epi; ++i) {
        if (inst->epi[i].kind == CATC_EPI_TILE || inst->epi[i].kind == CATC_EPI_TAP) {
            column_bytes += (int)catc_type_size(inst->epi[i].type);
        }
    }
    rows = CATC_FRAGMENT_BOX_ROWS(inst->swap, inst->tile_n, column_bytes);
    strip = CATC_FRAGMENT_STRIP(inst->swap, inst->tile_n, column_bytes);
    if (g->k > 0) { /* with K = 0 nothing is loaded and A and B may be NULL */
        struct catc_gemm_sm90_matrix const sides[2] = {
            {"a", NULL, g->a, inst->type_a, g->m, g->k, g->lda, g->stride_a, 0, span_k},
            {"b", NULL, g->b, inst->type_b, g->n, g->k, g->ldb, g->stride_b, 0, span_k}};
        /* the kernel's own a lies along tile_m: with swap it is the caller's B */
        out[count] = sides[inst->swap];
        out[count].map = p ? &p->a : NULL;
        out[count++].box_rows = inst->tile_m;
        out[count] = sides[!inst->swap];
        out[count].map = p ? &p->b : NULL;
        out[count++].box_rows = inst->tile_n;
    }
    if (g->c != NULL && (g->beta_ptr != NULL || g->beta != 0.0f)) {
        struct catc_gemm_sm90_matrix const c = {"c",  p ? &p->c : NULL, g->c,        inst->type_d, g->m,
                                                g->n, g->ldc,           g->stride_c, rows,         strip};
        out[count++] = c;
    }
    if (g->align_d == 16) { /* else the kernel stores D by elements */
        struct catc_gemm_sm90_matrix const d = {"d",  p ? &p->d : NULL, g->d,        inst->type_d, g->m,
                                                g->n, g->ldd,           g->stride_d, rows,         strip};
        out[count++] = d;
    }
    for (int i = 0; i < inst->n_epi; ++i) {
        if (inst->epi[i].kind == CATC_EPI_TILE || inst->epi[i].kind == CATC_EPI_TAP) {
            const struct catc_epi_param *const e = &g->epi[i];
            struct catc_gemm_sm90_matrix const m = {catc_epi_names_[i].position,
                                                    p ? &p->epi[i] : NULL,
                                                    inst->epi[i].kind == CATC_EPI_TILE ? e->ptr : e->out,
                                                    inst->epi[i].type,
                                                    g->m,
                                                    g->n,
                                                    e->ld,
                                                    e->batch_stride,
                                                    rows,
                                                    strip};
            out[count++] = m;
        }
    }
    return count;
}

#define CATC_GEMM_SM90_REFUSE(status, ...) \
    do { \
        if (sentence != NULL && size > 0) { \
            snprintf(sentence, size, __VA_ARGS__); \
        } \
        return (status); \
    } while (0)

/* Is every size within TMA's and the kernel's coordinates? Alignment is the descriptor's. `g` is filled; m, n and batch
 * are positive. The sentence (may be NULL) says what to change. */
static enum catc_status catc_gemm_sm90_can(const struct catc_gemm_instance *inst, const struct catc_gemm_params *g,
                                           char *sentence, size_t size)
{
    struct catc_gemm_sm90_matrix matrix[CATC_GEMM_SM90_MATRICES];
    int64_t const limit = 2147483647 - 512; /* coordinates are 32 bits, and the last tile may reach over the edge */
    int const count = catc_gemm_sm90_matrices(inst, g, NULL, matrix);
    struct {
        const char *name;
        int64_t value;
    } const extent[] = {{"m", g->m}, {"n", g->n}, {"k", g->k}, {"batch", g->batch}};
    for (int i = 0; i < 4; ++i) {
        if (extent[i].value > limit) {
            CATC_GEMM_SM90_REFUSE(
                CATC_NOT_SUPPORTED,
                "%s: %s=%lld must be at most %lld (32-bit coordinates); split the problem or use gemm_simt", inst->name,
                extent[i].name, (long long)extent[i].value, (long long)limit);
        }
    }
    for (int i = 0; i < count; ++i) {
        const struct catc_gemm_sm90_matrix *const m = &matrix[i];
        int64_t const size_of = (int64_t)catc_type_size(m->type), bytes40 = (int64_t)1 << 40;
        if (m->ld >= bytes40 / size_of || m->stride >= bytes40 / size_of) {
            CATC_GEMM_SM90_REFUSE(
                CATC_NOT_SUPPORTED,
                "%s: ld of %s=%lld and batch stride=%lld must be from 0 to 2^40 bytes (TMA); use gemm_simt", inst->name,
                m->name, (long long)m->ld, (long long)m->stride);
        }
    }
    return CATC_OK;
}

#if CATC_WITH_CUDA
static enum catc_status catc_gemm_sm90_encoder(PFN_cuTensorMapEncodeTiled_v12000 *out, char *sentence, size_t size)
{
    static void *cache;
    cudaError_t error;
    void *const found = catc_driver_entry_("cuTensorMapEncodeTiled", 12000, &cache, &error);
    if (!found) {
        CATC_GEMM_SM90_REFUSE(error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice ? CATC_NO_DEVICE
                                                                                                 : CATC_CUDA_FAILURE,
                              "cuTensorMapEncodeTiled: driver must be 12.0 or newer (%s); update the driver",
                              error != cudaSuccess ? cudaGetErrorString(error) : "symbol not found");
    }
    memcpy(out, &found, sizeof found);
    return CATC_OK;
}

CATC_STATIC_ASSERT(sizeof(CUtensorMap) == sizeof(struct catc_tensor_map),
                   "a tensor map must be the driver's 128 bytes");

static CUtensorMapDataType catc_gemm_sm90_data_type(enum catc_type type)
{
    return type == CATC_BF16  ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
           : type == CATC_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                              : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}
#endif

/* One map. Rank 3 always: {columns, rows, problems}; a shared matrix is one problem, which the kernel then asks for. */
static enum catc_status catc_gemm_sm90_map(const struct catc_gemm_instance *inst, const struct catc_gemm_sm90_matrix *m,
                                           int64_t batch, char *sentence, size_t size)
{
    uint64_t const element = catc_type_size(m->type), ld = (uint64_t)m->ld * element;
    uint64_t const dims[3] = {(uint64_t)m->columns, (uint64_t)m->rows, m->stride != 0 ? (uint64_t)batch : 1};
    uint64_t const strides[2] = {ld,
                                 m->stride != 0 ? (uint64_t)m->stride * element : ld}; /* of one problem: not used */
    uint32_t const box[3] = {(uint32_t)m->box_columns, (uint32_t)m->box_rows, 1};
    int const span = m->box_columns * (int)element;
#if CATC_WITH_HOST
    if (inst->backend == CATC_HOST) {
        return catc_host_tensor_map(m->map, 3, m->base, (int)element, dims, strides, box, span, sentence, size);
    }
#endif
#if CATC_WITH_CUDA
    if (inst->backend == CATC_CUDA) {
        static const cuuint32_t every[3] = {1, 1, 1};
        CUtensorMap map; /* aligned for the driver wherever the parameters are */
        PFN_cuTensorMapEncodeTiled_v12000 encode = NULL;
        cuuint64_t cu_dims[3], cu_strides[2];
        CUresult result;
        enum catc_status const status = catc_gemm_sm90_encoder(&encode, sentence, size);
        if (status != CATC_OK) {
            return status;
        }
        for (int i = 0; i < 3; ++i) {
            cu_dims[i] = dims[i];
        }
        cu_strides[0] = strides[0];
        cu_strides[1] = strides[1];
        result = encode(&map, catc_gemm_sm90_data_type(m->type), 3, (void *)(uintptr_t)m->base, cu_dims, cu_strides,
                        box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                        : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : CU_TENSOR_MAP_SWIZZLE_32B,
                        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) {
            CATC_GEMM_SM90_REFUSE(
                CATC_CUDA_FAILURE,
                "%s: cuTensorMapEncodeTiled refused %s with CUDA error %d (base %p, %lld x %lld, ld %lld, "
                "batch stride %lld, box %d x %d)",
                inst->name, m->name, (int)result, m->base, (long long)m->rows, (long long)m->columns, (long long)m->ld,
                (long long)m->stride, m->box_rows, m->box_columns);
        }
        memcpy(m->map, &map, sizeof *m->map);
        return CATC_OK;
    }
#endif
    (void)dims, (void)strides, (void)box, (void)span;
    CATC_GEMM_SM90_REFUSE(CATC_BACKEND_NOT_BUILT, "%s: backend=%s must be one this library was built with", inst->name,
                          catc_backend_name(inst->backend));
}

/* p->gemm is filled; the maps follow. Maps that the launch will not use stay zero. */
static enum catc_status catc_gemm_sm90_fill(const struct catc_gemm_instance *inst, struct catc_gemm_sm90_params *p,
                                            char *sentence, size_t size)
{
    struct catc_gemm_sm90_matrix matrix[CATC_GEMM_SM90_MATRICES];
    int count;
    enum catc_status status = CATC_OK;
    memset(&p->a, 0, sizeof *p - offsetof(struct catc_gemm_sm90_params, a));
    count = catc_gemm_sm90_matrices(inst, &p->gemm, p, matrix);
    for (int i = 0; i < count && status == CATC_OK; ++i) {
        status = catc_gemm_sm90_map(inst, &matrix[i], p->gemm.batch, sentence, size);
    }
    return status;
}

#undef CATC_GEMM_SM90_REFUSE

#endif /* CATC_IMPLEMENTATION */
#endif /* CATC_OPS_GEMM_SM90_PLAN_H */
