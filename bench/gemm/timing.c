/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

#include <string.h>

#include "choice.h"
#include "say.h"

enum { NODES_MAX = BENCH_SETS_MAX, CANDIDATES_MAX = 8, ROUNDS_MAX = 1000 };

bool bench_once(const struct bench_timer *t, bench_launch launch, void *context, double hopeless, double *us)
{
    const struct bench_device *const d = t->device;
    for (int run = 0; run < 2; ++run) {
        float ms = 0;
        if (!bench_cuda(cudaEventRecord(d->begin, d->stream), "recording an event") || !launch(context, 0) ||
            !bench_cuda(cudaEventRecord(d->end, d->stream), "recording an event") ||
            !bench_cuda(cudaEventSynchronize(d->end), "running a kernel") ||
            !bench_cuda(cudaEventElapsedTime(&ms, d->begin, d->end), "reading events")) {
            return false;
        }
        *us = (double)ms * 1e3;
        if (*us <= hopeless) {
            break;
        }
    }
    return true;
}

/* A graph of `launches` launches, uploaded. */
static bool capture(const struct bench_timer *t, struct bench_candidate *c, bench_launch launch, void *context,
                    int launches)
{
    const struct bench_device *const d = t->device;
    cudaGraph_t graph = NULL;
    bool good = true;
    /* relaxed: a kernel that CUDA loads at its first launch may be loaded now */
    if (!bench_cuda(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeRelaxed), "beginning a capture")) {
        return false;
    }
    for (int i = 0; good && i < launches; ++i) {
        good = launch(context, i % t->sets);
    }
    cudaError_t const ended = cudaStreamEndCapture(d->stream, &graph);
    good = good && bench_cuda(ended, "ending a capture") &&
           bench_cuda(cudaGraphInstantiate(&c->graph, graph, 0), "instantiating a graph") &&
           bench_cuda(cudaGraphUpload(c->graph, d->stream), "uploading a graph");
    if (graph) {
        (void)cudaGraphDestroy(graph);
    }
    (void)cudaGetLastError();
    c->launches = launches;
    return good;
}

static bool replay(const struct bench_device *d, const struct bench_candidate *c, cudaEvent_t begin, cudaEvent_t end)
{
    return bench_cuda(cudaEventRecord(begin, d->stream), "recording an event") &&
           bench_cuda(cudaGraphLaunch(c->graph, d->stream), "replaying a graph") &&
           bench_cuda(cudaEventRecord(end, d->stream), "recording an event");
}

static bool elapsed(cudaEvent_t begin, cudaEvent_t end, int launches, double *us)
{
    float ms = 0;
    if (!bench_cuda(cudaEventSynchronize(end), "running a graph") ||
        !bench_cuda(cudaEventElapsedTime(&ms, begin, end), "reading events")) {
        return false;
    }
    *us = (double)ms * 1e3 / launches;
    return true;
}

/* The second of two replays. */
static bool measure(const struct bench_device *d, struct bench_candidate *c)
{
    return replay(d, c, d->begin, d->end) && replay(d, c, d->begin, d->end) &&
           elapsed(d->begin, d->end, c->launches, &c->us);
}

bool bench_candidate_make(const struct bench_timer *t, struct bench_candidate *c, bench_launch launch, void *context)
{
    memset(c, 0, sizeof *c);
    if (!capture(t, c, launch, context, t->sets) || !measure(t->device, c)) {
        bench_candidate_free(c);
        return false;
    }
    double const turn_us = c->us * t->sets;
    if (bench_usable(turn_us) && turn_us < t->min_us) {
        double const wanted = t->min_us / turn_us + 1; /* turns, rounded up */
        int const most = NODES_MAX / t->sets > 0 ? NODES_MAX / t->sets : 1;
        int const turns = wanted < most ? (int)wanted : most;
        if (turns > 1) {
            bench_candidate_free(c);
            if (!capture(t, c, launch, context, turns * t->sets) || !measure(t->device, c)) {
                bench_candidate_free(c);
                return false;
            }
        }
    }
    return true;
}

void bench_candidate_free(struct bench_candidate *c)
{
    if (c->graph) {
        (void)cudaGraphExecDestroy(c->graph);
    }
    c->graph = NULL;
}

/* The i-th replay's candidate: every round begins with another one, so that none has always the same predecessor. */
static int turn_of(int i, int count)
{
    return (i % count + i / count) % count;
}

bool bench_rounds(const struct bench_timer *t, const struct bench_candidate *const *candidates, int count, int rounds,
                  double *us)
{
    static cudaEvent_t event[ROUNDS_MAX * CANDIDATES_MAX + 1]; /* made once, kept until the process ends */
    static int made;
    const struct bench_device *const d = t->device;
    int const wanted = rounds * count + 1;
    bool good = count <= CANDIDATES_MAX && rounds <= ROUNDS_MAX;
    if (!good) {
        return bench_fail("rounds: %d rounds of %d candidates must be at most %d of %d", rounds, count, (int)ROUNDS_MAX,
                          (int)CANDIDATES_MAX);
    }
    for (; good && made < wanted; made += good) {
        good = bench_cuda(cudaEventCreate(&event[made]), "making an event");
    }
    for (int c = 0; good && c < count; ++c) {
        good = bench_cuda(cudaGraphLaunch(candidates[c]->graph, d->stream), "replaying a graph");
    }
    /* one event between neighbours: nothing runs there but the next replay */
    good = good && bench_cuda(cudaEventRecord(event[0], d->stream), "recording an event");
    for (int i = 0; good && i < rounds * count; ++i) {
        good = bench_cuda(cudaGraphLaunch(candidates[turn_of(i, count)]->graph, d->stream), "replaying a graph") &&
               bench_cuda(cudaEventRecord(event[i + 1], d->stream), "recording an event");
    }
    for (int i = 0; good && i < rounds * count; ++i) {
        int const c = turn_of(i, count), round = i / count;
        good = elapsed(event[i], event[i + 1], candidates[c]->launches, &us[c * rounds + round]);
    }
    return good;
}
