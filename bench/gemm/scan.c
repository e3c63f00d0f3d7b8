/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "choice.h"
#include "say.h"

struct peer_turn {
    struct bench_session *session;
    const struct bench_problem *problem;
};

static bool launch_exact(void *context, int set)
{
    struct peer_turn *const turn = (struct peer_turn *)context;
    struct catc_gemm_args const args = bench_device_place(&turn->session->device, turn->problem, set);
    return bench_peer_launch(turn->session->peer, BENCH_PEER_EXACT, &args);
}

/* One launch on poisoned outputs, D into `host`. */
static bool run_into(struct bench_session *s, const struct bench_problem *p, bench_launch launch, void *context,
                     void *host)
{
    double us;
    return bench_device_poison(&s->device, p) && bench_once(&s->timer, launch, context, (double)INFINITY, &us) &&
           bench_device_result(&s->device, p, host) &&
           (bench_count_nan(p->shape.type_d, host, p->elements_d) == 0 || bench_fail("D holds NaN"));
}

static bool legal(struct bench_session *s, const struct bench_problem *p, const struct catc_gemm_instance *instance)
{
    struct catc_gemm_args const args = bench_device_place(&s->device, p, 0);
    return catc_gemm_check(instance, &args, NULL, 0) == CATC_OK;
}

static bool is_faulted(const struct bench_options *o, const char *name)
{
    for (int i = 0; i < o->n_faulted; ++i) {
        if (strcmp(o->faulted[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool bench_refer(struct bench_session *s, const struct bench_problem *p, const struct bench_peer_match *match,
                 const struct catc_gemm_instance *except, struct bench_reference *r)
{
    const struct catc_gemm_instance *instance;
    bool const chain = p->shape.chain[0] != '\0';
    memset(r, 0, sizeof *r);
    r->tolerance = bench_tolerance_of(p->shape.type_d, p->shape.k, chain, s->peer && match->same && match->approximate);
    if (s->peer && match->same && match->algos > 0) {
        struct peer_turn turn = {s, p};
        if (run_into(s, p, launch_exact, &turn, s->device.want)) {
            r->there = true;
            snprintf(r->by, sizeof r->by, "%s", bench_peer_version());
            return true;
        }
        snprintf(r->by, sizeof r->by, "none: the peer: %.100s", bench_last());
        return !bench_cuda_lost();
    }
    /* gemm_simt is the reference of the other skeletons; where there is none, two that agree are better than one */
    for (int wanted = 0; wanted < 2; ++wanted) {
        for (int i = 0; (instance = catc_gemm_at(NULL, CATC_CUDA, i)) != NULL; ++i) {
            if ((wanted == 0 && instance->skeleton != CATC_GEMM_SIMT) || instance == except ||
                is_faulted(s->options, instance->name) || !legal(s, p, instance)) {
                continue;
            }
            struct bench_ours ours = {&s->device, p, instance};
            r->there = run_into(s, p, bench_ours_launch, &ours, s->device.want);
            if (r->there) {
                snprintf(r->by, sizeof r->by, "%.120s", instance->name);
                return true;
            }
            snprintf(r->by, sizeof r->by, "none: %.100s", bench_last());
            if (bench_cuda_lost()) {
                s->faulted = instance->name;
                return false;
            }
        }
    }
    if (r->by[0] == '\0') {
        snprintf(r->by, sizeof r->by, "none: no peer computes this, and no other instance");
    }
    return true;
}

bool bench_verify(struct bench_session *s, const struct bench_problem *p, const struct bench_reference *r,
                  const struct catc_gemm_instance *instance, double hopeless, double *us)
{
    enum catc_type const type = p->shape.type_d;
    struct bench_ours ours = {&s->device, p, instance};
    struct bench_difference difference;
    if (!bench_device_poison(&s->device, p) || !bench_once(&s->timer, bench_ours_launch, &ours, hopeless, us)) {
        return false;
    }
    if (*us > hopeless) {
        return true;
    }
    if (!bench_device_result(&s->device, p, s->device.got)) {
        return false;
    }
    int64_t const nan = bench_count_nan(type, s->device.got, p->elements_d);
    if (nan > 0) {
        return bench_fail("wrong: %lld of %lld elements of D are NaN or were not written", (long long)nan,
                          (long long)p->elements_d);
    }
    if (r->there &&
        !bench_compare(type, s->device.got, s->device.want, p->elements_d, p->shape.k, r->tolerance, &difference)) {
        int64_t const row = difference.first / p->shape.n % p->shape.m, column = difference.first % p->shape.n;
        return bench_fail("wrong: %lld of %lld elements of D differ from %.60s, the first at row %lld column %lld: got "
                          "%.7g, want %.7g; largest difference %.3g sqrt(k)",
                          (long long)difference.wrong, (long long)p->elements_d, r->by, (long long)row,
                          (long long)column, difference.got, difference.want, difference.largest);
    }
    return true;
}

bool bench_scan(struct bench_session *s, const struct bench_problem *p, const struct bench_reference *r,
                struct bench_entry *entries, int *count)
{
    const struct catc_gemm_instance *instance;
    double best = (double)INFINITY;
    *count = 0;
    for (int i = 0; (instance = catc_gemm_at(NULL, CATC_CUDA, i)) != NULL && *count < BENCH_ENTRIES; ++i) {
        if (fnmatch(s->options->instances, instance->name, 0) != 0 || !legal(s, p, instance)) {
            continue;
        }
        struct bench_entry *const entry = &entries[(*count)++];
        double const hopeless = BENCH_HOPELESS(best);
        double once = 0;
        memset(entry, 0, sizeof *entry);
        entry->instance = instance;
        entry->us = (double)NAN;
        entry->failed = true;
        if (is_faulted(s->options, instance->name)) {
            snprintf(entry->reason, sizeof entry->reason, "it faulted the GPU before");
            continue;
        }
        struct bench_ours ours = {&s->device, p, instance};
        struct bench_candidate candidate;
        bool const verified = bench_verify(s, p, r, instance, hopeless, &once);
        if (verified && once > hopeless) {
            entry->failed = false;
            snprintf(entry->reason, sizeof entry->reason, "left out: one launch took %.0f us", once);
        } else if (verified && bench_candidate_make(&s->timer, &candidate, bench_ours_launch, &ours)) {
            entry->us = candidate.us;
            entry->failed = !bench_usable(candidate.us);
            if (entry->failed) {
                snprintf(entry->reason, sizeof entry->reason, "its time, %g us, cannot be", candidate.us);
            } else if (candidate.us < best) {
                best = candidate.us;
            }
            bench_candidate_free(&candidate);
        } else {
            snprintf(entry->reason, sizeof entry->reason, "%s", bench_last());
            if (bench_cuda_lost()) {
                s->faulted = instance->name;
                return false;
            }
        }
    }
    return true;
}
