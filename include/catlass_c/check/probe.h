/* SPDX-License-Identifier: Apache-2.0
 *
 * check/probe.h: what the probe program prints for an instance: one JSON object and a newline. Only that program, which
 * is generated, includes this. */
#ifndef CATC_CHECK_PROBE_H
#define CATC_CHECK_PROBE_H

#include <stddef.h>
#include <stdio.h>

#include "catlass_c/base.h"

/* One rule with its numbers; a table of them is much cheaper to compile than code that tests each. */
struct catc_probe_rule {
    const char *id, *sentence;
    long long holds, value, limit;
};

/* numbers: threads, bytes of shared memory, registers of a thread, alignment of A, B, C and D. */
static CATC_UNUSED void catc_probe_print(FILE *out, const char *name, const long long *numbers,
                                         const struct catc_probe_rule *rules, size_t n_rules)
{
    const char *separator = "";
    fprintf(out,
            "{\"name\": \"%s\", \"threads\": %lld, \"smem_bytes\": %lld, \"regs_per_thread\": %lld, \"align\": [%lld, "
            "%lld, %lld, %lld], \"failed\": [",
            name, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
    for (size_t i = 0; i < n_rules; ++i) {
        if (!rules[i].holds) {
            fprintf(out, "%s{\"id\": \"%s\", \"value\": %lld, \"limit\": %lld, \"sentence\": \"%s\"}", separator,
                    rules[i].id, rules[i].value, rules[i].limit, rules[i].sentence);
            separator = ", ";
        }
    }
    fprintf(out, "]}\n");
}

#endif /* CATC_CHECK_PROBE_H */
