/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/abi_impl.h: the table of abi.h. Implementation only. A field that a struct has gained must be added here: a test
 * compares this list with the headers (tests/codegen/test_library.py). */
#ifndef CATC_DETAIL_ABI_IMPL_H
#define CATC_DETAIL_ABI_IMPL_H

#include "catlass_c/abi.h"
#include "catlass_c/device.h"
#include "catlass_c/ops/gemm.h"
#include "catlass_c/registry.h"

/* X(struct, field, type of the field or of its elements) */
#define CATC_ABI_DEVICE(X, s) \
    X(s, name, const char *) \
    X(s, cc, int) \
    X(s, sms, int) \
    X(s, smem_per_block, int) \
    X(s, smem_per_sm, int) \
    X(s, regs_per_sm, int) \
    X(s, threads_per_sm, int) \
    X(s, clock_mhz, int) \
    X(s, l2_bytes, int64_t) \
    X(s, dram_gbs, double) \
    X(s, fp32_flop_clk_sm, int) \
    X(s, tensor_flop_clk_sm, int) \
    X(s, mma_sync_share, double) \
    X(s, l2_bytes_clk, int)

#define CATC_ABI_EPI_POSITION(X, s) \
    X(s, name, const char *) \
    X(s, kind, enum catc_epi_kind) \
    X(s, type, enum catc_type)

#define CATC_ABI_GEMM_INSTANCE(X, s) \
    X(s, name, const char *) \
    X(s, source, const char *) \
    X(s, skeleton, enum catc_skeleton) \
    X(s, backend, enum catc_backend) \
    X(s, type_a, enum catc_type) \
    X(s, type_b, enum catc_type) \
    X(s, type_acc, enum catc_type) \
    X(s, type_d, enum catc_type) \
    X(s, layout, enum catc_layout) \
    X(s, tile_m, int) \
    X(s, tile_n, int) \
    X(s, tile_k, int) \
    X(s, warp_m, int) \
    X(s, warp_n, int) \
    X(s, thread_m, int) \
    X(s, thread_n, int) \
    X(s, cluster_m, int) \
    X(s, cluster_n, int) \
    X(s, stages, int) \
    X(s, schedule, enum catc_schedule) \
    X(s, swap, int) \
    X(s, threads, int) \
    X(s, min_blocks, int) \
    X(s, regs_per_thread, int) \
    X(s, smem_bytes, int) \
    X(s, align_a, int) \
    X(s, align_b, int) \
    X(s, align_c, int) \
    X(s, align_d, int) \
    X(s, targets, int) \
    X(s, n_epi, int) \
    X(s, epi, struct catc_epi_position) \
    X(s, kernel, catc_kernel_fn)

#define CATC_ABI_EPI(X, s) \
    X(s, op, uint32_t) \
    X(s, type, enum catc_type) \
    X(s, ptr, const void *) \
    X(s, out, void *) \
    X(s, ld, int64_t) \
    X(s, batch_stride, int64_t) \
    X(s, a, float) \
    X(s, b, float)

#define CATC_ABI_GEMM_ARGS(X, s) \
    X(s, m, int64_t) \
    X(s, n, int64_t) \
    X(s, k, int64_t) \
    X(s, batch, int64_t) \
    X(s, layout, enum catc_layout) \
    X(s, type_a, enum catc_type) \
    X(s, type_b, enum catc_type) \
    X(s, type_d, enum catc_type) \
    X(s, type_acc, enum catc_type) \
    X(s, a, const void *) \
    X(s, b, const void *) \
    X(s, c, const void *) \
    X(s, d, void *) \
    X(s, lda, int64_t) \
    X(s, ldb, int64_t) \
    X(s, ldc, int64_t) \
    X(s, ldd, int64_t) \
    X(s, stride_a, int64_t) \
    X(s, stride_b, int64_t) \
    X(s, stride_c, int64_t) \
    X(s, stride_d, int64_t) \
    X(s, alpha, const float *) \
    X(s, beta, const float *) \
    X(s, scalars_on_device, int) \
    X(s, epi, struct catc_epi) \
    X(s, n_epi, int) \
    X(s, fixed_m, int) \
    X(s, backend, enum catc_backend) \
    X(s, instance, const struct catc_gemm_instance *) \
    X(s, registry, const struct catc_registry *) \
    X(s, device, const struct catc_device *) \
    X(s, workspace, void *) \
    X(s, workspace_size, size_t) \
    X(s, workspace_clean, int) \
    X(s, stream, struct CUstream_st *) \
    X(s, a_array, const void *const *) \
    X(s, b_array, const void *const *) \
    X(s, c_array, const void *const *) \
    X(s, d_array, void *const *)

#define CATC_ABI_GEMM_PLAN(X, s) X(s, opaque, uint64_t)

/* clang-format off */
#define CATC_ABI_FIELD(s, field, type) \
    {#s, #field, #type, (int)offsetof(struct s, field), (int)sizeof(((struct s *)0)->field)},
#define CATC_ABI_WHOLE(s) {#s, "", "struct " #s, 0, (int)sizeof(struct s)}
/* clang-format on */

static const struct catc_field catc_fields_[] = {
    CATC_ABI_DEVICE(CATC_ABI_FIELD, catc_device) CATC_ABI_WHOLE(catc_device),
    CATC_ABI_EPI_POSITION(CATC_ABI_FIELD, catc_epi_position) CATC_ABI_WHOLE(catc_epi_position),
    CATC_ABI_GEMM_INSTANCE(CATC_ABI_FIELD, catc_gemm_instance) CATC_ABI_WHOLE(catc_gemm_instance),
    CATC_ABI_EPI(CATC_ABI_FIELD, catc_epi) CATC_ABI_WHOLE(catc_epi),
    CATC_ABI_GEMM_ARGS(CATC_ABI_FIELD, catc_gemm_args) CATC_ABI_WHOLE(catc_gemm_args),
    CATC_ABI_GEMM_PLAN(CATC_ABI_FIELD, catc_gemm_plan) CATC_ABI_WHOLE(catc_gemm_plan),
};

const struct catc_field *catc_abi_fields(int *count)
{
    *count = (int)(sizeof catc_fields_ / sizeof catc_fields_[0]);
    return catc_fields_;
}

#endif /* CATC_DETAIL_ABI_IMPL_H */
