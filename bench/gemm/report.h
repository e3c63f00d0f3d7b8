/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h: results as a table on the terminal and as JSON. */
#ifndef BENCH_GEMM_REPORT_H
#define BENCH_GEMM_REPORT_H

#include "context.h"
#include "host_time.h"
#include "row.h"

struct bench_report {
    const struct bench_session *session;
    const struct bench_context *context;
    const char *command; /* the whole command line */
    struct bench_row *rows;
    int n_rows;
    struct bench_host_time host_time;
    bool complete;
};

/* Geometric means over the rows that have the ratio. */
struct bench_means {
    int rows;
    struct bench_geomean ours_to_peer, ours_to_first, best_to_peer, best_to_first;
};
/* which: 0 all rows, 1 aligned ones, 2 the others */
struct bench_means bench_means_of(const struct bench_report *report, int which);

void bench_table_head(const struct bench_report *report);
void bench_table_row(const struct bench_row *row);
void bench_table_end(const struct bench_report *report);
void bench_table_host_time(const struct bench_host_time *time);
/* Writes the file beside its place and renames it, so that a run that is stopped leaves a whole one. */
bool bench_json_write(const struct bench_report *report, const char *path);
/* The command that measures one shape again. */
void bench_command(const struct bench_options *options, const struct bench_shape *shape, char *out, size_t size);

#endif /* BENCH_GEMM_REPORT_H */
