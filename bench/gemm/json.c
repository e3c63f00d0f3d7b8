/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: the file's half of report.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "say.h"

struct bench_means bench_means_of(const struct bench_report *report, int which)
{
    struct bench_means means;
    memset(&means, 0, sizeof means);
    for (int r = 0; r < report->n_rows; ++r) {
        const struct bench_row *const row = &report->rows[r];
        bool const aligned = bench_aligned(&row->shape);
        if ((which == 1 && !aligned) || (which == 2 && aligned)) {
            continue;
        }
        ++means.rows;
        bench_geomean_add(&means.ours_to_peer, row->ours_to_peer.median);
        bench_geomean_add(&means.ours_to_first, row->ours_to_first.median);
        bench_geomean_add(&means.best_to_peer, row->best_to_peer.median);
        bench_geomean_add(&means.best_to_first, row->best_to_first.median);
    }
    return means;
}

void bench_command(const struct bench_options *o, const struct bench_shape *s, char *out, size_t size)
{
    int const used =
        snprintf(out, size,
                 "bench_gemm --m %lld --n %lld --k %lld --batch %lld --type %s --type-d %s "
                 "--layout %s --epilogue '%s' --rounds %d --min-ms %g",
                 (long long)s->m, (long long)s->n, (long long)s->k, (long long)s->batch, catc_type_name(s->type_a),
                 catc_type_name(s->type_d), catc_layout_name(s->layout), s->chain, o->rounds, o->min_ms);
    if (used > 0 && (size_t)used < size && strcmp(o->instances, "*") != 0) {
        snprintf(out + used, size - (size_t)used, " --instances '%s'", o->instances);
    }
}

static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *c = text ? text : ""; *c; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(f, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, f);
        }
    }
    fputc('"', f);
}

static void put_named(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\": ", name);
    put_text(f, text);
}

/* JSON has no NaN: null. */
static void put_number(FILE *f, const char *name, double value)
{
    if (isfinite(value)) {
        fprintf(f, "\"%s\": %.6g", name, value);
    } else {
        fprintf(f, "\"%s\": null", name);
    }
}

static void put_spread(FILE *f, const char *name, const struct bench_spread *spread)
{
    fprintf(f, "\"%s\": {", name);
    put_number(f, "median", spread->median);
    fputs(", ", f);
    put_number(f, "q1", spread->q1);
    fputs(", ", f);
    put_number(f, "q3", spread->q3);
    fputs("}", f);
}

static void put_time(FILE *f, const char *name, const struct bench_time *time)
{
    fprintf(f, "   \"%s\": {", name);
    put_named(f, "name", time->name);
    fputs(", ", f);
    put_spread(f, "us", &time->us);
    fputs(", ", f);
    put_number(f, "tflops", time->tflops);
    fputs("},\n", f);
}

static void put_smi(FILE *f, const struct bench_smi *smi)
{
    const struct {
        const char *name, *text;
    } part[] = {{"sm_mhz", smi->sm_mhz},   {"mem_mhz", smi->mem_mhz}, {"max_sm_mhz", smi->max_sm_mhz},
                {"celsius", smi->celsius}, {"watts", smi->watts},     {"limit_watts", smi->limit_watts}};
    fputs("{", f);
    for (int i = 0; i < 6; ++i) {
        fputs(i ? ", " : "", f);
        put_named(f, part[i].name, part[i].text);
    }
    fputs("}", f);
}

