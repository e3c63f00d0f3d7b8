/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-02: a first call inside stream capture allocated memory, synchronised or started tuning, which broke the capture.
 * The first call of the process is made inside a capture; three replays give the result for the contents of that moment.
 * Also gemm_sm80 with a chain, and with a batch by arrays of pointers. GPU only. */
#include "gemm/simple.h"

#if CATC_WITH_CUDA

static int round_now;

static double a_now(int64_t i, int64_t k)
{
    return simple_a(i + round_now, k);
}

/* The first instance of a skeleton for these types and this chain. Asks CUDA nothing: its first call is to be in the capture. */
static const struct catc_gemm_instance *first_for(const struct catc_gemm_args *g, enum catc_skeleton skeleton)
{
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, g->backend, at)); ++at) {
        bool same = i->skeleton == skeleton && i->type_a == g->type_a && i->type_d == g->type_d &&
                    i->layout == g->layout && i->n_epi == g->n_epi;
        for (int e = 0; same && e < i->n_epi; ++e) {
            same = catc_op_id(i->epi[e].name) == g->epi[e].op;
        }
        if (same) {
            return i;
        }
    }
    return NULL;
}

/* The problem's rows as a batch of two, by arrays of pointers. */
static void by_pointers(struct simple *s, struct buffer *arrays)
{
    struct catc_gemm_args *const g = &s->args;
    int64_t const rows = g->m / 2;
    size_t const size = catc_type_size(g->type_a);
    for (int o = 0; o < 3; ++o) {
        const struct buffer *const b = o == 0 ? &s->a : o == 1 ? &s->b : &s->d;
        size_t const step = o == 1 ? 0 : (size_t)(rows * (o == 0 ? g->k : g->n)) * size;
        void *const entry[] = {buffer_use(b), (char *)buffer_use(b) + step};
        arrays[o] = buffer_pointers(CATC_CUDA, entry, 2);
    }
    g->m = rows;
    g->batch = 2;
    g->a_array = (const void *const *)buffer_use(&arrays[0]);
    g->b_array = (const void *const *)buffer_use(&arrays[1]);
    g->d_array = (void *const *)buffer_use(&arrays[2]);
}

/* skeleton: to be forced; 0: the library chooses. m even with pointers. */
static void capture(enum catc_type type, const char *op, int64_t m, int64_t n, int64_t k, enum catc_skeleton skeleton,
                    bool pointers)
{
    struct simple s;
    struct buffer arrays[3];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    round_now = 0;
    simple_open(&s, CATC_CUDA, type, CATC_TN, m, n, k, a_now, simple_b);
    simple_push(&s, "bias", CATC_EPI_COL, simple_one);
    if (op) {
        simple_push(&s, op, CATC_EPI_NONE, simple_zero);
    }
    if (pointers) {
        by_pointers(&s, arrays);
    }
    if (skeleton) {
        s.args.instance = first_for(&s.args, skeleton);
        CHECK(s.args.instance != NULL);
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
                wrong += !acceptable(type, simple_d(&s, i, j), op ? simple_activate(op, x) : x);
            }
        }
        CHECK(wrong == 0);
    }
    const struct catc_gemm_instance *const chosen = simple_choice(&s.args);
    CHECK(chosen != NULL);
    if (chosen) {
        printf("captured: %s\n", chosen->name);
    }
    if (chosen && pointers) {
        CHECK(chosen->skeleton != CATC_GEMM_SM90);
    }
    CHECK(cudaGraphExecDestroy(replay) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    for (int o = 0; pointers && o < 3; ++o) {
        buffer_free(&arrays[o]);
    }
    simple_close(&s);
}

int main(void)
{
    int gpus = 0; /* asked of CUDA: the library's first call is to be the one in the capture */
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        return gpu_status();
    }
    simple_needs_default_set();
    capture(CATC_F32, "gelu", 96, 64, 32, CATC_SKELETON_NOT_GIVEN, false);
    struct catc_device device;
    CHECK(catc_device_current(&device) == CATC_OK);
    if (device.cc == 90) { /* tensor maps are among the parameters */
        capture(CATC_BF16, "gelu", 256, 256, 64, CATC_GEMM_SM90, false);
    }
    capture(CATC_F32, NULL, 96, 64, 32, CATC_SKELETON_NOT_GIVEN, false);
    capture(CATC_BF16, "gelu_tanh", 200, 136, 96, CATC_GEMM_SM80, true);
    capture(CATC_BF16, "gelu_tanh", 200, 136, 96, CATC_SKELETON_NOT_GIVEN, true);
    return check_result();
}

#else

int main(void)
{
    return gpu_status();
}

#endif
