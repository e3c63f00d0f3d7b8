/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_plan.h: from a choice to a launch. Works from the descriptor's numbers; needs no nvcc. Implementation only. */
#ifndef CATC_OPS_GEMM_PLAN_H
#define CATC_OPS_GEMM_PLAN_H

#include "catlass_c/ops/gemm_select.h"

#if CATC_WITH_CUDA
#include <cuda_runtime_api.h>
#endif
#if CATC_WITH_HOST
#include "catlass_c/backend/host/launch.h"
#endif

/* What struct catc_gemm_plan holds. The parameter block is kept as bytes and put into an aligned local at launch. */
struct __attribute__((may_alias)) catc_gemm_plan_body {
    uint64_t magic;
    const struct catc_gemm_instance *instance; /* NULL: an empty problem */
    struct catc_device device;                 /* used for selection; plan_update keeps it */
    int ordinal;                               /* CUDA device of the plan */
    int64_t blocks;
    size_t params_size;
    unsigned char params[sizeof(struct catc_gemm_sm90_params)];
};
#define CATC_GEMM_PLAN_MAGIC 0x6361746c61737363ull
CATC_STATIC_ASSERT(sizeof(struct catc_gemm_plan_body) <= sizeof(struct catc_gemm_plan),
                   "struct catc_gemm_plan must hold a catc_gemm_plan_body; enlarge opaque");

static struct catc_gemm_plan_body *catc_gemm_plan_body_(const struct catc_gemm_plan *plan)
{
    return (struct catc_gemm_plan_body *)(void *)(uintptr_t)plan;
}

#if CATC_WITH_CUDA
/* A host pointer given to a kernel is an illegal access long after the call; cudaPointerGetAttributes tells it now. Not
 * on a device that can read pageable memory. */
static enum catc_status catc_cuda_reachable_(const void *pointer, const char *name, struct catc_text *text)
{
    static void *cache;
    struct cudaPointerAttributes attributes;
    cudaError_t missing;
    if (!pointer) {
        return CATC_OK;
    }
    /* the driver's question after one attribute takes a fraction of the runtime's; a pointer that it does not know, and
     * a thread without a context, are the runtime's to explain */
    void *const entry = catc_driver_entry_("cuPointerGetAttribute", 4000, &cache, &missing);
    if (entry) {
        PFN_cuPointerGetAttribute_v4000 ask;
        unsigned type = 0;
        memcpy(&ask, &entry, sizeof entry);
        if (ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)pointer) == CUDA_SUCCESS) {
            return CATC_OK;
        }
    }
    cudaError_t const error = cudaPointerGetAttributes(&attributes, pointer);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return catc_say(text, CATC_CUDA_FAILURE, "%s: address=%p must be known to CUDA (%s); check the pointer", name,
                        pointer, cudaGetErrorString(error));
    }
    if (attributes.type == cudaMemoryTypeUnregistered) {
        int ordinal = 0, pageable = 0;
        (void)cudaGetDevice(&ordinal);
        (void)cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, ordinal);
        if (!pageable) {
            return catc_say(
                text, CATC_INVALID_ARGUMENT,
                "%s: address=%p must be device memory with backend=cuda (it is ordinary host memory); allocate it "
                "with cudaMalloc, or set .backend = CATC_HOST",
                name, pointer);
        }
    }
    return CATC_OK;
}

static enum catc_status catc_cuda_pointers_(const struct catc_gemm_problem *problem, const struct catc_gemm_instance *i,
                                            struct catc_text *text)
{
    const struct catc_gemm_args *const g = &problem->args;
    CATC_TRY(catc_cuda_reachable_(g->d, "d", text));
    CATC_TRY(catc_cuda_reachable_(g->k > 0 ? g->a : NULL, "a", text));
    CATC_TRY(catc_cuda_reachable_(g->k > 0 ? g->b : NULL, "b", text));
    CATC_TRY(catc_cuda_reachable_(problem->reads_c ? g->c : NULL, "c", text));
    CATC_TRY(catc_cuda_reachable_(g->a_array, "a_array", text));
    CATC_TRY(catc_cuda_reachable_(g->b_array, "b_array", text));
    CATC_TRY(catc_cuda_reachable_(g->c_array, "c_array", text));
    CATC_TRY(catc_cuda_reachable_(g->d_array, "d_array", text));
    CATC_TRY(catc_cuda_reachable_(g->scalars_on_device ? g->alpha : NULL, "alpha", text));
    CATC_TRY(catc_cuda_reachable_(g->scalars_on_device ? g->beta : NULL, "beta", text));
    for (int e = 0; e < i->n_epi; ++e) {
        enum catc_epi_kind const kind = i->epi[e].kind;
        if (kind == CATC_EPI_TAP || kind == CATC_EPI_REDUCE) {
            CATC_TRY(catc_cuda_reachable_(g->epi[e].out, i->epi[e].name, text));
        } else if (catc_epi_reads_(kind, g)) {
            CATC_TRY(catc_cuda_reachable_(g->epi[e].ptr, i->epi[e].name, text));
        }
    }
    return CATC_OK;
}

