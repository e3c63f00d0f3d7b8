/* SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "say.h"

const char *bench_verdict_name(enum bench_verdict verdict)
{
    static const char *const names[] = {"ok", "unchecked", "missing", "WRONG", "FAILED"};
    return names[verdict];
}

/* The context of a launch of the peer. */
struct theirs {
    struct bench_session *session;
    const struct bench_problem *problem;
    int algo;
};

static bool launch_theirs(void *context, int set)
{
    struct theirs *const theirs = (struct theirs *)context;
    struct catc_gemm_args const args = bench_device_place(&theirs->session->device, theirs->problem, set);
    return bench_peer_launch(theirs->session->peer, theirs->algo, &args);
}

/* Times every algorithm of the prepared peer shortly; candidates[0] becomes its first and candidates[1] its best, whose
 * index is *best (0: the first is the best, and candidates[1] stays empty; -1: none can be launched). */
static bool search_peer(struct bench_session *s, const struct bench_problem *p, int algos,
                        struct bench_candidate *candidates, int *best)
{
    *best = -1;
    memset(candidates, 0, 2 * sizeof *candidates);
    for (int algo = 0; algo < algos; ++algo) {
        struct theirs theirs = {s, p, algo};
        struct bench_candidate candidate;
        double const hopeless = *best < 0 ? (double)INFINITY : BENCH_HOPELESS(candidates[*best > 0].us);
        double once;
        /* the first launch outside of a capture: the library may load or allocate then */
        bool const launched = bench_once(&s->timer, launch_theirs, &theirs, hopeless, &once);
        if (launched && once > hopeless) {
            continue;
        }
        if (!launched || !bench_candidate_make(&s->timer, &candidate, launch_theirs, &theirs)) {
            if (bench_cuda_lost()) {
                return bench_fail("the peer's algorithm %d: %s", algo, bench_last());
            }
            continue; /* one that the library offers and then refuses is its own loss */
        }
        if (!bench_usable(candidate.us)) {
            bench_candidate_free(&candidate);
        } else if (algo == 0) {
            candidates[0] = candidate;
            *best = 0;
        } else if (*best < 0 || candidate.us < candidates[*best > 0].us) {
            bench_candidate_free(&candidates[1]);
            candidates[1] = candidate;
            *best = algo;
        } else {
            bench_candidate_free(&candidate);
        }
    }
    return true;
}

/* Median and rate of one contestant's rounds. */
static void report_time(struct bench_time *time, const double *us, int rounds, double flop)
{
    double sorted[1000];
    memcpy(sorted, us, (size_t)rounds * sizeof *us);
    time->us = bench_spread_of(sorted, rounds);
    time->tflops = flop / time->us.median * 1e-6;
}

static struct bench_spread ratio_of(const double *theirs, const double *ours, int rounds)
{
    double ratio[1000];
    for (int r = 0; r < rounds; ++r) {
        ratio[r] = theirs[r] / ours[r];
    }
    return bench_spread_of(ratio, rounds);
}

void bench_row_clear(struct bench_row *row, const struct bench_shape *shape)
{
    struct bench_spread const none = {(double)NAN, (double)NAN, (double)NAN};
    struct bench_time *const time[] = {&row->ours, &row->best, &row->peer_best, &row->peer_first};
    memset(row, 0, sizeof *row);
    row->shape = *shape;
    for (int i = 0; i < 4; ++i) {
        time[i]->us = none;
        time[i]->tflops = (double)NAN;
    }
    row->ours_to_peer = row->ours_to_first = row->best_to_peer = row->best_to_first = none;
    row->floor_us = row->percent = (double)NAN;
    row->peer_algo = -1;
}

static void give_up(struct bench_row *row, enum bench_verdict verdict)
{
    row->verdict = verdict;
    snprintf(row->reason, sizeof row->reason, "%s", bench_last());
}

