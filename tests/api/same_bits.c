/* SPDX-License-Identifier: Apache-2.0
 *
 * api/same_bits.c: for one instance of each skeleton, on data whose sums are not exact: many runs of a plan give the same
 * bits, under every policy of the emulator and 200 times on a GPU; a plan that two threads share, and two problems at once
 * in two threads or two streams, give the bits that they give alone. */
#include <pthread.h>

#include "gemm/simple.h"
#include "policies.h"

enum { RUNS = 200, ROUNDS_CUDA = 25, ROUNDS_HOST = 2 };

/* Noise in [-1, 1), other one for each problem. */
static double noise(int64_t i, int64_t j, uint32_t salt)
{
    uint32_t x = (uint32_t)i * 2654435761u ^ ((uint32_t)j * 40503u + salt);
    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    return (double)(x >> 16) / 32768.0 - 1.0;
}
static double first_a(int64_t i, int64_t k)
{
    return noise(i, k, 1);
}
static double first_b(int64_t k, int64_t j)
{
    return noise(k, j, 2);
}
static double second_a(int64_t i, int64_t k)
{
    return noise(i, k, 3);
}
static double second_b(int64_t k, int64_t j)
{
    return noise(k, j, 4);
}

/* A problem, its plan, and what it leaves when it is alone. */
struct problem {
    struct simple s;
    struct catc_gemm_plan plan;
    unsigned char *want;
    size_t bytes;
    struct CUstream_st *stream;
};

static void stream_wait(struct CUstream_st *stream)
{
#if CATC_WITH_CUDA
    if (stream) {
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    }
#else
    (void)stream;
#endif
}

/* Outputs as before any run. */
static void problem_clear(struct problem *p)
{
    const struct catc_gemm_instance *const i = p->s.args.instance;
    simple_clear(&p->s);
    for (int e = 0; e < i->n_epi; ++e) {
        const struct buffer *const b = &p->s.epi[e];
        if (i->epi[e].kind == CATC_EPI_TAP || i->epi[e].kind == CATC_EPI_REDUCE) {
            memset(b->host + b->offset, i->epi[e].kind == CATC_EPI_TAP ? 0xff : 0, b->bytes);
            buffer_upload(b);
        }
    }
}

static unsigned char *problem_image(struct problem *p, size_t *bytes)
{
    const struct buffer *part[1 + CATC_EPI_MAX] = {&p->s.d};
    int parts = 1;
    stream_wait(p->stream);
    for (int e = 0; e < p->s.args.n_epi; ++e) {
        if (p->s.args.epi[e].out) {
            part[parts++] = &p->s.epi[e];
        }
    }
    return buffers_image(part, parts, bytes);
}

static bool problem_as_alone(struct problem *p)
{
    size_t bytes = 0;
    unsigned char *const got = problem_image(p, &bytes);
    bool const same = bytes == p->bytes && memcmp(got, p->want, bytes) == 0;
    free(got);
    return same;
}

static void problem_open(struct problem *p, const struct catc_gemm_instance *i, int64_t m, int64_t n, int64_t k,
                         simple_value a, simple_value b)
{
    memset(p, 0, sizeof *p);
    simple_open_instance(&p->s, i, m, n, k, a, b);
    CHECK(catc_gemm_make_plan(&p->plan, &p->s.args) == CATC_OK);
    problem_clear(p);
    CHECK(catc_gemm_launch(&p->plan, NULL, NULL) == CATC_OK);
    p->want = problem_image(p, &p->bytes);
    CHECK(!isnan(simple_d(&p->s, m - 1, n - 1)));
#if CATC_WITH_CUDA
    if (i->backend == CATC_CUDA) {
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
        p->stream = stream;
    }
#endif
}

static void problem_close(struct problem *p)
{
#if CATC_WITH_CUDA
    if (p->stream) {
        CHECK(cudaStreamDestroy(p->stream) == cudaSuccess);
    }
#endif
    free(p->want);
    simple_close(&p->s);
}

static bool again(struct problem *p)
{
    problem_clear(p);
    return catc_gemm_launch(&p->plan, NULL, p->stream) == CATC_OK && problem_as_alone(p);
}

