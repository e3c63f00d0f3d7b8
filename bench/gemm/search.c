/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choice.h"
#include "say.h"
#include "tuned_file.h"

enum { FINALISTS = 4 }; /* of the short measurements, measured again in interleaved rounds */

/* Is this the group of instances that the problem asks for, operand types included? */
static bool of_group(const struct catc_gemm_instance *i, const struct bench_problem *p)
{
    const struct bench_shape *const s = &p->shape;
    if (i->type_a != s->type_a || i->type_b != s->type_a || i->type_d != s->type_d || i->layout != s->layout ||
        i->n_epi != p->args.n_epi) {
        return false;
    }
    for (int e = 0; e < i->n_epi; ++e) {
        const struct catc_epi *const asked = &p->args.epi[e];
        enum catc_type const type = asked->type ? asked->type : s->type_d;
        if (catc_op_id(i->epi[e].name) != asked->op || (i->epi[e].type && i->epi[e].type != type)) {
            return false;
        }
    }
    return true;
}

/* The entry of a problem; -1: none. */
static int find_entry(const struct bench_tuned_file *file, const struct bench_problem *p)
{
    const struct bench_shape *const s = &p->shape;
    for (int i = 0; i < file->count; ++i) {
        const struct bench_tuned_entry *const e = &file->entries[i];
        const struct catc_gemm_instance *const instance = catc_gemm_find_in(NULL, CATC_CUDA, e->instance);
        if (e->m == s->m && e->n == s->n && e->k == s->k && e->batch == s->batch && instance && of_group(instance, p)) {
            return i;
        }
    }
    return -1;
}

/* An entry whose instance is unknown here belongs to a group that cannot be told: a new entry might contradict it. */
static bool all_known(const struct bench_tuned_file *file, const char *path)
{
    int unknown = 0;
    const char *first = "";
    for (int i = 0; i < file->count; ++i) {
        if (!catc_gemm_find_in(NULL, CATC_CUDA, file->entries[i].instance)) {
            first = unknown++ == 0 ? file->entries[i].instance : first;
        }
    }
    return unknown == 0 ||
           bench_fail("%s: instance=%s (%d of %d entries) must be in this build; build with CATC_INSTANCES=all, or "
                      "delete the entries of instances that are gone",
                      path, first, unknown, file->count);
}

static bool open_table(const struct bench_session *s, struct bench_tuned_file *file, char *path, size_t size)
{
    const struct catc_device *const d = &s->device.about;
    if (s->options->tuned) {
        snprintf(path, size, "%s", s->options->tuned);
    } else {
        snprintf(path, size, "instances/tuned/%s.yaml", d->name);
        (void)mkdir("instances/tuned", 0777); /* there already, or writing will say what is wrong */
    }
    if (!bench_tuned_writable(path) || !bench_tuned_read(file, path, d->name, d->sms, d->cc)) {
        return false;
    }
    bool const known = all_known(file, path);
    if (!known) {
        bench_tuned_free(file);
    }
    return known;
}

/* Times the most promising entries again, interleaved; their us becomes the median. */
static bool run_finals(struct bench_session *s, const struct bench_problem *p, struct bench_row *row)
{
    struct bench_candidate candidate[FINALISTS];
    const struct bench_candidate *taking[FINALISTS];
    struct bench_entry *entry[FINALISTS];
    double short_us[BENCH_ENTRIES];
    int const rounds = s->options->rounds;
    double *const us = (double *)malloc(FINALISTS * (size_t)rounds * sizeof *us);
    int count = 0, ties;
    bool good = us != NULL || bench_fail("rounds: out of host memory");
    for (int i = 0; i < row->n_entries; ++i) {
        short_us[i] = row->entries[i].us;
        row->entries[i].us = (double)NAN; /* until it was in the finals */
    }
    while (good && count < FINALISTS) {
        int const next = bench_choose(short_us, row->n_entries, &ties);
        if (next < 0) {
            break;
        }
        struct bench_ours ours = {&s->device, p, row->entries[next].instance};
        entry[count] = &row->entries[next];
        short_us[next] = (double)NAN;
        good = bench_candidate_make(&s->timer, &candidate[count], bench_ours_launch, &ours);
        taking[count] = &candidate[count];
        count += good;
    }
    for (int i = 0; i < row->n_entries; ++i) {
        if (bench_usable(short_us[i])) {
            snprintf(row->entries[i].reason, sizeof row->entries[i].reason, "not among the first %d: %.3f us",
                     (int)FINALISTS, short_us[i]);
        }
    }
    good = good && bench_rounds(&s->timer, taking, count, rounds, us);
    for (int c = 0; c < count; ++c) {
        if (good) {
            entry[c]->us = bench_spread_of(us + c * rounds, rounds).median;
        }
        bench_candidate_free(&candidate[c]);
    }
    free(us);
    return good;
}