/* The best entry's instance; NULL if none was timed. */
static const struct catc_gemm_instance *fastest(const struct bench_row *row)
{
    double us[BENCH_ENTRIES];
    int ties;
    for (int i = 0; i < row->n_entries; ++i) {
        us[i] = row->entries[i].us;
    }
    int const best = bench_choose(us, row->n_entries, &ties);
    return best < 0 ? NULL : row->entries[best].instance;
}

/* The contestants of the rounds; a graph that is NULL takes no part. */
struct contest {
    struct bench_candidate candidate[4]; /* the peer's first and best, ours, our best */
};
enum { FIRST, PEER, OURS, BEST };

static bool run_rounds(struct bench_session *s, const struct bench_problem *p, struct contest *contest,
                       struct bench_row *row)
{
    const struct bench_candidate *taking[4];
    int const rounds = s->options->rounds;
    int at[4] = {-1, -1, -1, -1}, count = 0;
    double *const us = (double *)malloc(4 * (size_t)rounds * sizeof *us);
    for (int c = 0; c < 4; ++c) {
        if (contest->candidate[c].graph) {
            at[c] = count;
            taking[count++] = &contest->candidate[c];
        }
    }
    at[PEER] = at[PEER] < 0 ? at[FIRST] : at[PEER]; /* the first is the best */
    at[BEST] = at[BEST] < 0 && row->best.name[0] ? at[OURS] : at[BEST];
    if (!us || !bench_rounds(&s->timer, taking, count, rounds, us)) {
        free(us);
        return us ? false : bench_fail("rounds: out of host memory");
    }
    struct bench_time *const time[] = {&row->peer_first, &row->peer_best, &row->ours, &row->best};
    for (int c = 0; c < 4; ++c) {
        if (at[c] >= 0) {
            report_time(time[c], us + at[c] * rounds, rounds, p->flop);
        }
    }
    const struct {
        int theirs, ours;
        struct bench_spread *ratio;
    } ratios[] = {{PEER, OURS, &row->ours_to_peer},
                  {FIRST, OURS, &row->ours_to_first},
                  {PEER, BEST, &row->best_to_peer},
                  {FIRST, BEST, &row->best_to_first}};
    for (int i = 0; i < 4; ++i) {
        if (at[ratios[i].theirs] >= 0 && at[ratios[i].ours] >= 0) {
            *ratios[i].ratio = ratio_of(us + at[ratios[i].theirs] * rounds, us + at[ratios[i].ours] * rounds, rounds);
        }
    }
    free(us);
    return true;
}