static void put_context(FILE *f, const struct bench_report *report)
{
    const struct bench_context *const c = report->context;
    const struct bench_options *const o = report->session->options;
    const struct catc_device *const d = &report->session->device.about;
    const struct {
        const char *name, *text;
    } texts[] = {{"gpu", c->gpu},
                 {"device", d->name},
                 {"driver", c->before.driver},
                 {"host_cpu", c->host_cpu},
                 {"date", c->date},
                 {"library", catc_version()},
                 {"commit", o->commit ? o->commit : "unknown"},
                 {"peer", report->session->peer ? bench_peer_version() : "none"},
                 {"build", BENCH_BUILD},
                 {"command", report->command}};
    fputs(" \"context\": {\n", f);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        fputs("  ", f);
        put_named(f, texts[i].name, texts[i].text);
        fputs(",\n", f);
    }
    fprintf(f,
            "  \"driver_api\": %d, \"runtime\": %d, \"sms\": %d, \"cc\": %d, \"l2_bytes\": %lld,\n"
            "  \"rounds\": %d, \"min_ms\": %g, \"instances\": ",
            c->driver_api, c->runtime, d->sms, d->cc, (long long)d->l2_bytes, o->rounds, o->min_ms);
    put_text(f, o->instances);
    fputs(",\n  \"clocks_before\": ", f);
    put_smi(f, &c->before);
    fputs(",\n  \"clocks_after\": ", f);
    put_smi(f, &c->after);
    fputs("\n },\n", f);
}

static void put_ceilings(FILE *f, const struct bench_ceilings *c)
{
    bool first = true;
    fputs(" \"ceilings\": {", f);
    put_number(f, "copy_gbs", c->copy_gbs > 0 ? c->copy_gbs : (double)NAN);
    fputs(", \"matmul_8192\": [", f);
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        if (c->tflops[type] > 0) {
            fprintf(f, "%s\n  {\"type\": \"%s\", ", first ? "" : ",", catc_type_name((enum catc_type)type));
            put_number(f, "tflops", c->tflops[type]);
            fputs(", ", f);
            put_named(f, "by", c->by[type]);
            fputs(", \"clocks_under_load\": ", f);
            put_smi(f, &c->load[type]);
            fputs("}", f);
            first = false;
        }
    }
    fputs("]},\n", f);
}

static void put_entries(FILE *f, const struct bench_row *row)
{
    fputs("   \"instances\": [", f);
    for (int i = 0; i < row->n_entries; ++i) {
        const struct bench_entry *const entry = &row->entries[i];
        fprintf(f, "%s\n    {", i ? "," : "");
        put_named(f, "name", entry->instance->name);
        fputs(", ", f);
        put_number(f, "us", entry->us);
        if (entry->reason[0]) {
            fprintf(f, ", \"%s\": ", entry->failed ? "failed" : "note");
            put_text(f, entry->reason);
        }
        fputs("}", f);
    }
    fputs("],\n", f);
}

static void put_row(FILE *f, const struct bench_options *o, const struct bench_row *row)
{
    const struct bench_shape *const s = &row->shape;
    char command[768];
    bench_command(o, s, command, sizeof command);
    fprintf(f,
            "  {\"m\": %lld, \"n\": %lld, \"k\": %lld, \"batch\": %lld, \"type\": \"%s\", \"type_d\": \"%s\", "
            "\"layout\": \"%s\", ",
            (long long)s->m, (long long)s->n, (long long)s->k, (long long)s->batch, catc_type_name(s->type_a),
            catc_type_name(s->type_d), catc_layout_name(s->layout));
    put_named(f, "epilogue", s->chain);
    fprintf(f, ", \"aligned\": %s,\n   ", bench_aligned(s) ? "true" : "false");
    put_named(f, "verdict", bench_verdict_name(row->verdict));
    fputs(", ", f);
    put_named(f, "reason", row->reason);
    fputs(", ", f);
    put_named(f, "checked_by", row->checked_by);
    fprintf(f, ",\n   \"sets\": %d, \"launches\": %d, \"rotated_mib\": %.1f,\n", row->sets, row->launches,
            row->rotated_mib);
    put_time(f, "ours", &row->ours);
    put_time(f, "best", &row->best);
    put_time(f, "peer_best", &row->peer_best);
    put_time(f, "peer_first", &row->peer_first);
    fprintf(f, "   \"peer_algos\": %d, ", row->match.algos);
    put_named(f, "peer_note", row->match.note);
    const struct {
        const char *name;
        const struct bench_spread *ratio;
    } ratios[] = {{"ours_to_peer_best", &row->ours_to_peer},
                  {"ours_to_peer_first", &row->ours_to_first},
                  {"best_to_peer_best", &row->best_to_peer},
                  {"best_to_peer_first", &row->best_to_first}};
    for (int i = 0; i < 4; ++i) {
        fputs(",\n   ", f);
        put_spread(f, ratios[i].name, ratios[i].ratio);
    }
    fputs(",\n   ", f);
    put_number(f, "floor_us", row->floor_us);
    fputs(", ", f);
    put_number(f, "percent_of_ceiling", row->percent);
    fputs(",\n", f);
    put_entries(f, row);
    fputs("   ", f);
    put_named(f, "command", command);
    fputs("}", f);
}

