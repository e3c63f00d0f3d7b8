/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/grid.h: the launch. A part of backend/host/runtime.h. */

__thread const struct catc_host_lane *catc_host_self;

static void catc_host_mbar_reset(struct catc_host *h); /* mbarrier.h */
static void catc_host_mbar_check(struct catc_host *h);
static void catc_host_cp_async_reset(struct catc_host *h); /* async.h */
static void catc_host_cp_async_free(struct catc_host *h);
static void catc_host_copies_reset(struct catc_host *h); /* tma.h */
static void catc_host_copies_check(struct catc_host *h);
static void catc_host_copies_free(struct catc_host *h);
static void catc_host_wgmma_reset(struct catc_host *h); /* wgmma.h */
static void catc_host_wgmma_check(struct catc_host *h);
static void catc_host_wgmma_free(struct catc_host *h);

static pthread_once_t catc_host_once = PTHREAD_ONCE_INIT;
static pthread_key_t catc_host_key;

static void catc_host_destroy(void *emulator)
{
    struct catc_host *h = (struct catc_host *)emulator;
    catc_host_stacks_free(h);
    catc_host_arena_free(h);
    catc_host_cp_async_free(h);
    catc_host_copies_free(h);
    catc_host_wgmma_free(h);
    free(h->signal_stack);
    free(h);
    catc_host_tls = NULL;
}
static void catc_host_make_key(void)
{
    if (pthread_key_create(&catc_host_key, catc_host_destroy))
        abort();
}

static void catc_host_read_environment(struct catc_host *h)
{
    const char *schedule = getenv("CATC_HOST_SCHEDULE"), *landing = getenv("CATC_HOST_LANDING");
    h->schedule = CATC_HOST_ROUNDROBIN;
    h->landing = CATC_HOST_LATE;
    h->seed = 1;
    if (schedule && *schedule) {
        const size_t length = strcspn(schedule, ":");
        char *end = (char *)"";
        if (schedule[length])
            h->seed = strtoull(schedule + length + 1, &end, 0);
        if (length == 7 && !strncmp(schedule, "reverse", length))
            h->schedule = CATC_HOST_REVERSE;
        else if (length == 6 && !strncmp(schedule, "random", length))
            h->schedule = CATC_HOST_RANDOM;
        else if (length != 10 || strncmp(schedule, "roundrobin", length))
            h->bad_environment = "CATC_HOST_SCHEDULE must be roundrobin, reverse or random:<seed>";
        if (*end)
            h->bad_environment = "CATC_HOST_SCHEDULE: the seed must be a number";
    }
    if (landing && !strcmp(landing, "early"))
        h->landing = CATC_HOST_EARLY;
    else if (landing && !strcmp(landing, "random"))
        h->landing = CATC_HOST_ANY_TIME;
    else if (landing && *landing && strcmp(landing, "late"))
        h->bad_environment = "CATC_HOST_LANDING must be late, early or random";
}

/* The calling OS thread's emulator; NULL if there is no memory. */
static struct catc_host *catc_host_mine(void)
{
    if (!catc_host_tls) {
        pthread_once(&catc_host_once, catc_host_make_key);
        struct catc_host *h = (struct catc_host *)calloc(1, sizeof *h);
        if (!h)
            return NULL;
        if (!catc_host_arena_make(h) || pthread_setspecific(catc_host_key, h)) {
            catc_host_arena_free(h);
            free(h);
            return NULL;
        }
        catc_host_read_environment(h);
        catc_host_tls = h;
    }
    return catc_host_tls;
}

CATC_API void catc_host_set_schedule(enum catc_host_schedule schedule, uint64_t seed)
{
    struct catc_host *h = catc_host_mine();
    if (h) {
        h->schedule = schedule;
        h->seed = seed;
    }
}
CATC_API void catc_host_set_landing(enum catc_host_landing landing)
{
    struct catc_host *h = catc_host_mine();
    if (h)
        h->landing = landing;
}
CATC_API void catc_host_set_hooks(const struct catc_host_hooks *hooks)
{
    catc_host_hooks_set = hooks;
}

static void catc_host_block_begin(struct catc_host *h)
{
    memset(h->arena, 0xff, (size_t)h->smem_bytes);
    memset(h->barrier, 0, sizeof h->barrier);
    h->alive = h->threads;
    h->ready_warps = 0;
    const int registers = catc_host_launch_registers(h->threads);
    for (int w = 0; w < h->warps; w++) {
        const int lanes = h->threads - 32 * w;
        h->warp[w].alive = lanes >= 32 ? ~0u : (1u << lanes) - 1;
        h->warp[w].ready = h->warp[w].arrived = 0;
        h->warp[w].registers = registers;
        catc_host_make_ready(h, w, h->warp[w].alive);
    }
    h->registers_free = 0;
    h->setmaxnreg_waiting = 0;
    catc_host_mbar_reset(h);
    catc_host_cp_async_reset(h);
    catc_host_copies_reset(h);
    catc_host_wgmma_reset(h);
    CATC_HOST_HOOK(block_begin, h->block.index, h->threads, h->arena, (size_t)h->smem_bytes);
}

