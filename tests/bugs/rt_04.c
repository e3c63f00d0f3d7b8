/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-04: lazy set-up of registry and device caches was not locked; first calls from several threads corrupted it. Sixteen
 * threads behind a barrier make the first library call of the process: list, select, run. Fifty process starts, each a
 * child that runs this program with an argument. */
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "gemm/simple.h"

extern char **environ;

#if defined(__SANITIZE_THREAD__) /* sees an unordered pair whenever it runs, not only when it goes wrong; and is slow */
enum { STARTS = 5 };
#else
enum { STARTS = 50 };
#endif
enum { THREADS = 16, SIZE = 64 };

static pthread_barrier_t barrier;

struct worker {
    pthread_t thread;
    enum catc_backend backend;
    struct simple s;
    uint64_t list; /* of the instances' addresses, in order */
    const struct catc_gemm_instance *chosen;
    int count, failures;
};

static void *first_calls(void *argument)
{
    struct worker *const w = (struct worker *)argument;
    struct catc_gemm_plan plan;
    const struct catc_gemm_instance *i;
    pthread_barrier_wait(&barrier);
    for (; (i = catc_gemm_at(NULL, w->backend, w->count)); ++w->count) {
        w->list = w->list * 1099511628211ull + (uint64_t)(uintptr_t)i;
        w->failures += catc_gemm_find_in(NULL, w->backend, i->name) != i;
    }
    w->failures += catc_gemm_make_plan(&plan, &w->s.args) != CATC_OK;
    w->chosen = catc_gemm_plan_instance(&plan);
    w->failures += catc_gemm_launch(&plan, NULL, NULL) != CATC_OK;
    return NULL;
}

/* In a process that has called nothing of the library but memory for its operands. */
static int child(enum catc_backend backend)
{
    static struct worker worker[THREADS];
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int t = 0; t < THREADS; ++t) {
        worker[t].backend = backend;
        simple_open(&worker[t].s, backend, CATC_F32, CATC_TN, SIZE, SIZE, SIZE, simple_a, simple_b);
    }
    for (int t = 0; t < THREADS; ++t) {
        CHECK(pthread_create(&worker[t].thread, NULL, first_calls, &worker[t]) == 0);
    }
    for (int t = 0; t < THREADS; ++t) {
        CHECK(pthread_join(worker[t].thread, NULL) == 0);
        CHECK(worker[t].failures == 0 && worker[t].count > 0);
        CHECK(worker[t].count == worker[0].count && worker[t].list == worker[0].list);
        CHECK(worker[t].chosen != NULL && worker[t].chosen == worker[0].chosen);
        simple_download(&worker[t].s);
        CHECK(simple_mismatches(&worker[t].s, NULL) == 0);
        simple_close(&worker[t].s);
    }
    return check_result();
}

static void starts(const char *backend, int count)
{
    char program[] = "/proc/self/exe", name[8];
    char *const arguments[] = {program, name, NULL};
    snprintf(name, sizeof name, "%s", backend);
    for (int s = 0; s < count; ++s) {
        pid_t id;
        int status = -1;
        CHECK(posix_spawn(&id, program, NULL, NULL, arguments, environ) == 0);
        CHECK(waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (check_failures) {
            fprintf(stderr, "  process start %d on %s\n", s, backend);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return child(strcmp(argv[1], "cuda") == 0 ? CATC_CUDA : CATC_HOST);
    }
    starts("host", STARTS);
    if (gpu_count() > 0) {
        starts("cuda", 5); /* CUDA's start costs a third of a second */
    }
    return check_result();
}
