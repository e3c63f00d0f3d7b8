/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: the terminal's half of report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* "0.612 [0.610 0.615]", or dashes where nothing was measured. */
static void ratio_text(const struct bench_spread *ratio, char *out, size_t size)
{
    if (isnan(ratio->median)) {
        snprintf(out, size, "%5s %13s", "-", "");
    } else {
        snprintf(out, size, "%5.3f [%5.3f %5.3f]", ratio->median, ratio->q1, ratio->q3);
    }
}

static void number_text(double value, const char *format, char *out, size_t size)
{
    if (isnan(value)) {
        snprintf(out, size, "-");
    } else {
        snprintf(out, size, format, value);
    }
}

void bench_table_head(const struct bench_report *report)
{
    const struct bench_context *const c = report->context;
    const struct bench_ceilings *const ceilings = &report->session->ceilings;
    printf("%s, driver %s, CUDA runtime %d.%d, %s; catlass_c %s\n", c->gpu,
           c->before.driver[0] ? c->before.driver : "unknown", c->runtime / 1000, c->runtime % 1000 / 10,
           report->session->peer ? bench_peer_version() : "no peer", catc_version());
    if (!bench_peer_built()) {
        printf("peer: %s: its columns stay empty\n", bench_peer_version());
    }
    if (ceilings->copy_gbs > 0) {
        printf("ceiling: copy %.0f GB/s (read and written)", ceilings->copy_gbs);
        for (int type = 1; type < CATC_TYPE_END; ++type) {
            if (ceilings->tflops[type] > 0) {
                printf("; %s %.1f TFLOP/s (8192^3, %s)", catc_type_name((enum catc_type)type), ceilings->tflops[type],
                       ceilings->by[type]);
            }
        }
        printf("\n");
    }
    printf("x24, x1: time of cuBLASLt's best of 24 and of its first heuristic over ours, median [quartiles] of the "
           "rounds; above 1 we are faster\n");
    printf("%-36s %10s %8s %-19s %6s %6s | %10s %-19s | %s\n", "shape", "us", "TFLOP/s", "x24", "x1", "% ceil",
           "best us", "best x24", "peer us");
}

void bench_table_row(const struct bench_row *row)
{
    char label[BENCH_LABEL], us[24], rate[24], x24[48], x1[24], percent[24], best_us[24], best_x24[48], peer[24];
    bench_label(&row->shape, label, sizeof label);
    number_text(row->ours.us.median, "%.2f", us, sizeof us);
    number_text(row->ours.tflops, "%.1f", rate, sizeof rate);
    number_text(row->ours_to_first.median, "%.3f", x1, sizeof x1);
    number_text(row->percent, "%.1f", percent, sizeof percent);
    number_text(row->best.us.median, "%.2f", best_us, sizeof best_us);
    number_text(row->peer_best.us.median, "%.2f", peer, sizeof peer);
    ratio_text(&row->ours_to_peer, x24, sizeof x24);
    ratio_text(&row->best_to_peer, best_x24, sizeof best_x24);
    printf("%-36s %10s %8s %s %6s %6s | %10s %s | %s%s%s\n", label, us, rate, x24, x1, percent, best_us, best_x24, peer,
           row->match.note[0] ? "  " : "", row->match.note);
    if (row->ours.name[0]) {
        printf("    ours  %s\n", row->ours.name);
    }
    if (row->best.name[0] && strcmp(row->best.name, row->ours.name) != 0) {
        printf("    best  %s\n", row->best.name);
    }
    if (row->verdict != BENCH_OK) {
        printf("    %s: %s\n", bench_verdict_name(row->verdict), row->reason);
    }
    for (int i = 0; i < row->n_entries; ++i) {
        if (row->entries[i].failed) {
            printf("    failed  %s: %s\n", row->entries[i].instance->name, row->entries[i].reason);
        }
    }
    fflush(stdout);
}

void bench_table_end(const struct bench_report *report)
{
    static const char *const part[] = {"all", "aligned", "unaligned"};
    int verdicts[BENCH_FAILED + 1] = {0};
    for (int which = 0; which < 3; ++which) {
        struct bench_means const means = bench_means_of(report, which);
        const struct bench_geomean *const mean[] = {&means.ours_to_peer, &means.ours_to_first, &means.best_to_peer,
                                                    &means.best_to_first};
        char text[4][24];
        for (int i = 0; i < 4; ++i) {
            number_text(bench_geomean_of(mean[i]), "%.3f", text[i], sizeof text[i]);
        }
        if (means.rows > 0) {
            printf("geometric means, %-9s (%3d shapes): x24 %s, x1 %s; best: x24 %s, x1 %s\n", part[which], means.rows,
                   text[0], text[1], text[2], text[3]);
        }
    }
    for (int r = 0; r < report->n_rows; ++r) {
        ++verdicts[report->rows[r].verdict];
    }
    printf("%d shapes: %d ok, %d unchecked, %d missing, %d WRONG, %d FAILED\n", report->n_rows, verdicts[BENCH_OK],
           verdicts[BENCH_UNCHECKED], verdicts[BENCH_MISSING], verdicts[BENCH_WRONG], verdicts[BENCH_FAILED]);
}

void bench_table_host_time(const struct bench_host_time *t)
{
    printf("host time of a call, 128x128x64 bf16 tn, median [quartiles] of %d calls each, us (%s)\n", t->calls,
           t->instance);
    const struct {
        const char *name;
        const struct bench_spread *ns;
    } kinds[] = {{"cudaLaunchKernelExC", &t->bare}, {"catc_gemm_launch", &t->launch}, {"catc_gemm", &t->gemm}};
    for (int i = 0; i < 3; ++i) {
        printf("  %-20s %7.3f [%6.3f %6.3f]", kinds[i].name, kinds[i].ns->median * 1e-3, kinds[i].ns->q1 * 1e-3,
               kinds[i].ns->q3 * 1e-3);
        if (i > 0) {
            printf("  %+.3f above the bare launch", (kinds[i].ns->median - t->bare.median) * 1e-3);
        }
        printf("\n");
    }
}
