/* SPDX-License-Identifier: Apache-2.0
 *
 * selection.c: what a call costs on the host before anything is launched: a plan made with a registry of 500 descriptors
 * (tests/gemm/many.h), and its parts. Nanoseconds, the least of 401 batches. The host backend is asked, so that no time of
 * a CUDA call is in it; "others" of the 128 candidates of the large group means that another group is asked.
 *
 *   bench_selection */
#define CATC_HOST_RUNTIME_ELSEWHERE /* the emulator comes from the library, the rest is part of this file: */
#define CATC_IMPLEMENTATION         /* the parts of a call are its own functions */
#include "gemm/many.h"

#include <time.h>

enum { BATCHES = 401, CALLS = 100 };

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* State of one call; each part leaves what the next one needs. */
static struct call {
    struct catc_gemm_args args;
    struct catc_gemm_problem problem, checked;
    struct catc_device device;
    struct catc_gemm_choice choice;
    struct catc_gemm_plan plan;
    enum catc_status status;
} call;

static void part_plan(void)
{
    call.status = catc_gemm_make_plan(&call.plan, &call.args);
}
static void part_arguments(void)
{
    struct catc_text text = catc_text_last_();
    call.status = catc_gemm_problem_(&call.problem, &call.args, sizeof call.args, &text);
}
static void part_device(void)
{
    struct catc_text text = catc_text_last_();
    call.status = catc_gemm_device_(&call.device, &call.problem.args, &text);
}
static void part_choice(void)
{
    struct catc_text text = catc_text_last_();
    call.checked = call.problem;
    call.status = catc_gemm_select_(&call.choice, &call.checked, &call.device, &text);
}
static void part_legal(void)
{
    struct catc_text text = catc_text_last_();
    call.status = catc_gemm_legal_(call.choice.instance, &call.checked, &call.device, &text);
}
static void part_build(void)
{
    struct catc_text text = catc_text_last_();
    call.status =
        catc_gemm_build_(catc_gemm_plan_body_(&call.plan), &call.checked, call.choice.instance, &call.device, 0, &text);
}

static double time_of(void (*part)(void))
{
    double least = 1e300;
    for (int b = 0; b < BATCHES; ++b) {
        double const start = nanoseconds();
        for (int i = 0; i < CALLS; ++i) {
            part();
            if (call.status != CATC_OK) {
                fprintf(stderr, "%s: %s\n", catc_status_name(call.status), catc_last_message());
                exit(1);
            }
        }
        double const time = (nanoseconds() - start) / CALLS;
        least = time < least ? time : least;
    }
    return least;
}

int main(void)
{
    static struct many many;
    static const struct {
        const char *what;
        enum catc_type type;
        int64_t m, n, k;
        int chain, offset; /* offset of A in elements */
    } cases[] = {{"large group", CATC_BF16, 4096, 4096, 4096, 0, 0},
                 {"large group, decode", CATC_BF16, 16, 4096, 4096, 0, 0},
                 {"large group, odd", CATC_BF16, 1000, 999, 777, 0, 1},
                 {"others, bias gelu", CATC_F16, 4096, 4096, 4096, 2, 0},
                 {"others, bias add", CATC_F32, 512, 512, 512, 3, 0}};
    static void (*const parts[])(void) = {part_plan, part_arguments, part_device, part_choice, part_legal, part_build};
    many_open(&many);
    unsetenv("CATC_LOG");
    unsetenv("CATC_HOST_DEVICE");
    printf("%-20s %18s %5s %8s %9s %7s %8s %14s %6s\n", "ns", "m x n x k", "", "plan =", "arguments", "+ device",
           "+ choice", "(of it: legal)", "+ build");
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        double time[6];
        char size[32];
        for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) { /* the first layout that this chain has a group in */
            call.args = many_problem(&many, cases[c].type, (enum catc_layout)layout, cases[c].m, cases[c].n, cases[c].k,
                                     cases[c].chain);
            call.args.a = (const char *)call.args.a + cases[c].offset * (int64_t)catc_type_size(cases[c].type);
            part_plan();
            if (call.status == CATC_OK) {
                break;
            }
        }
        for (int p = 0; p < 6; ++p) {
            time[p] = time_of(parts[p]);
        }
        snprintf(size, sizeof size, "%lldx%lldx%lld", (long long)cases[c].m, (long long)cases[c].n,
                 (long long)cases[c].k);
        printf("%-20s %18s %5d %8.0f %9.0f %7.0f %8.0f %14.0f %6.0f\n", cases[c].what, size, call.choice.candidates,
               time[0], time[1], time[2], time[3], time[4], time[5]);
    }
    return 0;
}