/* On the fibre of the last thread to exit. */
static void catc_host_block_check(struct catc_host *h)
{
    catc_host_mbar_check(h);
    catc_host_copies_check(h);
    catc_host_wgmma_check(h);
    CATC_HOST_HOOK(block_end, h->block.index);
}

/* Runs the blocks; returns at the first that failed. Its caller may come back to life by siglongjmp. */
static void catc_host_run_blocks(struct catc_host *h)
{
    for (h->block.index = 0; h->block.index < h->launch->blocks && !h->failed; h->block.index++) {
        catc_host_block_begin(h);
        /* From a thread that is not in the block, so that the policies' first choice is thread 0 or the last one. */
        h->current = h->schedule == CATC_HOST_REVERSE ? 0 : CATC_HOST_THREADS_MAX - 1;
        h->current = catc_host_pick_bit(h, h->ready_warps, h->current >> 5) * 32;
        h->current += catc_host_pick_bit(h, h->warp[h->current >> 5].ready, h->schedule == CATC_HOST_REVERSE ? 0 : 31);
        struct catc_host_fibre *first = catc_host_fibre(h);
        catc_host_self = &first->lane;
        catc_host_context_switch(h, &h->main, &first->context, first->stack, CATC_HOST_STACK);
        if (h->failed)
            return;
    }
}

static void catc_host_run(struct catc_host *h)
{
    stack_t previous;
    h->catching = catc_host_catch_begin(h, &previous);
    if (!h->catching) {
        catc_host_run_blocks(h);
    } else if (sigsetjmp(h->fault_jump, 1) == 0) {
        catc_host_run_blocks(h);
    } else {
        char text[256];
        catc_host_fault_describe(h, h->fault_address, text, sizeof text);
        catc_host_report_begin(h);
        catc_host_append(h->report, sizeof h->report, "%s", text);
        if (h->fetching)
            catc_host_append(h->report, sizeof h->report, ", by the cp.async that thread %d issued at %s",
                             h->fetching_for, h->fetching->site);
        catc_host_report_end(h);
        h->failed = 1;
    }
    if (h->catching)
        catc_host_catch_end(h, &previous);
}

CATC_API enum catc_status catc_host_launch(const struct catc_host_launch *launch, char *sentence, size_t size)
{
    char none[1];
    if (!sentence || size == 0) {
        sentence = none;
        size = sizeof none;
    }
    sentence[0] = 0;
    const char *name = launch && launch->name ? launch->name : "kernel";
    struct catc_host *h = catc_host_mine();
    if (!launch || !launch->kernel) {
        catc_host_append(sentence, size, "%s: kernel=NULL must be a function made by CATC_KERNEL", name);
        return CATC_INVALID_ARGUMENT;
    }
    if (launch->threads < 1 || launch->threads > CATC_HOST_THREADS_MAX) {
        catc_host_append(sentence, size, "%s: threads=%d must be 1 to %d", name, launch->threads,
                         CATC_HOST_THREADS_MAX);
        return CATC_INVALID_ARGUMENT;
    }
    if (launch->blocks < 1) {
        catc_host_append(sentence, size, "%s: blocks=%lld must be at least 1", name, (long long)launch->blocks);
        return CATC_INVALID_ARGUMENT;
    }
    if (launch->smem_bytes < 0 || launch->smem_bytes > CATC_HOST_SMEM_MAX) {
        catc_host_append(sentence, size, "%s: smem_bytes=%d must be 0 to %d", name, launch->smem_bytes,
                         CATC_HOST_SMEM_MAX);
        return CATC_INVALID_ARGUMENT;
    }
    if (h && h->bad_environment) {
        catc_host_append(sentence, size, "%s: environment variable %s", name, h->bad_environment);
        return CATC_INVALID_ARGUMENT;
    }
    if (h && h->running) {
        catc_host_append(sentence, size, "%s: a kernel cannot launch a kernel; launch it when this one has ended",
                         name);
        return CATC_INVALID_ARGUMENT;
    }
    if (!h || !catc_host_stacks_make(h, launch->threads)) {
        catc_host_append(sentence, size, "%s: no memory for the stacks of %d threads", name, launch->threads);
        return CATC_HOST_FAILURE;
    }

    h->launch = launch;
    h->kernel = (void (*)(const void *))launch->kernel;
    h->threads = launch->threads;
    h->warps = (launch->threads + 31) / 32;
    h->block.count = launch->blocks;
    h->smem_bytes = launch->smem_bytes;
    h->arena = catc_host_arena_end(h) - (launch->smem_bytes + 1023) / 1024 * 1024;
    h->block.shared = h->arena;
    h->random = h->seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    if (h->random == 0)
        h->random = 1;
    h->failed = 0;
#if defined(CATC_HOST_TSAN)
    h->main.tsan = __tsan_get_current_fiber();
#endif
    for (int t = 0; t < h->threads; t++)
        if (h->fibre[t].fresh)
            catc_host_fibre_make(h, t);

    h->running = 1;
    catc_host_run(h);
    h->running = 0;
    catc_host_self = NULL;
    if (!h->failed)
        return CATC_OK;
    for (int t = 0; t < h->threads; t++)
        h->fibre[t].fresh = 1;
    catc_host_append(sentence, size, "%s", h->report);
    return CATC_HOST_FAILURE;
}
