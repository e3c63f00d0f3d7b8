/* SPDX-License-Identifier: Apache-2.0
 *
 * api/plan.c: a plan is made once and launched often: it copies the scalars, can itself be copied, serves several
 * threads, takes new pointers and sizes, and is unchanged by an update that fails. */
#include <pthread.h>

#include "gemm/simple.h"

static double doubled(int64_t row, int64_t column)
{
    double sum = 0.0;
    for (int64_t k = 0; k < 8; ++k) {
        sum += simple_a(row, k) * simple_b(k, column);
    }
    return 2.0 * sum;
}

static void launch(const struct catc_gemm_plan *plan, struct simple *s, simple_value want)
{
    simple_clear(s);
    CHECK(catc_gemm_launch(plan, NULL, NULL) == CATC_OK);
    simple_download(s);
    CHECK(simple_mismatches(s, want) == 0);
}

static void plan_and_launch(struct simple *s)
{
    struct catc_gemm_plan plan, copy;
    s->alpha = 2.0f;
    CHECK(catc_gemm_make_plan(&plan, &s->args) == CATC_OK);
    CHECK(catc_gemm_plan_instance(&plan) != NULL);
    s->alpha = 1000.0f; /* the plan has the value from before */
    launch(&plan, s, doubled);
    launch(&plan, s, doubled);
    memcpy(&copy, &plan, sizeof copy);
    memset(&plan, 0, sizeof plan);
    launch(&copy, s, doubled);
    CHECK(catc_gemm_launch(&plan, NULL, NULL) == CATC_INVALID_ARGUMENT); /* never made */
    CHECK_HAS(catc_last_message(), "plan=");
    CHECK(catc_gemm_launch(NULL, NULL, NULL) == CATC_INVALID_ARGUMENT);
    CHECK(catc_gemm_make_plan(NULL, &s->args) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "plan=NULL");
    CHECK(catc_gemm_plan_instance(&plan) == NULL && catc_gemm_plan_instance(NULL) == NULL);
    s->alpha = 1.0f;
}

/* Decoding: M and the pointers change, the instance stays. */
static void update(struct simple *s, enum catc_backend backend)
{
    struct catc_gemm_plan plan, before;
    struct simple other;
    CHECK(catc_gemm_make_plan(&plan, &s->args) == CATC_OK);
    const struct catc_gemm_instance *const instance = catc_gemm_plan_instance(&plan);
    simple_open(&other, backend, CATC_F32, CATC_TN, 3, 33, 21, simple_a, simple_b);
    other.args.fixed_m = 1; /* has no say: there is no new selection */
    CHECK(catc_gemm_plan_update(&plan, &other.args) == CATC_OK);
    CHECK(catc_gemm_plan_instance(&plan) == instance);
    launch(&plan, &other, NULL);

    before = plan;
    struct catc_gemm_args bad[4];
    for (int i = 0; i < 4; ++i) {
        bad[i] = other.args;
    }
    bad[0].m = -1;
    bad[1].a = (const char *)other.args.a + 1;
    bad[2].type_a = CATC_BF16; /* another instance's problem */
    bad[3].d = NULL;
    enum catc_status const want[] = {CATC_INVALID_ARGUMENT, CATC_MISALIGNED, CATC_NOT_SUPPORTED, CATC_INVALID_ARGUMENT};
    for (int i = 0; i < 4; ++i) {
        CHECK(catc_gemm_plan_update(&plan, &bad[i]) == want[i]);
        CHECK(memcmp(&plan, &before, sizeof plan) == 0);
    }
    launch(&plan, &other, NULL);

    /* a step with nothing to do, then work again */
    struct catc_gemm_args nothing = other.args;
    nothing.m = 0;
    simple_clear(&other);
    CHECK(catc_gemm_plan_update(&plan, &nothing) == CATC_OK);
    CHECK(catc_gemm_launch(&plan, NULL, NULL) == CATC_OK);
    simple_download(&other);
    CHECK(simple_bytes_that_changed(other.d.host, other.d.total) == 0);
    CHECK(catc_gemm_plan_update(&plan, &other.args) == CATC_OK);
    launch(&plan, &other, NULL);
    simple_close(&other);
}

