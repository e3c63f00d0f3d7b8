/* SPDX-License-Identifier: Apache-2.0 */
#include "ceilings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"
#include "say.h"

enum { COPIES = 10, LOAD_US = 600000 };

/* The best of ten device-to-device copies of 1 GiB. */
static bool measure_copy(struct bench_session *s)
{
    const struct bench_device *const d = &s->device;
    size_t const bytes = (size_t)1 << 30;
    char *from = NULL, *to = NULL;
    bool good = bench_cuda(cudaMalloc((void **)&from, bytes), "memory for the copy ceiling") &&
                bench_cuda(cudaMalloc((void **)&to, bytes), "memory for the copy ceiling") &&
                bench_cuda(cudaMemsetAsync(from, 0x5a, bytes, d->stream), "filling 1 GiB");
    for (int i = 0; good && i < COPIES; ++i) {
        float ms = 0;
        good = bench_cuda(cudaEventRecord(d->begin, d->stream), "recording an event") &&
               bench_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream), "copying 1 GiB") &&
               bench_cuda(cudaEventRecord(d->end, d->stream), "recording an event") &&
               bench_cuda(cudaEventSynchronize(d->end), "copying 1 GiB") &&
               bench_cuda(cudaEventElapsedTime(&ms, d->begin, d->end), "reading events");
        double const gbs = 2 * (double)bytes / (double)ms * 1e-6; /* read and written */
        s->ceilings.copy_gbs = good && gbs > s->ceilings.copy_gbs ? gbs : s->ceilings.copy_gbs;
    }
    (void)cudaFree(from);
    (void)cudaFree(to);
    return good;
}

struct bench_shape bench_ceiling_shape(enum catc_type type)
{
    struct bench_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.m = shape.n = shape.k = 8192;
    shape.batch = 1;
    shape.type_a = shape.type_d = type;
    shape.layout = CATC_TN;
    return shape;
}

/* Clocks and power while our selection works, for LOAD_US: nvidia-smi takes a few tenths of a second to answer. */
static struct bench_smi read_under_load(struct bench_session *s, const struct bench_shape *shape)
{
    struct bench_smi smi;
    struct bench_problem problem;
    struct bench_candidate candidate;
    memset(&smi, 0, sizeof smi);
    if (!bench_problem_make(&problem, shape)) {
        return smi;
    }
    struct bench_ours ours = {&s->device, &problem, bench_selection(&s->device, &problem)};
    if (!ours.instance || !bench_candidate_make(&s->timer, &candidate, bench_ours_launch, &ours)) {
        return smi;
    }
    double const replays = LOAD_US / (candidate.us * candidate.launches);
    for (int i = 0; i < replays; ++i) {
        (void)cudaGraphLaunch(candidate.graph, s->device.stream);
    }
    smi = bench_smi_ask(s->context.bus);
    (void)cudaStreamSynchronize(s->device.stream);
    bench_candidate_free(&candidate);
    return smi;
}

bool bench_ceilings_measure(struct bench_session *s, enum catc_type type)
{
    struct bench_ceilings *const c = &s->ceilings;
    struct bench_shape const shape = bench_ceiling_shape(type);
    struct bench_row row;
    if (c->tflops[type] > 0) {
        return true;
    }
    if (c->copy_gbs <= 0 && !measure_copy(s)) {
        return false;
    }
    bool const good = bench_row_measure(s, &shape, &row);
    const struct bench_time *const time[] = {&row.ours, &row.best, &row.peer_best};
    for (int i = 0; good && i < 3; ++i) {
        if (time[i]->tflops > c->tflops[type]) {
            c->tflops[type] = time[i]->tflops;
            snprintf(c->by[type], sizeof c->by[type], "%s%s%.200s", i == 2 ? bench_peer_version() : "",
                     i == 2 ? ", " : "", time[i]->name);
        }
    }
    bool const measured = c->tflops[type] > 0;
    if (measured) {
        c->load[type] = read_under_load(s, &shape);
    }
    if (!measured) {
        bench_fail("ceiling of %s: 8192x8192x8192 could not be measured: %s", catc_type_name(type),
                   row.reason[0] ? row.reason : bench_last());
    }
    bench_row_free(&row);
    return measured;
}
