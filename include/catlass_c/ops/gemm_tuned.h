/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_tuned.h: the nearest measured problem in the tuned tables of a device. Implementation only.
 *
 * The distance of two problems is the largest |log2| of the ratios of their m, n, k and batch. One problem and a batch
 * are never near each other; fixed_m leaves m out. Ratios are compared instead of their logarithms, which gives the
 * same order in whole numbers: 16 fraction bits, rounded up, so that only equal sizes have the ratio 1. */
#ifndef CATC_OPS_GEMM_TUNED_H
#define CATC_OPS_GEMM_TUNED_H

#include "catlass_c/ops/gemm_model.h"

#define CATC_TUNED_SAME ((uint64_t)65536)  /* ratio 1: distance 0 */
#define CATC_TUNED_BOUND ((uint64_t)92682) /* ratio sqrt(2): distance 0.5, the farthest that an entry is trusted */
#define CATC_TUNED_FAR UINT64_MAX          /* no ratio: cannot be compared, or above the limit */

struct catc_gemm_neighbour {
    const struct catc_gemm_tuned *entry; /* NULL: none within the limit */
    uint64_t ratio;                      /* between the entry and the problem */
    uint64_t tie;                        /* with fixed_m: between the entry's m and the model's nominal one */
    int tables;                          /* of this device */
    int entries;                         /* looked at: with no limit, all of the problem's group */
};

/* Sizes that an entry may have, smallest and largest. */
struct catc_tuned_window {
    int64_t m[2], n[2], k[2], batch[2];
};

/* All sizes, or those up to 1.5 times away: the bound is sqrt(2), so that comparisons alone leave out most entries. */
static void catc_tuned_range_(int64_t range[2], int64_t size, bool all)
{
    range[0] = all ? 1 : size / 3 * 2;
    range[1] = all || size > INT64_MAX / 2 ? INT64_MAX : size + size / 2;
}

static struct catc_tuned_window catc_tuned_window_(const struct catc_gemm_args *g, bool all)
{
    struct catc_tuned_window window;
    catc_tuned_range_(window.m, g->m, all || g->fixed_m);
    catc_tuned_range_(window.n, g->n, all);
    catc_tuned_range_(window.k, g->k, all);
    catc_tuned_range_(window.batch, g->batch, all);
    if (g->batch > 1) {
        window.batch[0] = window.batch[0] > 2 ? window.batch[0] : 2;
    } else {
        window.batch[1] = 1;
    }
    return window;
}

static bool catc_tuned_inside_(const int64_t range[2], int64_t size)
{
    return size >= range[0] && size <= range[1];
}

/* The larger over the smaller; CATC_TUNED_FAR above `limit`. */
static uint64_t catc_tuned_ratio_(int64_t a, int64_t b, uint64_t limit)
{
    uint64_t large = (uint64_t)(a > b ? a : b), small = (uint64_t)(a > b ? b : a);
    if (large == small) {
        return CATC_TUNED_SAME;
    }
    while (large >> 47) {
        large >>= 1;
        small >>= 1;
    }
    if (small == 0) {
        return CATC_TUNED_FAR;
    }
    uint64_t const up = (large * CATC_TUNED_SAME + small - 1) / small;
    uint64_t const ratio = up > CATC_TUNED_SAME ? up : CATC_TUNED_SAME + 1;
    return ratio <= limit ? ratio : CATC_TUNED_FAR;
}

/* The worst of the ratios; m is the last, for fixed_m to leave out. */
static uint64_t catc_tuned_apart_(const struct catc_gemm_tuned *entry, const struct catc_gemm_args *g, uint64_t limit)
{
    const int64_t pairs[4][2] = {{entry->n, g->n}, {entry->k, g->k}, {entry->batch, g->batch}, {entry->m, g->m}};
    uint64_t worst = CATC_TUNED_SAME;
    for (int i = 0; i < (g->fixed_m ? 3 : 4); ++i) {
        uint64_t const ratio = catc_tuned_ratio_(pairs[i][0], pairs[i][1], limit);
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

/* The first entry of a key with at least n columns, by bisection. */
static int catc_tuned_first_(const struct catc_gemm_tuned_device *table, uint64_t key, int64_t n)
{
    int low = 0, high = table->n_entries;
    while (low < high) {
        int const middle = low + (high - low) / 2;
        const struct catc_gemm_tuned *const entry = &table->entries[middle];
        if (entry->key < key || (entry->key == key && entry->n < n)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The nearest entry within `limit`, of those whose instance is legal if only_legal; the first in table order on a tie,
 * the caller's registry before its bases. */
static struct catc_gemm_neighbour catc_gemm_nearest_(struct catc_gemm_problem *problem,
                                                     const struct catc_device *device, uint64_t key, uint64_t limit,
                                                     bool only_legal)
{
    const struct catc_gemm_args *const g = &problem->args;
    struct catc_tuned_window const window = catc_tuned_window_(g, limit > CATC_TUNED_BOUND);
    struct catc_gemm_neighbour best = {NULL, limit, CATC_TUNED_FAR, 0, 0};
    for (const struct catc_registry *registry = g->registry; registry; registry = registry->base) {
        const struct catc_gemm_tuning *const tuning = &registry->tuned[g->backend];
        for (int d = 0; d < tuning->n_devices; ++d) {
            const struct catc_gemm_tuned_device *const table = &tuning->devices[d];
            if (table->cc != device->cc || table->sms != device->sms || strcmp(table->name, device->name) != 0) {
                continue;
            }
            ++best.tables;
            for (int i = catc_tuned_first_(table, key, window.n[0]); i < table->n_entries; ++i) {
                const struct catc_gemm_tuned *const entry = &table->entries[i];
                if (entry->key != key || entry->n > window.n[1]) {
                    break;
                }
                ++best.entries;
                if (!catc_tuned_inside_(window.k, entry->k) || !catc_tuned_inside_(window.m, entry->m) ||
                    !catc_tuned_inside_(window.batch, entry->batch)) {
                    continue;
                }
                uint64_t const ratio = catc_tuned_apart_(entry, g, best.ratio);
                if (ratio == CATC_TUNED_FAR) {
                    continue;
                }
                /* without m many entries are equally near: the one for the rows that the cost model assumes */
                uint64_t const tie =
                    g->fixed_m ? catc_tuned_ratio_(entry->m, CATC_NOMINAL_M, CATC_TUNED_FAR - 1) : CATC_TUNED_SAME;
                if (best.entry && ratio == best.ratio && tie >= best.tie) {
                    continue;
                }
                struct catc_text nowhere = catc_text_open(NULL, 0);
                if (!only_legal || (best.entry && best.entry->instance == entry->instance) ||
                    catc_gemm_legal_(entry->instance, problem, device, &nowhere) == CATC_OK) {
                    best.entry = entry;
                    best.ratio = ratio;
                    best.tie = tie;
                }
            }
        }
    }
    return best;
}

/* The distance that a ratio stands for, for texts. */
static double catc_tuned_distance_(uint64_t ratio)
{
    int whole = 0, fraction = 0;
    for (; ratio >= 2 * CATC_TUNED_SAME; ratio /= 2) {
        ++whole;
    }
    for (int bit = 0; bit < 16; ++bit) { /* squaring a number doubles its logarithm */
        ratio = ratio * ratio / CATC_TUNED_SAME;
        fraction *= 2;
        if (ratio >= 2 * CATC_TUNED_SAME) {
            ratio /= 2;
            ++fraction;
        }
    }
    return whole + fraction / 65536.0;
}

#endif /* CATC_OPS_GEMM_TUNED_H */