/* Fills the row's entries and best; false with the reason in bench_last(). */
static bool search_shape(struct bench_session *s, const struct bench_problem *p, struct bench_row *row)
{
    struct bench_reference reference;
    double us[BENCH_ENTRIES];
    int ties;
    s->timer.sets = row->sets = bench_problem_sets(p, s->device.about.l2_bytes);
    row->rotated_mib = (double)row->sets * (double)(p->set_in + p->set_out) * 0x1p-20;
    if (!bench_device_fill(&s->device, p->shape.type_a) || (s->peer && !bench_peer_prepare(s->peer, p, &row->match)) ||
        !bench_refer(s, p, &row->match, NULL, &reference)) {
        return false;
    }
    snprintf(row->checked_by, sizeof row->checked_by, "%s", reference.by);
    if (!reference.there) {
        return bench_fail("there is nothing to compare results with: %s", reference.by);
    }
    if (!bench_scan(s, p, &reference, row->entries, &row->n_entries) || !run_finals(s, p, row)) {
        return false;
    }
    for (int i = 0; i < row->n_entries; ++i) {
        us[i] = row->entries[i].us;
    }
    int const best = bench_choose(us, row->n_entries, &ties);
    if (best < 0) {
        return bench_fail("none of %d legal instances that --instances matches could be timed", row->n_entries);
    }
    snprintf(row->best.name, sizeof row->best.name, "%s", row->entries[best].instance->name);
    row->best.us.median = us[best];
    row->best.tflops = p->flop / us[best] * 1e-6;
    if (ties) {
        snprintf(row->reason, sizeof row->reason, "a tie with %d others", ties);
    }
    return true;
}

/* A new process has a new context; what is in the table is skipped there. Returns only if that fails. */
static void start_again(const struct bench_session *s, char **argv)
{
    int argc = 0;
    while (argv[argc]) {
        ++argc;
    }
    char **const again = (char **)calloc((size_t)argc + 3, sizeof *again);
    if (again && s->options->n_faulted < BENCH_FAULTED) {
        char option[] = "--faulted", name[256];
        memcpy(again, argv, (size_t)argc * sizeof *again);
        snprintf(name, sizeof name, "%s", s->faulted);
        again[argc] = option;
        again[argc + 1] = name;
        fprintf(stderr, "search: %s broke the GPU's context (%s); starting again without it\n", s->faulted,
                bench_last());
        fflush(NULL);
        (void)execv("/proc/self/exe", again);
    }
    free(again);
}

static bool put_result(struct bench_tuned_file *file, const struct bench_problem *p, const struct bench_row *row,
                       int rounds, const char *path)
{
    struct bench_tuned_entry entry;
    memset(&entry, 0, sizeof entry);
    entry.m = p->shape.m, entry.n = p->shape.n, entry.k = p->shape.k, entry.batch = p->shape.batch;
    entry.samples = rounds;
    entry.microseconds = row->best.us.median;
    snprintf(entry.instance, sizeof entry.instance, "%s", row->best.name);
    return bench_tuned_put(file, find_entry(file, p), &entry) && bench_tuned_write(file, path);
}

int bench_search(struct bench_session *s, const struct bench_shapes *shapes, struct bench_report *report, char **argv)
{
    const struct bench_options *const o = s->options;
    struct bench_tuned_file file;
    char path[1024];
    int skipped = 0, found = 0, without = 0, failed = 0;
    if (!open_table(s, &file, path, sizeof path)) {
        fprintf(stderr, "bench_gemm: %s\n", bench_last());
        return 1;
    }
    bool alive = true, written = true;
    for (int i = 0; alive && written && i < shapes->count; ++i) {
        struct bench_problem problem;
        struct bench_row *const row = &report->rows[report->n_rows];
        char label[BENCH_LABEL];
        bench_label(&shapes->items[i], label, sizeof label);
        bool const known = bench_problem_make(&problem, &shapes->items[i]);
        if (known && !o->again && find_entry(&file, &problem) >= 0) {
            ++skipped;
            continue;
        }
        bench_row_clear(row, &shapes->items[i]);
        ++report->n_rows;
        row->entries = (struct bench_entry *)malloc(BENCH_ENTRIES * sizeof *row->entries);
        if (known && row->entries && search_shape(s, &problem, row)) {
            written = put_result(&file, &problem, row, o->rounds, path);
            ++found;
            fprintf(stderr, "search %d/%d %s: %.2f us, %.1f TFLOP/s, %s\n", i + 1, shapes->count, label,
                    row->best.us.median, row->best.tflops, row->best.name);
        } else {
            ++without;
            row->verdict = known ? BENCH_FAILED : BENCH_MISSING;
            snprintf(row->reason, sizeof row->reason, "%s", bench_last());
            fprintf(stderr, "search %d/%d %s: no entry: %s\n", i + 1, shapes->count, label, row->reason);
            alive = !bench_cuda_lost();
        }
        for (int e = 0; e < row->n_entries; ++e) {
            if (row->entries[e].failed) {
                ++failed;
                fprintf(stderr, "  failed  %s: %s\n", row->entries[e].instance->name, row->entries[e].reason);
            }
        }
        bench_row_shrink(row);
        if (o->json && !bench_json_write(report, o->json)) {
            fprintf(stderr, "bench_gemm: %s\n", bench_last());
        }
    }
    bench_tuned_free(&file);
    if (!alive && s->faulted) {
        start_again(s, argv);
    }
    if (!written || !alive) {
        fprintf(stderr, "bench_gemm: %s\n", bench_last());
    }
    bench_context_close(&s->context);
    report->complete = alive && written && without == 0 && failed == 0 && o->n_faulted == 0;
    if (o->json && !bench_json_write(report, o->json)) {
        fprintf(stderr, "bench_gemm: %s\n", bench_last());
    }
    printf("search: %d shapes: %d new in %s, %d were there, %d without an entry; %d failures of instances\n",
           shapes->count, found, path, skipped, without, failed);
    return !written ? 1 : report->complete ? 0 : 3;
}
