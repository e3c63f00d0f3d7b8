/* SPDX-License-Identifier: Apache-2.0
 *
 * host_simt.c: threads, barriers, shuffles and failures of the emulator, with kernels that use arch/simt.h only. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "catlass_c/arch/simt.h"
#include "emulator.h"

static const struct {
    enum catc_host_schedule schedule;
    uint64_t seed;
} schedules[] = {{CATC_HOST_ROUNDROBIN, 1}, {CATC_HOST_REVERSE, 1}, {CATC_HOST_RANDOM, 7}, {CATC_HOST_RANDOM, 12345}};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };
#define FOR_SCHEDULES(i) \
    for (int i = 0; i < SCHEDULES && (catc_host_set_schedule(schedules[i].schedule, schedules[i].seed), 1); i++)

/* ---- a block reduction: barriers and shared memory ------------------------------------------------------------- */

struct sum_params {
    const uint32_t *in;
    uint32_t *out;
    int threads;
};
struct sum_shared {
    uint32_t part[1024];
};
CATC_KERNEL(sum_kernel, struct sum_params, 1024, 1)
{
    const struct sum_params *p = CATC_PARAMS;
    struct sum_shared *s = CATC_SHARED(struct sum_shared);
    int t = catc_thread();
    s->part[t] = p->in[catc_block() * p->threads + t];
    CATC_SYNC_BLOCK();
    for (int half = 512; half > 0; half /= 2) {
        if (t < half && t + half < p->threads)
            s->part[t] += s->part[t + half];
        CATC_SYNC_BLOCK();
    }
    if (t == 0)
        p->out[catc_block()] = s->part[0] + (uint32_t)catc_blocks();
}

static void test_barriers(void)
{
    static uint32_t in[4096], out[64];
    const int sizes[] = {1, 31, 32, 33, 96, 128, 500, 1024};
    for (int i = 0; i < 4096; i++)
        in[i] = (uint32_t)i * 2654435761u;
    FOR_SCHEDULES(k)
    {
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            struct sum_params p = {in, out, sizes[z]};
            int blocks = 4;
            CHECK(LAUNCH(sum_kernel, &p, blocks, sizes[z], sizeof(struct sum_shared)) == CATC_OK);
            for (int b = 0; b < blocks; b++) {
                uint32_t want = (uint32_t)blocks;
                for (int t = 0; t < sizes[z]; t++)
                    want += in[b * sizes[z] + t];
                CHECK(out[b] == want);
            }
        }
    }
}

/* ---- shuffles -------------------------------------------------------------------------------------------------- */

struct out_params {
    uint32_t *out;
    int mode, offset;
};
CATC_KERNEL(shuffle_kernel, struct out_params, 128, 1)
{
    const struct out_params *p = CATC_PARAMS;
    uint32_t v = (uint32_t)catc_thread() * 3;
    for (int mask = 16; mask > 0; mask /= 2)
        v += CATC_SHFL_XOR_U32(v, mask);
    uint32_t w = CATC_SHFL_U32((uint32_t)catc_thread(), 5);
    for (int i = 0; i < 50; i++)
        w = CATC_SHFL_U32(w + 1, (catc_thread() + 1) & 31); /* results are not taken from the next shuffle */
    CATC_SYNC_WARP();
    p->out[catc_thread()] = v * 1000 + w;
}

static void test_shuffles(void)
{
    FOR_SCHEDULES(k)
    {
        uint32_t out[128];
        struct out_params p = {out, 0, 0};
        CHECK(LAUNCH(shuffle_kernel, &p, 1, 128, 0) == CATC_OK);
        for (uint32_t t = 0; t < 128; t++) {
            uint32_t first = t / 32 * 32, sum = 3 * (32 * first + 31 * 16);
            CHECK(out[t] == sum * 1000 + first + 5 + 50);
        }
    }
}

/* ---- registers: what a call preserves is each thread's own ------------------------------------------------------- */

