/* SPDX-License-Identifier: Apache-2.0
 *
 * check/probe.inst.h: the last include of a parameter file when CATC_PROBE is defined. Defines
 *   static void catc_probe_<NAME>(FILE *out)
 * which prints one JSON object and a newline: the derived numbers and every rule that fails. A skeleton's check file
 * gives CATC_CHECK_RULES and the CATC_C_* numbers. */
static void CATC_PASTE(catc_probe_, CATC_P_NAME)(FILE *out)
{
    const char *separator = "";
    fprintf(
        out,
        "{\"name\": \"%s\", \"threads\": %lld, \"smem_bytes\": %lld, \"regs_per_thread\": %lld, \"align\": [%d, %d, "
        "%d, %d], \"failed\": [",
        CATC_P_NAME_STRING, (long long)(CATC_C_THREADS), (long long)(CATC_C_SMEM_BYTES),
        (long long)(CATC_C_REGS_PER_THREAD), (int)(CATC_C_ALIGN_A), (int)(CATC_C_ALIGN_B), (int)(CATC_C_ALIGN_C),
        (int)(CATC_C_ALIGN_D));
#define CATC_RULE_PROBE(id, condition, value, limit, sentence) \
    if (!(condition)) { \
        fprintf(out, "%s{\"id\": \"%s\", \"value\": %lld, \"limit\": %lld, \"sentence\": \"%s\"}", separator, #id, \
                (long long)(value), (long long)(limit), sentence); \
        separator = ", "; \
    }
    CATC_CHECK_RULES(CATC_RULE_PROBE)
#undef CATC_RULE_PROBE
    fprintf(out, "]}\n");
}
#include "catlass_c/check/end.inst.h"