static void put_means(FILE *f, const struct bench_report *report)
{
    static const char *const part[] = {"all", "aligned", "unaligned"};
    fputs(" \"geometric_means\": {", f);
    for (int which = 0; which < 3; ++which) {
        struct bench_means const means = bench_means_of(report, which);
        fprintf(f, "%s\n  \"%s\": {\"shapes\": %d, ", which ? "," : "", part[which], means.rows);
        put_number(f, "ours_to_peer_best", bench_geomean_of(&means.ours_to_peer));
        fputs(", ", f);
        put_number(f, "ours_to_peer_first", bench_geomean_of(&means.ours_to_first));
        fputs(", ", f);
        put_number(f, "best_to_peer_best", bench_geomean_of(&means.best_to_peer));
        fputs(", ", f);
        put_number(f, "best_to_peer_first", bench_geomean_of(&means.best_to_first));
        fputs("}", f);
    }
    fputs("},\n", f);
}

static void put_host_time(FILE *f, const struct bench_host_time *t)
{
    fputs(" \"host_time_ns\": ", f);
    if (!t->measured) {
        fputs("null,\n", f);
        return;
    }
    fprintf(f, "{\"calls\": %d, ", t->calls);
    put_named(f, "instance", t->instance);
    fputs(",\n  ", f);
    put_spread(f, "cudaLaunchKernelExC", &t->bare);
    fputs(",\n  ", f);
    put_spread(f, "catc_gemm_launch", &t->launch);
    fputs(",\n  ", f);
    put_spread(f, "catc_gemm", &t->gemm);
    fputs(",\n  ", f);
    put_number(f, "catc_gemm_launch_above_bare", t->launch.median - t->bare.median);
    fputs(", ", f);
    put_number(f, "catc_gemm_above_bare", t->gemm.median - t->bare.median);
    fputs("},\n", f);
}

bool bench_json_write(const struct bench_report *report, const char *path)
{
    char beside[1024];
    snprintf(beside, sizeof beside, "%s.part", path);
    FILE *const f = fopen(beside, "w");
    if (!f) {
        return bench_fail("--json: file=%s must be writable (%s)", path, strerror(errno));
    }
    fputs("{\"schema\": 1,\n", f);
    put_context(f, report);
    put_ceilings(f, &report->session->ceilings);
    put_host_time(f, &report->host_time);
    put_means(f, report);
    fprintf(f, " \"complete\": %s,\n \"rows\": [", report->complete ? "true" : "false");
    for (int r = 0; r < report->n_rows; ++r) {
        fputs(r ? ",\n" : "\n", f);
        put_row(f, report->session->options, &report->rows[r]);
    }
    fputs("\n ]}\n", f);
    bool const written = !ferror(f);
    if (fclose(f) != 0 || !written || rename(beside, path) != 0) {
        return bench_fail("--json: file=%s could not be written (%s)", path, strerror(errno));
    }
    return true;
}
