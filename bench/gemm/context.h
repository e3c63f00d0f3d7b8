/* SPDX-License-Identifier: Apache-2.0
 *
 * context.h: what a number means nothing without: GPU, driver, toolkit, clocks, versions. */
#ifndef BENCH_GEMM_CONTEXT_H
#define BENCH_GEMM_CONTEXT_H

#include "device.h"

/* What nvidia-smi tells; empty texts where there is none. */
struct bench_smi {
    char driver[32], sm_mhz[16], mem_mhz[16], max_sm_mhz[16], celsius[16], watts[16], limit_watts[16];
};

struct bench_context {
    char gpu[256], bus[32], date[32], host_cpu[128];
    int driver_api, runtime; /* 13000 is 13.0 */
    struct bench_smi before, after;
};

struct bench_smi bench_smi_ask(const char *bus);
void bench_context_open(struct bench_context *context, const struct bench_device *device);
/* The readings right after the work. */
void bench_context_close(struct bench_context *context);

#endif /* BENCH_GEMM_CONTEXT_H */
