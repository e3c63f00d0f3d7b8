/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_names.h: how sentences name the fields of a chain's positions, as constants: a call that succeeds formats
 * nothing. Implementation only. */
#ifndef CATC_OPS_GEMM_NAMES_H
#define CATC_OPS_GEMM_NAMES_H

#include "catlass_c/registry.h"

#define CATC_EPI_NAMES(i) \
    { \
        "epi[" #i "]", "epi[" #i "].ptr", "epi[" #i "].out", "epi[" #i "].ld", "epi[" #i "].batch_stride" \
    }

static const struct catc_epi_names {
    const char *position, *ptr, *out, *ld, *batch_stride;
} catc_epi_names_[] = {CATC_EPI_NAMES(0), CATC_EPI_NAMES(1), CATC_EPI_NAMES(2), CATC_EPI_NAMES(3),
                       CATC_EPI_NAMES(4), CATC_EPI_NAMES(5), CATC_EPI_NAMES(6), CATC_EPI_NAMES(7)};
CATC_STATIC_ASSERT(sizeof catc_epi_names_ / sizeof catc_epi_names_[0] == CATC_EPI_MAX,
                   "catc_epi_names_ must name every position of a chain");

#undef CATC_EPI_NAMES

#endif /* CATC_OPS_GEMM_NAMES_H */
