/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h: all instances that can do a problem, each checked and timed shortly. */
#ifndef BENCH_GEMM_SCAN_H
#define BENCH_GEMM_SCAN_H

#include "compare.h"
#include "ours.h"
#include "session.h"

/* What results are compared with: D of set 0, in device.want. */
struct bench_reference {
    bool there;
    struct bench_tolerance tolerance;
    char by[128]; /* who computed it; why there is none */
};

struct bench_entry {
    const struct catc_gemm_instance *instance;
    double us;        /* per launch; NAN: failed, wrong, or left out */
    bool failed;      /* could not be launched, or wrong */
    char reason[512]; /* if us is NAN */
};

enum { BENCH_ENTRIES = 1024 };

/* The reference: the peer where it computes the same, else a gemm_simt instance other than `except`, else any other
 * instance. False only if the GPU can no longer be used. */
bool bench_refer(struct bench_session *session, const struct bench_problem *problem,
                 const struct bench_peer_match *match, const struct catc_gemm_instance *except,
                 struct bench_reference *reference);
/* Runs an instance on poisoned outputs and compares. False with the reason in bench_last(): not launched, or wrong.
 * hopeless: microseconds above which the result is not looked at (*us is then above it, and true is returned). */
bool bench_verify(struct bench_session *session, const struct bench_problem *problem,
                  const struct bench_reference *reference, const struct catc_gemm_instance *instance, double hopeless,
                  double *us);
/* Every instance that --instances matches and that is legal. At most BENCH_ENTRIES. False if the GPU can no longer be
 * used: session.faulted is the one that broke it. */
bool bench_scan(struct bench_session *session, const struct bench_problem *problem,
                const struct bench_reference *reference, struct bench_entry *entries, int *count);

#endif /* BENCH_GEMM_SCAN_H */