static cudaError_t catc_cuda_allow_memory_(const struct catc_gemm_instance *i)
{
    return cudaFuncSetAttribute((const void *)(uintptr_t)i->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                i->smem_bytes);
}

/* Allows the kernel its shared memory, which also loads it, so that nothing lazy is left for a stream capture. That takes
 * half a microsecond, so it is remembered which kernels are ready on which device: one word each in a table without locks,
 * where a collision only costs the call again. A device that was reset has forgotten; then the launch does it. */
static enum catc_status catc_cuda_prepare_(const struct catc_gemm_instance *i, int ordinal, struct catc_text *text)
{
    enum { WORDS = 1024 };
    static uint64_t ready[WORDS];
    uint64_t const key = (uint64_t)(uintptr_t)i->kernel * CATC_DEVICES_MAX + (uint64_t)ordinal + 1;
    uint64_t *const word = &ready[(key * 0x9e3779b97f4a7c15ull) >> 54];
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == key) {
        return CATC_OK;
    }
    cudaError_t const error = catc_cuda_allow_memory_(i);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return catc_say(text, CATC_CUDA_FAILURE, "%s: smem_bytes=%d must be accepted by cudaFuncSetAttribute (%s)",
                        i->name, i->smem_bytes, cudaGetErrorString(error));
    }
    __atomic_store_n(word, key, __ATOMIC_RELAXED);
    return CATC_OK;
}
#endif

/* The CUDA device that a plan is for: the calling thread's current one. */
static enum catc_status catc_gemm_ordinal_(int *ordinal, const struct catc_gemm_instance *i, struct catc_text *text)
{
    *ordinal = 0;
#if CATC_WITH_CUDA
    if (i->backend == CATC_CUDA) {
        cudaError_t const error = cudaGetDevice(ordinal);
        if (error != cudaSuccess) {
            (void)cudaGetLastError();
            return catc_say(text, CATC_NO_DEVICE,
                            "device: backend=cuda must have a usable GPU and driver (CUDA says: %s)",
                            cudaGetErrorString(error));
        }
    }
#endif
    (void)i, (void)text;
    return CATC_OK;
}

/* Everything after the choice. `body` is complete or untouched; only the bytes in use are written. */
static enum catc_status catc_gemm_build_(struct catc_gemm_plan_body *body, struct catc_gemm_problem *problem,
                                         const struct catc_gemm_instance *i, const struct catc_device *device,
                                         int ordinal, struct catc_text *text)
{
    CATC_ALIGNAS(64) struct catc_gemm_sm90_params params;
    size_t size = sizeof params.gemm;
#if CATC_WITH_CUDA
    if (i->backend == CATC_CUDA) {
        CATC_TRY(catc_cuda_pointers_(problem, i, text));
        CATC_TRY(catc_cuda_prepare_(i, ordinal, text));
    }
#endif
    catc_gemm_fill_(&params.gemm, problem, i);
    if (i->skeleton == CATC_GEMM_SM90) {
        CATC_TRY(catc_gemm_sm90_fill(i, &params, text->at, text->left));
        size = sizeof params;
    }
    int64_t blocks = params.gemm.tiles < 0x7fffffff ? params.gemm.tiles : 0x7fffffff; /* blocks stride over the rest */
    if (i->skeleton != CATC_GEMM_SIMT) { /* persistent: as many blocks as run at the same time */
        int64_t const resident = (int64_t)device->sms * catc_gemm_resident_(i, device);
        blocks = blocks < resident ? blocks : resident;
    }
    body->magic = CATC_GEMM_PLAN_MAGIC;
    body->instance = i;
    body->device = *device;
    body->ordinal = ordinal;
    body->blocks = blocks;
    body->params_size = size;
    memcpy(body->params, &params, size);
    return CATC_OK;
}

