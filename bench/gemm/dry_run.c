/* SPDX-License-Identifier: Apache-2.0 */
#include "dry_run.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"
#include "say.h"

/* Addresses that nothing reads: selection looks at their alignment only. */
static char *const fake_in = (char *)(uintptr_t)0x10000000000ull, *const fake_out = (char *)(uintptr_t)0x20000000000ull;

/* The last line of the library's explanation: "chosen: NAME, …", or why there is none. */
static void selected(const struct catc_gemm_args *args, char *out, size_t size)
{
    static char text[1 << 20];
    (void)catc_gemm_explain(args, text, sizeof text);
    const char *const chosen = strstr(text, "\nchosen: ");
    const char *const line = chosen ? chosen + 1 : strstr(text, "\nCATC_");
    const char *const from = line ? line + (line[0] == '\n') : text;
    snprintf(out, size, "%.*s", (int)strcspn(from, "\n"), from);
}

int bench_dry_run(const struct bench_options *o, const struct bench_shapes *shapes)
{
    const struct catc_device *const device = catc_device_find(o->device);
    if (!device) {
        fprintf(stderr, "bench_gemm: --device: name=%s must be a GPU that the library knows:", o->device);
        const struct catc_device *known;
        for (int i = 0; (known = catc_device_at(i)) != NULL; ++i) {
            fprintf(stderr, " %s", known->name);
        }
        fprintf(stderr, "\n");
        return 2;
    }
    printf("%d shapes, selection for %s; nothing is run\n", shapes->count, device->name);
    for (int i = 0; i < shapes->count; ++i) {
        const struct catc_gemm_instance *instance;
        struct bench_problem problem;
        char label[BENCH_LABEL], choice[512];
        int legal = 0, candidates = 0;
        bench_label(&shapes->items[i], label, sizeof label);
        if (!bench_problem_make(&problem, &shapes->items[i])) {
            printf("%s%s: %s\n", label, bench_aligned(&shapes->items[i]) ? "" : " (unaligned)", bench_last());
            continue;
        }
        struct catc_gemm_args args = bench_problem_place(&problem, fake_in, fake_out);
        args.device = device;
        for (int at = 0; (instance = catc_gemm_at(NULL, CATC_CUDA, at)) != NULL; ++at) {
            bool const can = catc_gemm_check(instance, &args, NULL, 0) == CATC_OK;
            legal += can;
            candidates += can && fnmatch(o->instances, instance->name, 0) == 0;
        }
        selected(&args, choice, sizeof choice);
        int const sets = bench_problem_sets(&problem, device->l2_bytes);
        printf("%s%s: %s; %d of %d legal instances match --instances; %d sets, %.0f MiB\n", label,
               bench_aligned(&shapes->items[i]) ? "" : " (unaligned)", choice, candidates, legal, sets,
               sets * (double)(problem.set_in + problem.set_out) * 0x1p-20);
    }
    return 0;
}
