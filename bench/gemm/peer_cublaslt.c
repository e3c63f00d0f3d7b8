/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_cublaslt.c: cublasLtMatmul with a heuristic request of 24 algorithms and 64 MiB of workspace.
 *
 * cuBLASLt is column-major. Our row-major D (M x N) is its D^T (N x M), so that it computes D^T = B^T A^T: its A is our
 * B, its B our A, its M our N. A matrix that we store by rows of K is K x … to it, column by column: transposed for its
 * A, as it is for its B. Its bias runs along its rows, which are our columns. */
#include <cublasLt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "say.h"

struct bench_peer {
    cublasLtHandle_t handle;
    cublasLtMatmulPreference_t preference, exact_preference;
    void *workspace;
    cublasLtMatmulDesc_t matmul;
    cublasLtMatrixLayout_t a, b, d; /* in its terms */
    cublasLtMatmulHeuristicResult_t result[BENCH_PEER_ALGOS], exact;
    int bias; /* position of the chain that it takes as its bias; -1: none */
};

static bool ok(cublasStatus_t status, const char *what)
{
    return status == CUBLAS_STATUS_SUCCESS ||
           bench_fail("cuBLASLt: %s: %s (%s)", what, cublasLtGetStatusString(status), cublasLtGetStatusName(status));
}

const char *bench_peer_version(void)
{
    static char text[48];
    size_t const v = cublasLtGetVersion();
    snprintf(text, sizeof text, "cuBLASLt %zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
    return text;
}

bool bench_peer_built(void)
{
    return true;
}

/* schemes: how the partial sums of a split K may be added */
static bool make_preference(cublasLtMatmulPreference_t *preference, uint32_t schemes)
{
    size_t const workspace = BENCH_PEER_WORKSPACE;
    return ok(cublasLtMatmulPreferenceCreate(preference), "making a preference") &&
           ok(cublasLtMatmulPreferenceSetAttribute(*preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                   sizeof workspace),
              "setting the workspace's size") &&
           ok(cublasLtMatmulPreferenceSetAttribute(*preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes,
                                                   sizeof schemes),
              "setting the reduction schemes");
}

struct bench_peer *bench_peer_open(void)
{
    struct bench_peer *const peer = (struct bench_peer *)calloc(1, sizeof *peer);
    if (!peer) {
        bench_fail("cuBLASLt: out of host memory");
        return NULL;
    }
    if (!ok(cublasLtCreate(&peer->handle), "making a handle") ||
        !bench_cuda(cudaMalloc(&peer->workspace, BENCH_PEER_WORKSPACE), "workspace of cuBLASLt") ||
        !make_preference(&peer->preference, CUBLASLT_REDUCTION_SCHEME_MASK) ||
        !make_preference(&peer->exact_preference, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)) {
        bench_peer_close(peer);
        return NULL;
    }
    return peer;
}

static void forget_problem(struct bench_peer *p)
{
    cublasLtMatrixLayout_t *const layout[] = {&p->a, &p->b, &p->d};
    for (int i = 0; i < 3; ++i) {
        if (*layout[i]) {
            (void)cublasLtMatrixLayoutDestroy(*layout[i]);
        }
        *layout[i] = NULL;
    }
    if (p->matmul) {
        (void)cublasLtMatmulDescDestroy(p->matmul);
    }
    p->matmul = NULL;
}

void bench_peer_close(struct bench_peer *p)
{
    if (!p) {
        return;
    }
    forget_problem(p);
    if (p->preference) {
        (void)cublasLtMatmulPreferenceDestroy(p->preference);
    }
    if (p->exact_preference) {
        (void)cublasLtMatmulPreferenceDestroy(p->exact_preference);
    }
    (void)cudaFree(p->workspace);
    if (p->handle) {
        (void)cublasLtDestroy(p->handle);
    }
    free(p);
}

static cudaDataType_t data_type(enum catc_type type)
{
    return type == CATC_BF16 ? CUDA_R_16BF : type == CATC_F16 ? CUDA_R_16F : CUDA_R_32F;
}

/* rows x columns, column-major, packed */
static bool make_layout(cublasLtMatrixLayout_t *layout, enum catc_type type, int64_t rows, int64_t columns,
                        int64_t batch)
{
    int32_t const count = (int32_t)batch;
    int64_t const stride = rows * columns;
    return ok(cublasLtMatrixLayoutCreate(layout, data_type(type), (uint64_t)rows, (uint64_t)columns, rows),
              "describing a matrix") &&
           (batch == 1 ||
            (ok(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                "setting the batch count") &&
             ok(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                                 sizeof stride),
                "setting the batch stride")));
}