static enum catc_status catc_gemm_plan_(struct catc_gemm_plan *plan, const struct catc_gemm_args *args, size_t size,
                                        struct catc_text *text)
{
    struct catc_gemm_problem problem;
    struct catc_gemm_choice choice;
    struct catc_device device;
    struct catc_gemm_plan_body *const body = catc_gemm_plan_body_(plan);
    if (!plan) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "plan: plan=NULL must point at a struct catc_gemm_plan");
    }
    CATC_TRY(catc_gemm_problem_(&problem, args, size, text));
    CATC_TRY(catc_backend_built_(problem.args.backend, text));
    if (problem.empty) {
        memset(body, 0, sizeof *body);
        body->magic = CATC_GEMM_PLAN_MAGIC;
        return CATC_OK;
    }
    int ordinal;
    CATC_TRY(catc_gemm_device_(&device, &problem.args, text));
    CATC_TRY(catc_gemm_select_(&choice, &problem, &device, text));
    CATC_TRY(catc_gemm_ordinal_(&ordinal, choice.instance, text));
    return catc_gemm_build_(body, &problem, choice.instance, &device, ordinal, text);
}

/* A plan belongs to the device that was current when it was made. */
static enum catc_status catc_gemm_same_device_(const struct catc_gemm_plan_body *body, struct catc_text *text)
{
#if CATC_WITH_CUDA
    int ordinal = -1;
    if (body->instance && body->instance->backend == CATC_CUDA) {
        cudaError_t const error = cudaGetDevice(&ordinal);
        if (error != cudaSuccess) {
            (void)cudaGetLastError();
            return catc_say(text, CATC_CUDA_FAILURE, "plan: device must be known to CUDA (%s); call cudaSetDevice",
                            cudaGetErrorString(error));
        }
        if (ordinal != body->ordinal) {
            return catc_say(
                text, CATC_INVALID_ARGUMENT,
                "plan: device=%d must be %d, the one current when the plan was made; make a plan for each device",
                ordinal, body->ordinal);
        }
    }
#endif
    (void)body, (void)text;
    return CATC_OK;
}

/* On the plan's own device. */
static enum catc_status catc_gemm_launch_(const struct catc_gemm_plan *plan, struct CUstream_st *stream,
                                          struct catc_text *text)
{
    const struct catc_gemm_plan_body *const body = catc_gemm_plan_body_(plan);
    CATC_ALIGNAS(64) struct catc_gemm_sm90_params params;
    const struct catc_gemm_instance *const i = body->instance;
    if (!i || body->blocks == 0) { /* made from, or updated to, an empty problem */
        return CATC_OK;
    }
    memcpy(&params, body->params, body->params_size);
#if CATC_WITH_HOST
    if (i->backend == CATC_HOST) {
        struct catc_host_launch launch;
        memset(&launch, 0, sizeof launch);
        launch.kernel = i->kernel;
        launch.name = i->name;
        launch.params = &params;
        launch.blocks = body->blocks;
        launch.threads = i->threads;
        launch.smem_bytes = i->smem_bytes;
        char report[CATC_SENTENCE]; /* a launch that succeeds leaves the last sentence alone */
        enum catc_status const status = catc_host_launch(&launch, report, sizeof report);
        return status == CATC_OK ? status : catc_say(text, status, "%s", report);
    }
#endif
#if CATC_WITH_CUDA
    if (i->backend == CATC_CUDA) {
        cudaLaunchConfig_t config;
        memset(&config, 0, sizeof config);
        config.gridDim.x = (unsigned)body->blocks, config.gridDim.y = 1, config.gridDim.z = 1;
        config.blockDim.x = (unsigned)i->threads, config.blockDim.y = 1, config.blockDim.z = 1;
        config.dynamicSmemBytes = (size_t)i->smem_bytes;
        config.stream = stream;
        void *arguments[] = {&params};
        cudaError_t error = cudaLaunchKernelExC(&config, (const void *)(uintptr_t)i->kernel, arguments);
        if (error == cudaErrorInvalidValue && catc_cuda_allow_memory_(i) == cudaSuccess) {
            error = cudaLaunchKernelExC(&config, (const void *)(uintptr_t)i->kernel, arguments);
        }
        if (error != cudaSuccess) {
            (void)cudaGetLastError(); /* reported here; the next call must not be blamed for it */
            return catc_say(text, CATC_CUDA_FAILURE,
                            "%s: launch of %lld blocks x %d threads, %d bytes of shared memory: %s", i->name,
                            (long long)body->blocks, i->threads, i->smem_bytes, cudaGetErrorString(error));
        }
        return CATC_OK;
    }
#endif
    (void)stream;
    return catc_backend_built_(i->backend, text);
}

