/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/emulator.h: what the tests of the emulator's instructions share: launches, every policy of threads and copies,
 * planted faults. */
#ifndef CATC_TESTS_EMULATOR_H
#define CATC_TESTS_EMULATOR_H

#include <stdint.h>
#include <stdio.h>

#include "catlass_c/backend/host/launch.h"
#include "check.h"
#include "policies.h"

static char report[16384];

/* `kernel` of type void(const void *), as CATC_KERNEL makes it. */
static inline enum catc_status launch(void (*kernel)(const void *), const char *name, const void *params,
                                      int64_t blocks, int threads, int smem_bytes)
{
    struct catc_host_launch l = {(catc_kernel_fn)kernel, name, params, blocks, threads, smem_bytes};
    return catc_host_launch(&l, report, sizeof report);
}
#define LAUNCH(kernel, params, blocks, threads, smem) launch(kernel, #kernel, params, blocks, threads, smem)
#define FAILS(kernel, params, threads, smem, part) \
    do { \
        CHECK(LAUNCH(kernel, params, 1, threads, smem) == CATC_HOST_FAILURE); \
        CHECK_HAS(report, part); \
    } while (0)

static uint32_t random_state = 1;
static inline uint32_t random_u32(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* A line that a kernel notes before a planted fault, and the check that the report names it. */
static CATC_UNUSED int fault_line;
#define FAULT_HERE() ((void)(fault_line = __LINE__ + 1))
#define HAS_LINE(line) \
    do { \
        char place_[1024]; \
        snprintf(place_, sizeof place_, "%s:%d", __FILE__, (line)); \
        CHECK_HAS(report, place_); \
    } while (0)

#endif /* CATC_TESTS_EMULATOR_H */
