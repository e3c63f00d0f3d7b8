/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_none.c: a build that found no cuBLASLt. */
#include <string.h>

#include "peer.h"
#include "say.h"

const char *bench_peer_version(void)
{
    return "none: cuBLASLt was not found when this program was built";
}

bool bench_peer_built(void)
{
    return false;
}

struct bench_peer *bench_peer_open(void)
{
    bench_fail("%s", bench_peer_version());
    return NULL;
}

void bench_peer_close(struct bench_peer *peer)
{
    (void)peer;
}

bool bench_peer_prepare(struct bench_peer *peer, const struct bench_problem *problem, struct bench_peer_match *match)
{
    (void)peer, (void)problem;
    memset(match, 0, sizeof *match);
    return bench_fail("%s", bench_peer_version());
}

bool bench_peer_rounds_parts(struct bench_peer *peer, int algo)
{
    (void)peer, (void)algo;
    return false;
}

bool bench_peer_launch(struct bench_peer *peer, int algo, const struct catc_gemm_args *args)
{
    (void)peer, (void)algo, (void)args;
    return bench_fail("%s", bench_peer_version());
}