/* The chain as far as D depends on it: without operations that only write something beside D. */
static void chain_of_d(const struct bench_problem *problem, char *out, size_t size)
{
    char chain[BENCH_CHAIN], *rest = chain;
    int position = 0;
    size_t used = 0;
    out[0] = '\0';
    memcpy(chain, problem->shape.chain, sizeof chain);
    for (char *word = strtok_r(chain, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        enum catc_epi_kind const kind = problem->kind[position++];
        if (kind != CATC_EPI_TAP && kind != CATC_EPI_REDUCE) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "," : "", word);
        }
    }
}

/* Chains that cuBLASLt fuses. Its GELU is the tanh form. */
static cublasLtEpilogue_t epilogue_of(const struct bench_problem *problem, int *bias, struct bench_peer_match *match)
{
    static const struct {
        const char *chain;
        cublasLtEpilogue_t epilogue;
        int bias;
        bool approximate;
    } known[] = {
        {"", CUBLASLT_EPILOGUE_DEFAULT, -1, false},
        {"relu", CUBLASLT_EPILOGUE_RELU, -1, false},
        {"gelu_tanh", CUBLASLT_EPILOGUE_GELU, -1, false},
        {"gelu", CUBLASLT_EPILOGUE_GELU, -1, true},
        {"bias", CUBLASLT_EPILOGUE_BIAS, 0, false},
        {"bias,relu", CUBLASLT_EPILOGUE_RELU_BIAS, 0, false},
        {"bias,gelu_tanh", CUBLASLT_EPILOGUE_GELU_BIAS, 0, false},
        {"bias,gelu", CUBLASLT_EPILOGUE_GELU_BIAS, 0, true},
    };
    char chain[BENCH_CHAIN];
    chain_of_d(problem, chain, sizeof chain);
    bool const beside = strcmp(chain, problem->shape.chain) != 0; /* D is the same, the peer writes nothing beside it */
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strcmp(chain, known[i].chain) == 0) {
            *bias = known[i].bias;
            match->same = true;
            match->approximate = known[i].approximate;
            snprintf(match->note, sizeof match->note, "%s%s",
                     known[i].approximate ? "peer: fused, GELU in its tanh form"
                     : chain[0]           ? "peer: fused"
                     : beside             ? "peer: plain matmul"
                                          : "",
                     beside ? ", D alone" : "");
            return known[i].epilogue;
        }
    }
    *bias = -1;
    snprintf(match->note, sizeof match->note, "peer: plain matmul, without the chain");
    return CUBLASLT_EPILOGUE_DEFAULT;
}

