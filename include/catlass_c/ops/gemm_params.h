/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_params.h: the parameter block of every GEMM kernel, filled by ops/gemm_plan.h and read on the device.
 * One struct for all skeletons; gemm_sm90 adds tensor maps behind it. */
#ifndef CATC_OPS_GEMM_PARAMS_H
#define CATC_OPS_GEMM_PARAMS_H

#include "catlass_c/base.h"
#include "catlass_c/registry.h"
#include "catlass_c/tile/raster.h"

/* Operand of one chain position; offsets and strides in elements. */
struct catc_epi_param {
    const void *ptr;
    void *out;
    int64_t ld, batch_stride;
    float a, b;
    int vector; /* 1: base, ld and batch stride are multiples of 16 bytes, so that 16-byte accesses are legal */
    int pad_;
};

struct catc_gemm_params {
    const void *a, *b, *c;
    void *d;
    const void *const *a_array, *const *b_array,
                                    *const *c_array; /* one pointer for each problem; NULL: base + stride */
    void *const *d_array;
    int64_t m, n, k, batch;
    int64_t lda, ldb, ldc, ldd;
    int64_t stride_a, stride_b, stride_c, stride_d;
    const float *alpha_ptr, *beta_ptr; /* device; NULL: use the values */
    float alpha, beta;
    int align_a, align_b, align_c,
        align_d;               /* bytes, up to 16: largest power of two that divides base, leading dimension
                                               and batch stride (with an array: the leading dimension) */
    int64_t tiles_m, tiles_n;  /* block tiles along the kernel's M and N (after swap) */
    int64_t tiles;             /* tiles_m * tiles_n * batch */
    struct catc_raster raster; /* their order */
    struct catc_epi_param epi[CATC_EPI_MAX];
};

/* A TMA tensor map: the driver's 128 opaque bytes on cuda, the emulator's own description on host. */
struct CATC_ALIGNAS(64) catc_tensor_map {
    uint64_t opaque[16];
};

struct catc_gemm_sm90_params {
    struct catc_gemm_params gemm;
    struct catc_tensor_map a, b, c, d;
    struct catc_tensor_map epi[CATC_EPI_MAX]; /* TILE and TAP positions */
};

#endif /* CATC_OPS_GEMM_PARAMS_H */