/* ---- public functions ------------------------------------------------------------------------------------------ */

enum catc_status catc_gemm_make_plan_sized(struct catc_gemm_plan *plan, const struct catc_gemm_args *args, size_t size)
{
    struct catc_text text = catc_text_last_();
    return catc_gemm_plan_(plan, args, size, &text);
}

enum catc_status catc_gemm_launch(const struct catc_gemm_plan *plan, void *workspace, struct CUstream_st *stream)
{
    struct catc_text text = catc_text_last_();
    (void)workspace; /* no instance of this version uses one */
    const struct catc_gemm_plan_body *const body = catc_gemm_plan_body_(plan);
    if (!plan || body->magic != CATC_GEMM_PLAN_MAGIC) {
        return catc_say(&text, CATC_INVALID_ARGUMENT, "plan: plan=%p must have been made by catc_gemm_make_plan",
                        (const void *)plan);
    }
    CATC_TRY(catc_gemm_same_device_(body, &text));
    return catc_gemm_launch_(plan, stream, &text);
}

enum catc_status catc_gemm_sized(const struct catc_gemm_args *args, size_t size)
{
    struct catc_text text = catc_text_last_();
    struct catc_gemm_plan plan;
    CATC_TRY(catc_gemm_plan_(&plan, args, size, &text));
    return catc_gemm_launch_(
        &plan, size >= offsetof(struct catc_gemm_args, stream) + sizeof args->stream ? args->stream : NULL, &text);
}

enum catc_status catc_gemm_plan_update_sized(struct catc_gemm_plan *plan, const struct catc_gemm_args *args,
                                             size_t size)
{
    struct catc_text text = catc_text_last_();
    struct catc_gemm_plan_body *const body = catc_gemm_plan_body_(plan);
    struct catc_gemm_problem problem;
    if (!plan || body->magic != CATC_GEMM_PLAN_MAGIC || !body->instance) {
        return catc_say(
            &text, CATC_INVALID_ARGUMENT,
            "plan: plan=%p must hold an instance; make it with catc_gemm_make_plan from a problem that is not empty",
            (void *)plan);
    }
    CATC_TRY(catc_gemm_problem_(&problem, args, size, &text));
    if (problem.empty) { /* keeps the instance, launches nothing */
        struct catc_gemm_params none;
        memcpy(&none, body->params, sizeof none);
        none.tiles = 0;
        memcpy(body->params, &none, sizeof none);
        body->blocks = 0;
        return CATC_OK;
    }
    CATC_TRY(catc_gemm_same_device_(body, &text));
    struct catc_device const device = body->device;
    CATC_TRY(catc_gemm_legal_(body->instance, &problem, &device, &text));
    return catc_gemm_build_(body, &problem, body->instance, &device, body->ordinal, &text);
}

const struct catc_gemm_instance *catc_gemm_plan_instance(const struct catc_gemm_plan *plan)
{
    const struct catc_gemm_plan_body *const body = catc_gemm_plan_body_(plan);
    return plan && body->magic == CATC_GEMM_PLAN_MAGIC ? body->instance : NULL;
}

enum catc_status catc_gemm_check_sized(const struct catc_gemm_instance *instance, const struct catc_gemm_args *args,
                                       size_t size, char *buffer, size_t buffer_size)
{
    struct catc_text text = catc_text_open(buffer, buffer_size);
    struct catc_gemm_problem problem;
    struct catc_device device;
    if (!instance) {
        return catc_say(&text, CATC_INVALID_ARGUMENT, "instance: instance=NULL must point at a descriptor");
    }
    CATC_TRY(catc_gemm_problem_(&problem, args, size, &text));
    CATC_TRY(catc_gemm_device_(&device, &problem.args, &text));
    return catc_gemm_legal_(instance, &problem, &device, &text);
}

enum catc_status catc_gemm_workspace_size_sized(const struct catc_gemm_args *args, size_t size, size_t *bytes)
{
    struct catc_text text = catc_text_last_();
    struct catc_gemm_problem problem;
    if (!bytes) {
        return catc_say(&text, CATC_INVALID_ARGUMENT, "bytes: bytes=NULL must point at a size_t");
    }
    CATC_TRY(catc_gemm_problem_(&problem, args, size, &text));
    *bytes = 0;
    return CATC_OK;
}

#endif /* CATC_OPS_GEMM_PLAN_H */