static void many_runs(struct problem *p)
{
    int wrong = 0;
    if (p->s.args.backend == CATC_HOST) {
        FOR_POLICIES(policy)
        {
            wrong += !again(p);
        }
        set_policy(0);
    } else {
        for (int r = 0; r < RUNS; ++r) {
            wrong += !again(p);
        }
    }
    CHECK(wrong == 0);
}

/* Two streams of one thread: both are under way before either is waited for. */
static void two_streams(struct problem *x, struct problem *y)
{
    int wrong = 0;
    for (int r = 0; r < ROUNDS_CUDA; ++r) {
        problem_clear(x);
        problem_clear(y);
        for (int launch = 0; launch < 4; ++launch) {
            wrong += catc_gemm_launch(&x->plan, NULL, x->stream) != CATC_OK;
            wrong += catc_gemm_launch(&y->plan, NULL, y->stream) != CATC_OK;
        }
        wrong += !problem_as_alone(x);
        wrong += !problem_as_alone(y);
    }
    CHECK(wrong == 0);
}

struct worker {
    pthread_t thread;
    struct problem *problem;
    struct CUstream_st *stream;
    bool checks; /* nobody else writes the outputs */
    int failures;
};

static void *work(void *argument)
{
    struct worker *const w = (struct worker *)argument;
    int const rounds = w->problem->s.args.backend == CATC_HOST ? ROUNDS_HOST : ROUNDS_CUDA;
    for (int r = 0; r < rounds; ++r) {
        w->failures += w->checks ? !again(w->problem) : catc_gemm_launch(&w->problem->plan, NULL, w->stream) != CATC_OK;
    }
    return NULL;
}

static void together(struct problem *x, struct problem *y)
{
    bool const shared = x == y;
    struct worker worker[2];
    memset(worker, 0, sizeof worker);
    problem_clear(x);
    for (int t = 0; t < 2; ++t) {
        worker[t].problem = t ? y : x;
        worker[t].stream = worker[t].problem->stream;
        worker[t].checks = !shared;
    }
#if CATC_WITH_CUDA
    cudaStream_t other = NULL;
    if (shared && x->stream) {
        CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
        worker[1].stream = other;
    }
#endif
    for (int t = 0; t < 2; ++t) {
        CHECK(pthread_create(&worker[t].thread, NULL, work, &worker[t]) == 0);
    }
    for (int t = 0; t < 2; ++t) {
        CHECK(pthread_join(worker[t].thread, NULL) == 0 && worker[t].failures == 0);
        stream_wait(worker[t].stream);
    }
#if CATC_WITH_CUDA
    if (other) {
        CHECK(cudaStreamDestroy(other) == cudaSuccess);
    }
#endif
    CHECK(problem_as_alone(x) && problem_as_alone(y));
}

/* The first instance of a skeleton with a second output, or the first one. */
static const struct catc_gemm_instance *pick(enum catc_backend backend, enum catc_skeleton skeleton)
{
    const struct catc_gemm_instance *i, *first = NULL;
    for (int at = 0; (i = simple_next_any(backend, &at));) {
        if (i->skeleton == skeleton) {
            first = first ? first : i;
            for (int e = 0; e < i->n_epi; ++e) {
                if (i->epi[e].kind == CATC_EPI_TAP) {
                    return i;
                }
            }
        }
    }
    return first;
}

static void test(enum catc_backend backend)
{
    for (int skeleton = 1; skeleton < CATC_SKELETON_END; ++skeleton) {
        const struct catc_gemm_instance *const i = pick(backend, (enum catc_skeleton)skeleton);
        int const tiles = backend == CATC_HOST ? 1 : 4;
        static struct problem x, y;
        if (!i) { /* gemm_sm90 on another GPU */
            CHECK(skeleton == CATC_GEMM_SM90);
            continue;
        }
        printf("%s %s\n", catc_backend_name(backend), i->name);
        problem_open(&x, i, tiles * i->tile_m + 9, tiles * i->tile_n + 8, 3 * i->tile_k + 8, first_a, first_b);
        problem_open(&y, i, tiles * i->tile_m / 2 + 1, tiles * i->tile_n + 16, 2 * i->tile_k + 8, second_a, second_b);
        many_runs(&x);
        if (backend == CATC_CUDA) {
            two_streams(&x, &y);
        }
        together(&x, &y);
        together(&x, &x);
        problem_close(&x);
        problem_close(&y);
    }
}

int main(void)
{
    unsetenv("CATC_HOST_DEVICE");
    return simple_main(test);
}
