/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h: the command line of bench_gemm. */
#ifndef BENCH_GEMM_OPTIONS_H
#define BENCH_GEMM_OPTIONS_H

#include <stdio.h>

#include "shapes.h"

enum { BENCH_LISTS = 16, BENCH_FAULTED = 64 };

struct bench_options {
    const char *lists[BENCH_LISTS]; /* --shapes */
    int n_lists;
    struct bench_shape given; /* --m … --layout; 0: not given */
    bool has_chain;           /* --epilogue was given (also an empty one) */
    const char *instances;    /* glob: which count as our best, and which are searched */
    const char *filter;       /* over shapes; NULL: all */
    const char *json, *tuned, *device, *commit;
    const char *faulted[BENCH_FAULTED]; /* instances to leave out, because they broke the GPU's context before */
    int n_faulted;
    int rounds;
    double min_ms;
    bool peer, best, ceilings, host_time, dry_run, search, again, help;
};

/* False with the sentence in bench_last(). */
bool bench_options_read(struct bench_options *options, int argc, char **argv);
void bench_options_help(FILE *file);

#endif /* BENCH_GEMM_OPTIONS_H */
