/* SPDX-License-Identifier: Apache-2.0
 *
 * emulator.c: how long the host backend takes for one GEMM, by instance. This is the speed of the tests, not of a kernel.
 *
 *   bench_emulator [SIZE [PATTERN]]     default: 256 '*'; the least of five runs, milliseconds */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "catlass_c/catlass_c.h"

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Least time of five runs; negative if the instance refuses. Zeros: the emulator's time does not depend on values. */
static double time_of(const struct catc_gemm_instance *instance, int64_t size, void *zeros, void *d)
{
    struct catc_gemm_args args = {.m = size, .n = size, .k = size, .layout = instance->layout, .instance = instance};
    struct catc_gemm_plan plan;
    double least = -1;
    args.type_a = instance->type_a, args.type_b = instance->type_b, args.type_d = instance->type_d;
    args.a = zeros, args.b = zeros, args.d = d;
    args.backend = CATC_HOST;
    if (instance->n_epi > 0 || catc_gemm_make_plan(&plan, &args) != CATC_OK) {
        return -1;
    }
    for (int run = 0; run < 5; ++run) {
        double const start = milliseconds();
        if (catc_gemm_launch(&plan, NULL, NULL) != CATC_OK) {
            return -1;
        }
        double const time = milliseconds() - start;
        least = least < 0 || time < least ? time : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    int64_t const size = argc > 1 ? strtoll(argv[1], NULL, 10) : 256;
    const char *const pattern = argc > 2 ? argv[2] : "*";
    if (size <= 0 || size > 8192) {
        fprintf(stderr, "bench_emulator: size=%s must be from 1 to 8192\n", argc > 1 ? argv[1] : "");
        return 2;
    }
    size_t const bytes = (size_t)size * (size_t)size * 4;
    void *const zeros = aligned_alloc(256, (bytes + 255) / 256 * 256), *const d = aligned_alloc(256, (bytes + 255) /
                                                                                                         256 * 256);
    if (!zeros || !d) {
        fprintf(stderr, "bench_emulator: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < bytes; ++i) {
        ((char *)zeros)[i] = 0;
    }
    const struct catc_gemm_instance *instance;
    for (int i = 0; (instance = catc_gemm_at(NULL, CATC_HOST, i)) != NULL; ++i) {
        double const time = fnmatch(pattern, instance->name, 0) == 0 ? time_of(instance, size, zeros, d) : -1;
        if (time >= 0) {
            printf("%8.2f ms  %s\n", time, instance->name);
        }
    }
    free(zeros);
    free(d);
    return 0;
}
