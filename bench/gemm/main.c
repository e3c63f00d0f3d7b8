/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: bench_gemm, the GEMM of catlass_c beside cuBLASLt on the current GPU. bench/README.md says what is measured
 * and how; `bench_gemm --help` lists the options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ceilings.h"
#include "dry_run.h"
#include "report.h"
#include "say.h"
#include "search.h"

static int fail(void)
{
    fprintf(stderr, "bench_gemm: %s\n", bench_last());
    return 1;
}

static bool read_shapes(const struct bench_options *o, struct bench_shapes *shapes)
{
    if (o->given.m) {
        return bench_shapes_add(shapes, &o->given);
    }
    for (int i = 0; i < o->n_lists; ++i) {
        if (!bench_shapes_read(shapes, o->lists[i], &o->given, o->has_chain)) {
            return false;
        }
    }
    if (o->n_lists == 0 && (!o->host_time || o->search)) {
        return bench_shapes_read(shapes, "square", &o->given, o->has_chain);
    }
    return true;
}

/* Room for the largest of the shapes and of the ceilings' problems. */
static bool open_device(struct bench_session *s, const struct bench_shapes *shapes)
{
    size_t in = (size_t)1 << 20, out = in, result = in;
    struct catc_device about;
    if (catc_device_current(&about) != CATC_OK) {
        return bench_fail("%s", catc_last_message());
    }
    for (int i = 0; i < 2 * shapes->count; ++i) {
        struct bench_shape const shape =
            i < shapes->count ? shapes->items[i] : bench_ceiling_shape(shapes->items[i - shapes->count].type_a);
        struct bench_problem problem;
        if ((i >= shapes->count && !s->options->ceilings) || !bench_problem_make(&problem, &shape)) {
            continue; /* its row will say so */
        }
        size_t const sets = (size_t)bench_problem_sets(&problem, about.l2_bytes);
        in = sets * problem.set_in > in ? sets * problem.set_in : in;
        out = sets * problem.set_out > out ? sets * problem.set_out : out;
        result = problem.bytes_d > result ? problem.bytes_d : result;
    }
    return bench_device_open(&s->device, in, out, result);
}

static void write_json(const struct bench_report *report)
{
    const char *const path = report->session->options->json;
    if (path && !bench_json_write(report, path)) {
        (void)fail();
    }
}

/* Rows that were wrong or failed, instances of a scan included. */
static int count_bad(const struct bench_report *report)
{
    int bad = 0;
    for (int r = 0; r < report->n_rows; ++r) {
        const struct bench_row *const row = &report->rows[r];
        bad += row->verdict == BENCH_WRONG || row->verdict == BENCH_FAILED;
        for (int e = 0; e < row->n_entries; ++e) {
            bad += row->entries[e].failed;
        }
    }
    return bad;
}

/* Exit status. */
static int run_rows(struct bench_session *s, const struct bench_shapes *shapes, struct bench_report *report)
{
    bool alive = true;
    for (int i = 0; s->options->ceilings && i < shapes->count; ++i) {
        if (!bench_ceilings_measure(s, shapes->items[i].type_a)) {
            (void)fail(); /* percentages stay empty */
        }
    }
    bench_table_head(report);
    for (int i = 0; alive && i < shapes->count; ++i) {
        alive = bench_row_measure(s, &shapes->items[i], &report->rows[report->n_rows]);
        bench_table_row(&report->rows[report->n_rows++]);
        write_json(report);
    }
    bench_context_close(&s->context);
    report->complete = alive;
    write_json(report);
    bench_table_end(report);
    if (!alive) {
        if (s->faulted) {
            bench_fail("%s broke the GPU's context, so that nothing more can run in this process (%s); --faulted %s "
                       "leaves it out",
                       s->faulted, bench_last(), s->faulted);
        }
        return fail();
    }
    return count_bad(report) ? 1 : 0;
}

static int run(struct bench_session *s, const struct bench_shapes *shapes, const char *command, char **argv)
{
    const struct bench_options *const o = s->options;
    struct bench_report report;
    memset(&report, 0, sizeof report);
    report.session = s, report.context = &s->context, report.command = command;
    if (!open_device(s, shapes)) {
        return fail();
    }
    bench_context_open(&s->context, &s->device);
    s->timer.device = &s->device;
    s->timer.min_us = o->min_ms * 1e3;
    if (o->peer && bench_peer_built() && (s->peer = bench_peer_open()) == NULL) {
        return fail();
    }
    report.rows = (struct bench_row *)calloc((size_t)shapes->count + 1, sizeof *report.rows);
    if (!report.rows) {
        bench_fail("out of host memory");
        return fail();
    }
    int status = 0;
    if (o->host_time) {
        if (!bench_host_time_measure(&s->device, &report.host_time)) {
            status = fail();
        } else {
            bench_table_host_time(&report.host_time);
        }
        write_json(&report);
    }
    if (o->search) {
        int const searched = bench_search(s, shapes, &report, argv);
        status = searched ? searched : status;
    } else if (shapes->count > 0) {
        int const measured = run_rows(s, shapes, &report);
        status = measured ? measured : status;
    } else {
        report.complete = status == 0;
        bench_context_close(&s->context);
        write_json(&report);
    }
    for (int r = 0; r < report.n_rows; ++r) {
        bench_row_free(&report.rows[r]);
    }
    free(report.rows);
    bench_peer_close(s->peer);
    bench_device_close(&s->device);
    return status;
}

int main(int argc, char **argv)
{
    static char command[4096];
    static struct bench_session session;
    struct bench_options options;
    struct bench_shapes shapes = {NULL, 0};
    if (!bench_options_read(&options, argc, argv)) {
        (void)fail();
        return 2;
    }
    if (options.help) {
        bench_options_help(stdout);
        return 0;
    }
    for (int a = 0; a < argc; ++a) { /* as it can be typed again */
        size_t const used = strlen(command);
        const char *const quote = argv[a][strcspn(argv[a], " *?'\"")] || !argv[a][0] ? "'" : "";
        snprintf(command + used, sizeof command - used, "%s%s%s%s", a ? " " : "", quote, argv[a], quote);
    }
    if (!read_shapes(&options, &shapes)) {
        (void)fail();
        bench_shapes_free(&shapes);
        return 2;
    }
    if (options.filter) {
        bench_shapes_filter(&shapes, options.filter);
    }
    if (shapes.count == 0 && !options.host_time) {
        fprintf(stderr, "bench_gemm: --filter: filter=%s must leave at least one shape\n",
                options.filter ? options.filter : "");
        bench_shapes_free(&shapes);
        return 2;
    }
    session.options = &options;
    int const status = options.dry_run ? bench_dry_run(&options, &shapes) : run(&session, &shapes, command, argv);
    bench_shapes_free(&shapes);
    return status;
}