/* Ten doubles and ten integers that live across barriers: more than the registers that a call preserves on x86-64 (none
 * and six) and on aarch64 (eight and ten). */
CATC_KERNEL(registers_kernel, struct out_params, 128, 1)
{
    const struct out_params *p = CATC_PARAMS;
    const uint32_t t = (uint32_t)catc_thread();
    double a = t, b = t + 1, c = t + 2, d = t + 3, e = t + 4, f = t + 5, g = t + 6, h = t + 7, i = t + 8, j = t + 9;
    uint32_t k = t, l = t + 1, m = t + 2, n = t + 3, o = t + 4, q = t + 5, r = t + 6, s = t + 7, u = t + 8, v = t + 9;
    for (int round = 0; round < 8; round++) {
        CATC_SYNC_BLOCK();
        a += b, b += c, c += d, d += e, e += f, f += g, g += h, h += i, i += j, j += 1;
        k += l, l += m, m += n, n += o, o += q, q += r, r += s, s += u, u += v, v += 1;
    }
    p->out[t] = k ^ l ^ m ^ n ^ o ^ q ^ r ^ s ^ u ^ v;
    if (a != k || b != l || c != m || d != n || e != o || f != q || g != r || h != s || i != u || j != v)
        p->out[t] = 0xffffffffu;
}

static void test_registers(void)
{
    uint32_t out[128], want[128];
    for (uint32_t t = 0; t < 128; t++) {
        uint32_t v[11];
        for (uint32_t i = 0; i < 10; i++)
            v[i] = t + i;
        v[10] = 1;
        for (int round = 0; round < 8; round++)
            for (int i = 0; i < 10; i++)
                v[i] += v[i + 1];
        want[t] = 0;
        for (int i = 0; i < 10; i++)
            want[t] ^= v[i];
    }
    FOR_SCHEDULES(k)
    {
        struct out_params p = {out, 0, 0};
        CHECK(LAUNCH(registers_kernel, &p, 1, 128, 0) == CATC_OK);
        CHECK(memcmp(out, want, sizeof out) == 0);
    }
}

/* ---- planted faults -------------------------------------------------------------------------------------------- */

/* 4 KB of stack per level. */
static uint32_t deep(int levels)
{
    volatile unsigned char local[4096];
    memset((void *)(uintptr_t)local, levels, sizeof local);
    return levels ? deep(levels - 1) + local[levels] : local[0];
}

static int other_line;
CATC_KERNEL(fault_kernel, struct out_params, 128, 1)
{
    const struct out_params *p = CATC_PARAMS;
    struct sum_shared *s = CATC_SHARED(struct sum_shared);
    int t = catc_thread();
    switch (p->mode) {
    case 0: /* half of the block never comes to the barrier: legal, it has exited */
        if (t >= 64)
            return;
        CATC_SYNC_BLOCK();
        p->out[t] = 1;
        break;
    case 1: /* lanes of one warp at two barriers */
        if (t % 2) {
            fault_line = __LINE__ + 1;
            CATC_SYNC_BLOCK();
        } else {
            other_line = __LINE__ + 1;
            CATC_SYNC_BLOCK();
        }
        break;
    case 2: /* a shuffle that one lane does not take part in */
        if (t == 3)
            return;
        fault_line = __LINE__ + 1;
        p->out[t] = CATC_SHFL_XOR_U32((uint32_t)t, 1);
        break;
    case 3: /* uninitialised shared memory */ p->out[t] = s->part[t]; break;
    case 4: /* lane 0 is missing from a shuffle and waits for the others elsewhere */
        if (t == 0) {
            fault_line = __LINE__ + 1;
            CATC_SYNC_WARP();
        } else {
            other_line = __LINE__ + 1;
            p->out[t] = CATC_SHFL_U32(1, 1);
        }
        break;
    case 5: /* past the end of shared memory */
        if (t == 77)
            *(volatile uint32_t *)((unsigned char *)s + p->offset) = 1;
        break;
    case 6: /* 68 KB on a stack of 64 KB */
        if (t == 9)
            p->out[t] = deep(17);
        break;
    }
}

