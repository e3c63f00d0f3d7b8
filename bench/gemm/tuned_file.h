/* SPDX-License-Identifier: Apache-2.0
 *
 * tuned_file.h: a tuned table, instances/tuned/<gpu>.yaml, as docs/architecture.md describes it: one entry a line.
 * Reads what it writes, and refuses anything else, so that nothing is lost when it writes again. */
#ifndef BENCH_GEMM_TUNED_FILE_H
#define BENCH_GEMM_TUNED_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct bench_tuned_entry {
    int64_t m, n, k, batch, samples; /* samples 0: not said */
    char instance[256], record[112]; /* record "": not said */
    double microseconds;             /* 0: not said */
};

struct bench_tuned_file {
    char head[2048]; /* the comments in front */
    char device[16];
    int sms, cc;
    struct bench_tuned_entry *entries;
    int count;
};

/* Empty if there is no such file. False with the sentence in bench_last() if it cannot be read or is about another
 * device. */
bool bench_tuned_read(struct bench_tuned_file *file, const char *path, const char *device, int sms, int cc);
/* Appends, or replaces entry `at` (-1: append). */
bool bench_tuned_put(struct bench_tuned_file *file, int at, const struct bench_tuned_entry *entry);
/* Can it be written? Asked before hours of measurements. */
bool bench_tuned_writable(const char *path);
/* Writes beside the file and renames: a reader sees the old table or the new one. */
bool bench_tuned_write(const struct bench_tuned_file *file, const char *path);
void bench_tuned_free(struct bench_tuned_file *file);

#endif /* BENCH_GEMM_TUNED_FILE_H */