static bool set_bias(struct bench_peer *p, const void *bias)
{
    return p->bias < 0 ||
           ok(cublasLtMatmulDescSetAttribute(p->matmul, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
              "setting the bias");
}

bool bench_peer_prepare(struct bench_peer *p, const struct bench_problem *problem, struct bench_peer_match *match)
{
    const struct bench_shape *const s = &problem->shape;
    cublasOperation_t const trans_a = bench_b_by_columns(s->layout) ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t const trans_b = bench_a_by_rows(s->layout) ? CUBLAS_OP_N : CUBLAS_OP_T;
    memset(match, 0, sizeof *match);
    forget_problem(p);
    cublasLtEpilogue_t const epilogue = epilogue_of(problem, &p->bias, match);
    if (s->batch > INT32_MAX) {
        return bench_fail("cuBLASLt: batch=%lld must be below 2^31", (long long)s->batch);
    }
    /* fp32 inputs: CUBLAS_COMPUTE_32F multiplies in fp32, never in tf32 */
    if (!ok(cublasLtMatmulDescCreate(&p->matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product") ||
        !ok(cublasLtMatmulDescSetAttribute(p->matmul, CUBLASLT_MATMUL_DESC_TRANSA, &trans_a, sizeof trans_a),
            "setting transa") ||
        !ok(cublasLtMatmulDescSetAttribute(p->matmul, CUBLASLT_MATMUL_DESC_TRANSB, &trans_b, sizeof trans_b),
            "setting transb") ||
        !ok(cublasLtMatmulDescSetAttribute(p->matmul, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
            "setting the epilogue") ||
        !set_bias(p, p->workspace) || /* stands for any 256-byte boundary: the heuristic wants one */
        !make_layout(&p->a, s->type_a, trans_a == CUBLAS_OP_T ? s->k : s->n, trans_a == CUBLAS_OP_T ? s->n : s->k,
                     s->batch) ||
        !make_layout(&p->b, s->type_a, trans_b == CUBLAS_OP_N ? s->k : s->m, trans_b == CUBLAS_OP_N ? s->m : s->k,
                     s->batch) ||
        !make_layout(&p->d, s->type_d, s->n, s->m, s->batch)) {
        return false;
    }
    cublasLtMatmulHeuristicResult_t found[BENCH_PEER_ALGOS];
    int count = 0;
    cublasStatus_t const status = cublasLtMatmulAlgoGetHeuristic(p->handle, p->matmul, p->a, p->b, p->d, p->d,
                                                                 p->preference, BENCH_PEER_ALGOS, found, &count);
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < count; ++i) {
        if (found[i].state == CUBLAS_STATUS_SUCCESS) {
            p->result[match->algos++] = found[i];
        }
    }
    if (match->algos == 0) { /* it cannot do this problem */
        match->same = false;
        snprintf(match->note, sizeof match->note, "peer: none (%s)", cublasLtGetStatusName(status));
    }
    if (match->same) {
        cublasStatus_t const exact = cublasLtMatmulAlgoGetHeuristic(p->handle, p->matmul, p->a, p->b, p->d, p->d,
                                                                    p->exact_preference, 1, &p->exact, &count);
        match->same = exact == CUBLAS_STATUS_SUCCESS && count == 1 && p->exact.state == CUBLAS_STATUS_SUCCESS;
    }
    return true;
}

bool bench_peer_rounds_parts(struct bench_peer *p, int algo)
{
    uint32_t scheme = CUBLASLT_REDUCTION_SCHEME_NONE;
    size_t written = 0;
    return cublasLtMatmulAlgoConfigGetAttribute(&p->result[algo].algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &scheme,
                                                sizeof scheme, &written) == CUBLAS_STATUS_SUCCESS &&
           (scheme == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE || scheme == CUBLASLT_REDUCTION_SCHEME_INPLACE);
}

bool bench_peer_launch(struct bench_peer *p, int algo, const struct catc_gemm_args *g)
{
    float const one = 1.0f, zero = 0.0f;
    return set_bias(p, p->bias < 0 ? NULL : g->epi[p->bias].ptr) &&
           ok(cublasLtMatmul(p->handle, p->matmul, &one, g->b, p->a, g->a, p->b, &zero, g->d, p->d, g->d, p->d,
                             algo == BENCH_PEER_EXACT ? &p->exact.algo : &p->result[algo].algo, p->workspace,
                             BENCH_PEER_WORKSPACE, g->stream),
              "cublasLtMatmul");
}
