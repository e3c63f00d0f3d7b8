/* SPDX-License-Identifier: Apache-2.0
 *
 * check/probe.inst.h: the last include of a parameter file when CATC_PROBE is defined. Defines
 *   static void catc_probe_<NAME>(FILE *out)
 * which prints the derived numbers and every rule that fails. A skeleton's check file gives CATC_CHECK_RULES and the
 * CATC_C_* numbers. */
#include "catlass_c/check/probe.h"

static void CATC_PASTE(catc_probe_, CATC_P_NAME)(FILE *out)
{
#define CATC_RULE_PROBE(id, condition, value, limit, sentence) {#id, sentence, (condition), (value), (limit)},
    static const struct catc_probe_rule rules[] = {CATC_CHECK_RULES(CATC_RULE_PROBE)};
#undef CATC_RULE_PROBE
    static const long long numbers[] = {CATC_C_THREADS, CATC_C_SMEM_BYTES, CATC_C_REGS_PER_THREAD, CATC_C_ALIGN_A,
                                        CATC_C_ALIGN_B, CATC_C_ALIGN_C,    CATC_C_ALIGN_D};
    catc_probe_print(out, CATC_P_NAME_STRING, numbers, rules, sizeof rules / sizeof rules[0]);
}
#include "catlass_c/check/end.inst.h"
