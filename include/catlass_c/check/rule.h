/* SPDX-License-Identifier: Apache-2.0
 *
 * check/rule.h: what a rule of legality becomes. check/<skeleton>.h lists
 *   CATC_RULE(id, condition, value, limit, "must …; what to change")
 * over constants only. In a skeleton a rule is a static assertion (C cannot print a computed value, so the message
 * names the instance and the rule); in the probe it is a line of the table from which the command line and code
 * generation make their sentences. The value is the parameter named in the sentence. */
#ifndef CATC_CHECK_RULE_H
#define CATC_CHECK_RULE_H

#include "catlass_c/base.h"
#include "catlass_c/types.h"

#define CATC_RULE_ASSERT(id, condition, value, limit, sentence) \
    CATC_STATIC_ASSERT(condition, CATC_P_NAME_STRING ": " #id ": " sentence);

/* Positions of a chain: (0 CATC_P_EPI_LIST(CATC_RULE_COUNT)). */
#define CATC_RULE_COUNT(i, op, kind, type) +1

/* Rules of every skeleton with an epilogue chain; the last of its list. */
#define CATC_RULES_OF_CHAIN(CATC_RULE) \
    CATC_RULE(n_epi, CATC_P_N_EPI <= CATC_EPI_MAX, CATC_P_N_EPI, CATC_EPI_MAX, \
              "epilogue must have at most 8 operations; make the chain shorter") \
    CATC_RULE(epi_list, CATC_P_N_EPI == (0 CATC_P_EPI_LIST(CATC_RULE_COUNT)), CATC_P_N_EPI, \
              (0 CATC_P_EPI_LIST(CATC_RULE_COUNT)), \
              "n_epi must be the length of the epilogue list; generate the parameter file again")

#endif /* CATC_CHECK_RULE_H */
