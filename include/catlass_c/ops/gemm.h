/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm.h: D = epilogue(alpha * A B + beta * C), for one problem or a batch.
 *
 * A is M x K, B is K x N, C and D are M x N row-major. Leading dimensions and batch strides are in elements. A field
 * that is 0 has its stated default. Every function returns a status; on failure nothing was launched or written (but
 * CATC_HOST_FAILURE: a kernel that the emulator stopped) and catc_last_message() has the sentence. */
#ifndef CATC_OPS_GEMM_H
#define CATC_OPS_GEMM_H

#include "catlass_c/device.h"
#include "catlass_c/registry.h"
#include "catlass_c/status.h"
#include "catlass_c/types.h"

CATC_EXTERN_C_BEGIN

struct CUstream_st; /* a cudaStream_t or CUstream */

/* Operand of one position of the epilogue chain. Which fields are read depends on the operation's kind (types.h). */
struct catc_epi {
    uint32_t op;          /* CATC_OP_GELU, … or catc_op_id("gelu"); required */
    enum catc_type type;  /* element type of ptr or out; 0: D's type */
    const void *ptr;      /* COL: N elements; ROW: M elements; TILE: M x N; with scalars_on_device, SCALAR: one float,
                             PAIR: two floats, a and b */
    void *out;            /* TAP: M x N; REDUCE: one uint32_t word that the caller zeroes */
    int64_t ld;           /* TILE, TAP: leading dimension; 0: packed (N) */
    int64_t batch_stride; /* elements between problems; 0: shared by all (COL, ROW, TILE, REDUCE); a TAP of a batch
                             needs its own */
    float a, b;           /* SCALAR: a, PAIR: a and b, read before the call returns; not with scalars_on_device */
};

struct catc_gemm_args {
    int64_t m, n, k; /* >= 0; m or n 0: success, nothing is done; k 0: D = epilogue(beta * C) */
    int64_t batch;   /* problems; 0: one problem if neither stride_d nor d_array is set, else an empty batch (success,
                        nothing is done) */
    enum catc_layout layout; /* required */
    enum catc_type type_a;   /* required */
    enum catc_type type_b;   /* 0: type_a */
    enum catc_type type_d;   /* type of D and C; 0: type_a */
    enum catc_type type_acc; /* 0: f32 */
    const void *a, *b;       /* may be NULL if k is 0 */
    const void *c;           /* not read and may be NULL if beta is 0 */
    void *d; /* m x n; may be c itself (rules: d shares no element with anything else it is computed from) */
    int64_t lda, ldb, ldc, ldd;                     /* elements between rows (columns, if column-major); 0: packed */
    int64_t stride_a, stride_b, stride_c, stride_d; /* elements between problems of a batch; 0 for A, B, C: the same
                                                        matrix for all; stride_d must not be 0 if batch > 1 */
    const float *alpha, *beta;                      /* host memory, read before the call returns; NULL: 1 and 0 */
    int scalars_on_device; /* 1: alpha, beta, SCALAR and PAIR operands are device pointers, read by the kernel; beta is
                                  then taken to be non-zero for the check of c */
    struct catc_epi epi[CATC_EPI_MAX]; /* the chain, applied in order */
    int n_epi;                         /* positions in use, from the first */
    int fixed_m;                       /* 1: choose the instance without m, so that the bits of a row of D do not
                                  depend on how many other rows are computed with it */
    enum catc_backend backend;         /* 0: cuda in a library built with CUDA, else host */
    const struct catc_gemm_instance *instance; /* force this one; NULL: select */
    const struct catc_registry *registry;      /* NULL: the library's */
    const struct catc_device *device;          /* description used for selection; NULL: the current GPU (host backend:
                                                  $CATC_HOST_DEVICE, default h200) */
    /* no instance of this version uses a workspace; the three fields are there for those that will */
    void *workspace;            /* device memory of one call at a time, any content, any alignment; may be NULL */
    size_t workspace_size;      /* bytes */
    int workspace_clean;        /* 1: the workspace was zeroed once and is used by this library alone */
    struct CUstream_st *stream; /* NULL: the default stream */
    /* Batch by pointers: arrays of `batch` pointers to the matrices, in memory that the backend can read (device memory
       for cuda), read by the kernel. Each replaces its base pointer and stride, which are then ignored; operands by
       stride and by array may be mixed. The host cannot look at the pointers: that each is aligned to its element and
       that no d_array entry shares elements with anything else is the caller's word. 16-byte alignment of all of them
       is faster, not needed. */
    const void *const *a_array, *const *b_array, *const *c_array;
    void *const *d_array;
};