static void test_faults(void)
{
    FOR_SCHEDULES(k)
    {
        uint32_t out[128];
        struct out_params p = {out, 0, 0};
        CHECK(LAUNCH(fault_kernel, &p, 2, 128, sizeof(struct sum_shared)) == CATC_OK);
        p.mode = 1;
        CHECK(LAUNCH(fault_kernel, &p, 1, 128, sizeof(struct sum_shared)) == CATC_HOST_FAILURE);
        CHECK_HAS(report, "fault_kernel: block 0, thread ");
        CHECK_HAS(report, "divergence in warp ");
        HAS_LINE(fault_line);
        HAS_LINE(other_line);
        p.mode = 2;
        CHECK(LAUNCH(fault_kernel, &p, 1, 128, sizeof(struct sum_shared)) == CATC_HOST_FAILURE);
        HAS_LINE(fault_line);
        CHECK_HAS(report, "exit");
        p.mode = 3;
        CHECK(LAUNCH(fault_kernel, &p, 1, 128, sizeof(struct sum_shared)) == CATC_OK);
        CHECK(out[0] == 0xffffffffu && out[127] == 0xffffffffu &&
              catc_f32_from_bits(out[5]) != catc_f32_from_bits(out[5]));
        p.mode = 4;
        CHECK(LAUNCH(fault_kernel, &p, 1, 128, sizeof(struct sum_shared)) == CATC_HOST_FAILURE);
        HAS_LINE(fault_line);
        HAS_LINE(other_line);
        CHECK_HAS(report, schedules[k].schedule == CATC_HOST_RANDOM    ? "CATC_HOST_SCHEDULE=random:"
                          : schedules[k].schedule == CATC_HOST_REVERSE ? "CATC_HOST_SCHEDULE=reverse:"
                                                                       : "CATC_HOST_SCHEDULE=roundrobin:");
    }
}

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static void nested_kernel(const void *params)
{
    (void)params;
    char text[256];
    struct catc_host_launch l = {(catc_kernel_fn)shuffle_kernel, "inner", NULL, 1, 32, 0};
    CHECK(catc_host_launch(&l, text, sizeof text) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(text, "cannot launch");
}

static void test_arguments(void)
{
    struct out_params p = {NULL, 0, 0};
    CHECK(catc_host_launch(NULL, NULL, 0) == CATC_INVALID_ARGUMENT);
    CHECK(LAUNCH(NULL, &p, 1, 32, 0) == CATC_INVALID_ARGUMENT);
    CHECK(LAUNCH(shuffle_kernel, &p, 1, 0, 0) == CATC_INVALID_ARGUMENT);
    CHECK(LAUNCH(shuffle_kernel, &p, 1, 1025, 0) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(report, "threads=1025");
    CHECK(LAUNCH(shuffle_kernel, &p, 0, 32, 0) == CATC_INVALID_ARGUMENT);
    CHECK(LAUNCH(shuffle_kernel, &p, 1, 32, 232449) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(report, "smem_bytes=232449");
    CHECK(LAUNCH(nested_kernel, &p, 1, 32, 0) == CATC_OK);
    struct catc_host_launch l = {(catc_kernel_fn)fault_kernel, "cut", &p, 1, 128, 0};
    char tiny[12];
    p.mode = 1;
    CHECK(catc_host_launch(&l, tiny, sizeof tiny) == CATC_HOST_FAILURE);
    CHECK(strlen(tiny) == sizeof tiny - 1);
    CHECK(catc_host_launch(&l, NULL, 0) == CATC_HOST_FAILURE);
}

/* ---- guarded memory -------------------------------------------------------------------------------------------- */

struct touch_params {
    unsigned char *memory;
    int64_t offset;
    int write;
};
CATC_KERNEL(touch_kernel, struct touch_params, 64, 1)
{
    const struct touch_params *p = CATC_PARAMS;
    volatile unsigned char *memory = p->memory;
    CATC_SYNC_BLOCK();
    if (catc_thread() == 37 && catc_block() == 1) {
        if (p->write)
            memory[p->offset] = 1;
        else
            (void)memory[p->offset];
    }
    CATC_SYNC_BLOCK();
}

static void test_guards(void)
{
#if defined(__SANITIZE_THREAD__)
    return; /* faults are not caught under ThreadSanitizer */
#endif
    unsigned char *end = (unsigned char *)catc_host_alloc(1000, 1), *start = (unsigned char *)catc_host_alloc(1000, 0);
    CHECK(end && start && catc_host_alloc(0, 1) == NULL);
    for (int i = 0; i < 1000; i++)
        CHECK(end[i] == 0xff && start[i] == 0xff);
    for (int repeat = 0; repeat < 3; repeat++) {
        struct touch_params p = {end, 999, 1};
        CHECK(LAUNCH(touch_kernel, &p, 2, 64, 0) == CATC_OK);
        p.offset = 1000;
        CHECK(LAUNCH(touch_kernel, &p, 2, 64, 0) == CATC_HOST_FAILURE);
        CHECK_HAS(report, "touch_kernel: block 1, thread 37: illegal access: byte 1000 of the buffer");
        CHECK_HAS(report, "1000 bytes");
        p.write = 0;
        CHECK(LAUNCH(touch_kernel, &p, 2, 64, 0) == CATC_HOST_FAILURE);
        p.memory = start;
        p.offset = 0;
        CHECK(LAUNCH(touch_kernel, &p, 2, 64, 0) == CATC_OK);
        p.offset = -1;
        CHECK(LAUNCH(touch_kernel, &p, 2, 64, 0) == CATC_HOST_FAILURE);
        CHECK_HAS(report, "block 1, thread 37: illegal access: byte -1 of the buffer");
    }
    uint32_t out[128];
    struct out_params q = {out, 5, sizeof(struct sum_shared)};
    CHECK(LAUNCH(fault_kernel, &q, 1, 128, sizeof(struct sum_shared)) == CATC_HOST_FAILURE);
    CHECK_HAS(report, "thread 77: illegal access: byte 4096 of the block's 4096 bytes of shared memory");
#if !defined(__SANITIZE_ADDRESS__) /* stacks are larger there */
    q.mode = 6;
    CHECK(LAUNCH(fault_kernel, &q, 1, 128, sizeof(struct sum_shared)) == CATC_HOST_FAILURE);
    CHECK_HAS(report, "thread 9: stack overflow");
#endif
    q.mode = 0;
    CHECK(LAUNCH(fault_kernel, &q, 1, 128, sizeof(struct sum_shared)) == CATC_OK);
    catc_host_free(end);
    catc_host_free(start);
    catc_host_free(NULL);
}

/* ---- several OS threads ---------------------------------------------------------------------------------------- */

static void *one_os_thread(void *argument)
{
    uint32_t id = *(uint32_t *)argument, *in = (uint32_t *)malloc(1024 * sizeof *in), out[1];
    char text[512];
    long failures = 0;
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i * (id + 3);
    catc_host_set_schedule((enum catc_host_schedule)(1 + id % 3), id);
    for (int repeat = 0; repeat < 20; repeat++) {
        int threads = 64 + (int)id * 96;
        uint32_t want = 1;
        for (int i = 0; i < threads; i++)
            want += in[i];
        struct sum_params p = {in, out, threads};
        struct catc_host_launch l = {(catc_kernel_fn)sum_kernel, "sum", &p, 1, threads, sizeof(struct sum_shared)};
        failures += catc_host_launch(&l, text, sizeof text) != CATC_OK || out[0] != want;
        unsigned char *memory = (unsigned char *)catc_host_alloc(64 + id, 1);
        struct touch_params q = {memory, 64 + (int64_t)id, 1};
        struct catc_host_launch m = {(catc_kernel_fn)touch_kernel, "touch", &q, 2, 64, 0};
#if !defined(__SANITIZE_THREAD__)
        failures += catc_host_launch(&m, text, sizeof text) != CATC_HOST_FAILURE || !strstr(text, "thread 37: illegal");
#else
        (void)m;
#endif
        catc_host_free(memory);
    }
    free(in);
    return (void *)(intptr_t)failures;
}

static void test_os_threads(void)
{
    enum { N = 8 };
    pthread_t thread[N];
    uint32_t id[N];
    for (uint32_t i = 0; i < N; i++) {
        id[i] = i;
        CHECK(pthread_create(&thread[i], NULL, one_os_thread, &id[i]) == 0);
    }
    for (int i = 0; i < N; i++) {
        void *failures = NULL;
        CHECK(pthread_join(thread[i], &failures) == 0 && failures == NULL);
    }
}

/* ---- the environment, read by each OS thread at its first use -------------------------------------------------- */

static void *launch_in_environment(void *text)
{
    uint32_t out[128];
    struct out_params p = {out, 1, 0};
    struct catc_host_launch l = {(catc_kernel_fn)fault_kernel, "kernel", &p, 1, 128, 0};
    return (void *)(intptr_t)catc_host_launch(&l, (char *)text, 512);
}
static void environment_case(const char *schedule, const char *landing, enum catc_status status, const char *part)
{
    char text[512];
    pthread_t thread;
    void *result = NULL;
    setenv("CATC_HOST_SCHEDULE", schedule, 1);
    setenv("CATC_HOST_LANDING", landing, 1);
    CHECK(pthread_create(&thread, NULL, launch_in_environment, text) == 0 && pthread_join(thread, &result) == 0);
    CHECK((intptr_t)result == status);
    CHECK_HAS(text, part);
    unsetenv("CATC_HOST_SCHEDULE");
    unsetenv("CATC_HOST_LANDING");
}
static void test_environment(void)
{
    environment_case("", "", CATC_HOST_FAILURE, "(CATC_HOST_SCHEDULE=roundrobin:1 CATC_HOST_LANDING=late)");
    environment_case("reverse", "early", CATC_HOST_FAILURE, "(CATC_HOST_SCHEDULE=reverse:1 CATC_HOST_LANDING=early)");
    environment_case("random:77", "random", CATC_HOST_FAILURE,
                     "(CATC_HOST_SCHEDULE=random:77 CATC_HOST_LANDING=random)");
    environment_case("random:x", "late", CATC_INVALID_ARGUMENT, "the seed must be a number");
    environment_case("fair", "late", CATC_INVALID_ARGUMENT, "CATC_HOST_SCHEDULE must be roundrobin, reverse or random");
    environment_case("reverse", "never", CATC_INVALID_ARGUMENT, "CATC_HOST_LANDING must be late, early or random");
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------ */

/* catc_fma is fmaf, to the bit, also for what is no number. */
static void test_fma(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 1,
                                       0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x33800000, 0x3f800001};
    enum { N = sizeof special / sizeof special[0] };
    for (uint32_t i = 0; i < N * N * N + 1000000; i++) {
        uint32_t u[3];
        for (uint32_t j = 0, rest = i; j < 3; j++, rest /= N)
            u[j] = i < N * N * N ? special[rest % N] : random_u32() << 16 ^ random_u32();
        if (i % 4 == 3) /* nearly cancelling, where a second rounding would show */
            u[2] = catc_f32_bits(-catc_f32_from_bits(u[0]) * catc_f32_from_bits(u[1])) ^ (i >> 2 & 1);
        const float a = catc_f32_from_bits(u[0]), b = catc_f32_from_bits(u[1]), c = catc_f32_from_bits(u[2]);
        CHECK(catc_f32_bits(catc_fma(a, b, c)) == catc_f32_bits(fmaf(a, b, c)));
    }
}

int main(void)
{
    test_fma();
    test_barriers();
    test_shuffles();
    test_registers();
    test_faults();
    test_arguments();
    test_guards();
    test_os_threads();
    test_environment();
    return check_result();
}