static void empty(struct simple *s)
{
    struct catc_gemm_plan plan;
    struct catc_gemm_args nothing = s->args;
    nothing.n = 0;
    simple_clear(s);
    CHECK(catc_gemm_make_plan(&plan, &nothing) == CATC_OK);
    CHECK(catc_gemm_plan_instance(&plan) == NULL);
    CHECK(catc_gemm_launch(&plan, NULL, NULL) == CATC_OK);
    simple_download(s);
    CHECK(simple_bytes_that_changed(s->d.host, s->d.total) == 0);
    CHECK(catc_gemm_plan_update(&plan, &s->args) == CATC_INVALID_ARGUMENT); /* there is no instance to keep */
    CHECK_HAS(catc_last_message(), "must hold an instance");
}

struct worker {
    pthread_t thread;
    const struct catc_gemm_plan *plan;
    struct simple s;
    int ordinal, failures;
};

/* The shared plan is only read: each thread launches it, then a copy that writes to a D of its own. */
static void *work(void *argument)
{
    struct worker *const w = (struct worker *)argument;
    struct catc_gemm_plan mine = *w->plan;
#if !defined(__SANITIZE_THREAD__) /* the launches write the same values to one D, which a race detector reports */
    w->failures += catc_gemm_launch(w->plan, NULL, NULL) != CATC_OK;
#endif
    w->failures += catc_gemm_plan_update(&mine, &w->s.args) != CATC_OK;
    for (int i = 0; i < 4; ++i) {
        w->failures += catc_gemm_launch(&mine, NULL, NULL) != CATC_OK;
    }
    return NULL;
}

static void threads(struct simple *s, enum catc_backend backend)
{
    enum { WORKERS = 2 };
    static struct worker worker[WORKERS];
    struct catc_gemm_plan plan;
    CHECK(catc_gemm_make_plan(&plan, &s->args) == CATC_OK);
    simple_clear(s);
    for (int i = 0; i < WORKERS; ++i) {
        worker[i].plan = &plan;
        simple_open(&worker[i].s, backend, CATC_F32, CATC_TN, 40 + i, 30, 16, simple_a, simple_b);
        CHECK(pthread_create(&worker[i].thread, NULL, work, &worker[i]) == 0);
    }
    for (int i = 0; i < WORKERS; ++i) {
        CHECK(pthread_join(worker[i].thread, NULL) == 0);
        CHECK(worker[i].failures == 0);
        simple_download(&worker[i].s);
        CHECK(simple_mismatches(&worker[i].s, NULL) == 0);
        simple_close(&worker[i].s);
    }
    launch(&plan, s, NULL);
}

/* A plan belongs to the device that was current when it was made; a refusal leaves everything as it was. */
static void another_device(void)
{
#if CATC_WITH_CUDA
    int devices = 0;
    if (gpu_count() == 0 || cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) {
        printf("skipped: launching on another device than the plan's, since there are not two GPUs\n");
        return;
    }
    struct simple s, t;
    struct catc_gemm_plan plan, before, second;
    CHECK(cudaSetDevice(0) == cudaSuccess);
    simple_open(&s, CATC_CUDA, CATC_F32, CATC_TN, 70, 33, 8, simple_a, simple_b);
    CHECK(catc_gemm_make_plan(&plan, &s.args) == CATC_OK);
    before = plan;

    CHECK(cudaSetDevice(1) == cudaSuccess);
    CHECK(catc_gemm_launch(&plan, NULL, NULL) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "device=1 must be 0");
    CHECK_HAS(catc_last_message(), "make a plan for each device");
    CHECK(catc_gemm_plan_update(&plan, &s.args) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "device=1 must be 0");
    CHECK(memcmp(&plan, &before, sizeof plan) == 0);
    simple_open(&t, CATC_CUDA, CATC_F32, CATC_TN, 70, 33, 8, simple_a, simple_b);
    CHECK(catc_gemm_make_plan(&second, &t.args) == CATC_OK);
    launch(&second, &t, NULL);

    CHECK(cudaSetDevice(0) == cudaSuccess);
    simple_download(&s);
    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
    CHECK(catc_gemm_launch(&second, NULL, NULL) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "device=0 must be 1");
    launch(&plan, &s, NULL);
    simple_close(&s);
    simple_close(&t);
#endif
}

int main(void)
{
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        struct simple s;
        simple_open(&s, backend[b], CATC_F32, CATC_TN, 70, 33, 8, simple_a, simple_b);
        plan_and_launch(&s);
        update(&s, backend[b]);
        empty(&s);
        threads(&s, backend[b]);
        simple_close(&s);
    }
    another_device();
    return check_result();
}