/* A chosen instance with everything its launch needs; caller-owned, copyable, immutable once made. Usable from many
 * threads at once. */
struct catc_gemm_plan {
    uint64_t opaque[512];
};

/* Select and run. */
CATC_API enum catc_status catc_gemm_sized(const struct catc_gemm_args *args, size_t size);
/* Find a built instance of the default backend by its name, in the library's registry; NULL if there is none. */
CATC_API const struct catc_gemm_instance *catc_gemm_find(const char *name);
/* The same for a given backend and registry (0 and NULL: the defaults). */
CATC_API const struct catc_gemm_instance *catc_gemm_find_in(const struct catc_registry *registry,
                                                            enum catc_backend backend, const char *name);
/* The i-th instance of a backend in a registry and its bases (0 and NULL: the defaults); NULL past the end. */
CATC_API const struct catc_gemm_instance *catc_gemm_at(const struct catc_registry *registry, enum catc_backend backend,
                                                       int i);
/* Can `instance` do this problem? Pure: launches and writes nothing but the sentence into buffer (may be NULL). */
CATC_API enum catc_status catc_gemm_check_sized(const struct catc_gemm_instance *instance,
                                                const struct catc_gemm_args *args, size_t size, char *buffer,
                                                size_t buffer_size);
/* Bytes of workspace that the unrestricted choice uses (0 for every instance of this version). */
CATC_API enum catc_status catc_gemm_workspace_size_sized(const struct catc_gemm_args *args, size_t size, size_t *bytes);
/* Choose, without launching. */
CATC_API enum catc_status catc_gemm_make_plan_sized(struct catc_gemm_plan *plan, const struct catc_gemm_args *args,
                                                    size_t size);
/* Launch a plan; NULL stream: the default stream. Safe under stream capture. workspace: of at least
 * catc_gemm_workspace_size bytes, NULL if that is 0. CATC_INVALID_ARGUMENT on another device than the plan's. */
CATC_API enum catc_status catc_gemm_launch(const struct catc_gemm_plan *plan, void *workspace,
                                           struct CUstream_st *stream);
/* New pointers, sizes and scalars for the plan's instance, without a new selection. On failure the plan is unchanged. */
CATC_API enum catc_status catc_gemm_plan_update_sized(struct catc_gemm_plan *plan, const struct catc_gemm_args *args,
                                                      size_t size);
/* The instance of a plan; NULL for an empty problem. */
CATC_API const struct catc_gemm_instance *catc_gemm_plan_instance(const struct catc_gemm_plan *plan);
/* Which instance, why, and why each other was refused, as text of at most size - 1 characters, always terminated.
 * With no built instance for a chain: the YAML line that would add one. Returns what catc_gemm would. */
CATC_API enum catc_status catc_gemm_explain_sized(const struct catc_gemm_args *args, size_t args_size, char *buffer,
                                                  size_t size);

static inline enum catc_status catc_gemm(const struct catc_gemm_args *args)
{
    return catc_gemm_sized(args, sizeof *args);
}
static inline enum catc_status catc_gemm_check(const struct catc_gemm_instance *instance,
                                               const struct catc_gemm_args *args, char *buffer, size_t buffer_size)
{
    return catc_gemm_check_sized(instance, args, sizeof *args, buffer, buffer_size);
}
static inline enum catc_status catc_gemm_workspace_size(const struct catc_gemm_args *args, size_t *bytes)
{
    return catc_gemm_workspace_size_sized(args, sizeof *args, bytes);
}
static inline enum catc_status catc_gemm_make_plan(struct catc_gemm_plan *plan, const struct catc_gemm_args *args)
{
    return catc_gemm_make_plan_sized(plan, args, sizeof *args);
}
static inline enum catc_status catc_gemm_plan_update(struct catc_gemm_plan *plan, const struct catc_gemm_args *args)
{
    return catc_gemm_plan_update_sized(plan, args, sizeof *args);
}
static inline enum catc_status catc_gemm_explain(const struct catc_gemm_args *args, char *buffer, size_t size)
{
    return catc_gemm_explain_sized(args, sizeof *args, buffer, size);
}

CATC_EXTERN_C_END

#endif /* CATC_OPS_GEMM_H */