/* Everything from the operands to the numbers; false with the row's verdict set. */
static bool measure(struct bench_session *s, const struct bench_problem *p, struct contest *contest,
                    struct bench_row *row)
{
    const struct bench_shape *const shape = &p->shape;
    const struct bench_ceilings *const ceilings = &s->ceilings;
    struct bench_reference reference;
    double once;
    if (!bench_device_fill(&s->device, shape->type_a) || (s->peer && !bench_peer_prepare(s->peer, p, &row->match))) {
        give_up(row, BENCH_FAILED);
        return false;
    }
    const struct catc_gemm_instance *const selected = bench_selection(&s->device, p);
    if (selected) {
        snprintf(row->ours.name, sizeof row->ours.name, "%s", selected->name);
    } else {
        give_up(row, BENCH_MISSING);
    }
    if (!bench_refer(s, p, &row->match, selected, &reference)) {
        give_up(row, BENCH_FAILED);
        return false;
    }
    snprintf(row->checked_by, sizeof row->checked_by, "%s", reference.by);
    if (selected && !bench_verify(s, p, &reference, selected, (double)INFINITY, &once)) {
        give_up(row, strncmp(bench_last(), "wrong", 5) == 0 ? BENCH_WRONG : BENCH_FAILED);
        if (bench_cuda_lost()) {
            s->faulted = selected->name;
        }
        return false;
    }
    if (selected && !reference.there) {
        row->verdict = BENCH_UNCHECKED;
        snprintf(row->reason, sizeof row->reason, "%s", reference.by);
    }
    const struct catc_gemm_instance *best = NULL;
    if (s->options->best) {
        if (!bench_scan(s, p, &reference, row->entries, &row->n_entries)) {
            give_up(row, BENCH_FAILED);
            return false;
        }
        best = fastest(row);
    }
    struct bench_ours ours = {&s->device, p, selected}, other = {&s->device, p, best};
    if (best) {
        snprintf(row->best.name, sizeof row->best.name, "%s", best->name);
    }
    if (row->match.algos > 0) {
        if (!search_peer(s, p, row->match.algos, contest->candidate, &row->peer_algo)) {
            give_up(row, BENCH_FAILED);
            return false;
        }
        if (row->peer_algo >= 0 && bench_peer_rounds_parts(s->peer, row->peer_algo)) {
            size_t const used = strlen(row->match.note);
            snprintf(row->match.note + used, sizeof row->match.note - used,
                     "%s its best adds parts of K that are "
                     "rounded to D's type",
                     used ? "," : "peer:");
        }
    }
    if ((selected && !bench_candidate_make(&s->timer, &contest->candidate[OURS], bench_ours_launch, &ours)) ||
        (best && best != selected &&
         !bench_candidate_make(&s->timer, &contest->candidate[BEST], bench_ours_launch, &other)) ||
        !run_rounds(s, p, contest, row)) {
        give_up(row, BENCH_FAILED);
        return false;
    }
    row->launches = contest->candidate[OURS].launches;
    snprintf(row->peer_first.name, sizeof row->peer_first.name, "%s", row->peer_algo >= 0 ? "algorithm 0" : "");
    if (row->peer_algo >= 0) {
        snprintf(row->peer_best.name, sizeof row->peer_best.name, "algorithm %d of %d", row->peer_algo,
                 row->match.algos);
    }
    if (ceilings->copy_gbs > 0 && ceilings->tflops[shape->type_a] > 0) {
        double const arithmetic = p->flop / ceilings->tflops[shape->type_a] * 1e-6;
        double const memory = p->bytes / ceilings->copy_gbs * 1e-3;
        row->floor_us = arithmetic > memory ? arithmetic : memory;
        row->percent = 100 * row->floor_us / row->ours.us.median;
    }
    return true;
}

bool bench_row_measure(struct bench_session *s, const struct bench_shape *shape, struct bench_row *row)
{
    struct bench_problem problem;
    struct contest contest;
    bench_row_clear(row, shape);
    memset(&contest, 0, sizeof contest);
    row->entries = (struct bench_entry *)malloc(BENCH_ENTRIES * sizeof *row->entries);
    if (!row->entries) {
        bench_fail("out of host memory");
        give_up(row, BENCH_FAILED);
        return false;
    }
    if (!bench_problem_make(&problem, shape)) {
        give_up(row, BENCH_MISSING);
        return true;
    }
    s->timer.sets = row->sets = bench_problem_sets(&problem, s->device.about.l2_bytes);
    row->rotated_mib = (double)row->sets * (double)(problem.set_in + problem.set_out) * 0x1p-20;
    bool const good = measure(s, &problem, &contest, row);
    for (int c = 0; c < 4; ++c) {
        bench_candidate_free(&contest.candidate[c]);
    }
    bench_row_shrink(row);
    return good || !bench_cuda_lost();
}

void bench_row_shrink(struct bench_row *row)
{
    size_t const used = (size_t)(row->n_entries > 0 ? row->n_entries : 1) * sizeof *row->entries;
    struct bench_entry *const entries = (struct bench_entry *)realloc(row->entries, used);
    row->entries = entries ? entries : row->entries;
}

void bench_row_free(struct bench_row *row)
{
    free(row->entries);
    row->entries = NULL;
}
