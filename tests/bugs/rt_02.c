/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-02: a first call inside stream capture allocated memory, synchronised or started tuning, which broke the capture.
 * The first call of the process is made inside a capture; three replays give the result for the contents of that moment.
 * GPU only. */
#include "gemm/simple.h"

#if CATC_WITH_CUDA

static int round_now;

static double a_now(int64_t i, int64_t k)
{
    return simple_a(i + round_now, k);
}

static void capture(enum catc_type type, const char *op, int64_t m, int64_t n, int64_t k)
{
    struct simple s;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    round_now = 0;
    simple_open(&s, CATC_CUDA, type, CATC_TN, m, n, k, a_now, simple_b);
    simple_push(&s, "bias", CATC_EPI_COL, simple_one);
    if (op) {
        simple_push(&s, op, CATC_EPI_NONE, simple_zero);
    }
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    s.args.stream = stream;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    enum catc_status const status = catc_gemm(&s.args); /* the first one */
    cudaError_t const end = cudaStreamEndCapture(stream, &graph);
    if (status != CATC_OK || end != cudaSuccess) {
        fprintf(stderr, "  %s: %s; end of capture: %s\n", catc_status_name(status), catc_last_message(),
                cudaGetErrorString(end));
        ++check_failures;
        return;
    }
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes) == cudaSuccess && nodes == 1); /* the kernel and nothing else */
    CHECK(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    for (round_now = 1; round_now <= 3; ++round_now) {
        int wrong = 0;
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t at = 0; at < k; ++at) {
                element_write(type, s.a.host + s.a.offset, i * k + at, a_now(i, at));
            }
        }
        buffer_upload(&s.a);
        simple_clear(&s);
        CHECK(cudaGraphLaunch(replay, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
        simple_download(&s);
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                struct bounded const x = {simple_product(&s, i, j) + 1.0, 0.0};
                wrong += !acceptable(type, simple_d(&s, i, j), op ? gelu_of(x, strcmp(op, "gelu_tanh") == 0) : x);
            }
        }
        CHECK(wrong == 0);
    }
    /* What was captured: on Hopper the bf16 problem is one for tensor maps, if this build has such a kernel. */
    const struct catc_gemm_instance *const chosen = simple_choice(&s.args);
    struct catc_device device;
    CHECK(chosen != NULL && catc_device_current(&device) == CATC_OK);
    if (chosen) {
        printf("captured: %s\n", chosen->name);
    }
    if (chosen && type == CATC_BF16 && device.cc == 90 && simple_first_of(CATC_CUDA, CATC_GEMM_SM90)) {
        CHECK(chosen->skeleton == CATC_GEMM_SM90);
    }
    CHECK(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    simple_close(&s);
}

int main(void)
{
    int gpus = 0; /* asked of CUDA: the library's first call is to be the one in the capture */
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        return gpu_status();
    }
    simple_needs_default_set();
    capture(CATC_F32, "gelu", 96, 64, 32);
    capture(CATC_BF16, "gelu", 256, 256, 64); /* another kernel: gemm_sm90 on Hopper */
    capture(CATC_F32, NULL, 96, 64, 32);
    return check_result();
}

#else

int main(void)
{
    return gpu_status();
}

#endif
