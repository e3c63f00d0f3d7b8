/* SPDX-License-Identifier: Apache-2.0
 *
 * host_time.c: three kinds of call on one tiny problem, in blocks that take turns: catc_gemm; catc_gemm_launch of a
 * plan; and cudaLaunchKernelExC of the same kernel with the same grid and the same parameter bytes. The bytes come from
 * a graph into which the plan was captured: no knowledge of the library's inside is needed. Each call is timed by
 * itself; the stream is emptied every BLOCK calls, so that no call waits for the GPU. */
#include "host_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "say.h"

enum { BLOCK = 100, BLOCKS = 60, WARM = 2, CALLS = BLOCK * (BLOCKS - WARM) };
enum { BARE, LAUNCH, GEMM, KINDS };

struct subject {
    struct catc_gemm_args args;
    struct catc_gemm_plan plan;
    cudaLaunchConfig_t config;
    const void *kernel;
    void **parameters; /* owned by the graph */
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The launch that a plan makes, as a kernel node of *graph. */
static bool capture_plan(const struct bench_device *d, struct subject *s, cudaGraph_t *graph)
{
    const struct catc_gemm_instance *const instance = catc_gemm_plan_instance(&s->plan);
    cudaGraphNode_t node = NULL;
    struct cudaKernelNodeParams params;
    size_t nodes = 1;
    if (!bench_cuda(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeRelaxed), "beginning a capture")) {
        return false;
    }
    enum catc_status const status = catc_gemm_launch(&s->plan, NULL, d->stream);
    cudaError_t const ended = cudaStreamEndCapture(d->stream, graph);
    if (status != CATC_OK) {
        return bench_fail("%s", catc_last_message());
    }
    if (!bench_cuda(ended, "ending a capture") ||
        !bench_cuda(cudaGraphGetNodes(*graph, &node, &nodes), "asking a graph for its node") ||
        !bench_cuda(cudaGraphKernelNodeGetParams(node, &params), "asking a node for its parameters")) {
        return false;
    }
    memset(&s->config, 0, sizeof s->config);
    s->config.gridDim = params.gridDim;
    s->config.blockDim = params.blockDim;
    s->config.dynamicSmemBytes = params.sharedMemBytes;
    s->config.stream = d->stream;
    s->kernel = (const void *)(uintptr_t)instance->kernel;
    s->parameters = params.kernelParams;
    if (instance->cluster_m * instance->cluster_n != 1 || !s->parameters) {
        return bench_fail("host time: instance=%s must launch without clusters, so that a bare launch is the same",
                          instance->name);
    }
    return true;
}

static bool call(int kind, struct subject *s)
{
    switch (kind) {
    case BARE: return cudaLaunchKernelExC(&s->config, s->kernel, s->parameters) == cudaSuccess;
    case LAUNCH: return catc_gemm_launch(&s->plan, NULL, s->args.stream) == CATC_OK;
    default: return catc_gemm(&s->args) == CATC_OK;
    }
}

bool bench_host_time_measure(const struct bench_device *d, struct bench_host_time *time)
{
    static double ns[KINDS][CALLS];
    struct bench_shape const shape = {
        .m = 128, .n = 128, .k = 64, .batch = 1, .type_a = CATC_BF16, .type_d = CATC_BF16, .layout = CATC_TN};
    struct bench_problem problem;
    struct subject subject;
    cudaGraph_t graph = NULL;
    memset(time, 0, sizeof *time);
    if (!bench_problem_make(&problem, &shape)) {
        return false;
    }
    subject.args = bench_device_place(d, &problem, 0);
    if (catc_gemm_make_plan(&subject.plan, &subject.args) != CATC_OK) {
        return bench_fail("host time: %s", catc_last_message());
    }
    snprintf(time->instance, sizeof time->instance, "%s", catc_gemm_plan_instance(&subject.plan)->name);
    bool good = capture_plan(d, &subject, &graph);
    for (int block = 0; good && block < BLOCKS; ++block) {
        for (int turn = 0; good && turn < KINDS; ++turn) {
            int const kind = (block + turn) % KINDS;
            for (int i = 0; good && i < BLOCK; ++i) {
                double const start = now_ns();
                good = call(kind, &subject);
                double const end = now_ns();
                if (block >= WARM) {
                    ns[kind][(block - WARM) * BLOCK + i] = end - start;
                }
            }
            if (!good) {
                bench_fail("host time: a %s failed: %s", kind == BARE ? "bare launch" : "call",
                           kind == BARE ? cudaGetErrorString(cudaGetLastError()) : catc_last_message());
            }
            good = good && bench_cuda(cudaStreamSynchronize(d->stream), "running the tiny problem");
        }
    }
    if (good) {
        time->measured = true;
        time->calls = CALLS;
        time->bare = bench_spread_of(ns[BARE], CALLS);
        time->launch = bench_spread_of(ns[LAUNCH], CALLS);
        time->gemm = bench_spread_of(ns[GEMM], CALLS);
    }
    if (graph) {
        (void)cudaGraphDestroy(graph);
    }
    return good;
}
