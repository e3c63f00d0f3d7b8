/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_select.h: from a problem to an instance: the nearest entry of the tuned table whose instance is legal, else
 * the legal candidate that costs least in the model. On a tie the caller's registry comes before its bases, and in one
 * table the name that sorts first. Deterministic, no allocation. Implementation only. */
#ifndef CATC_OPS_GEMM_SELECT_H
#define CATC_OPS_GEMM_SELECT_H

#include <math.h>
#include <stdlib.h>

#include "catlass_c/ops/gemm_tuned.h"

struct catc_gemm_choice {
    const struct catc_gemm_instance *instance;
    struct catc_gemm_cost cost;       /* of this instance; not computed where the tuned table chose it */
    struct catc_gemm_neighbour tuned; /* entry NULL: the cost model chose */
    int candidates;                   /* instances with the types, layout and chain asked for */
};

/* The group of a key in one table, by bisection; NULL if there is none. */
static const struct catc_gemm_group *catc_gemm_group_(const struct catc_gemm_table *table, uint64_t key)
{
    int low = 0, high = table->n_groups;
    while (low < high) {
        int const middle = low + (high - low) / 2;
        if (table->groups[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->n_groups && table->groups[low].key == key ? &table->groups[low] : NULL;
}

static uint64_t catc_gemm_key_of_(const struct catc_gemm_args *g)
{
    uint32_t ops[CATC_EPI_MAX];
    for (int i = 0; i < g->n_epi; ++i) {
        ops[i] = g->epi[i].op;
    }
    return catc_gemm_key(g->type_a, g->type_b, g->type_acc, g->type_d, g->layout, g->n_epi, ops);
}

/* The description that selection works with: the caller's, else the current GPU, else $CATC_HOST_DEVICE. */
static enum catc_status catc_gemm_device_(struct catc_device *device, const struct catc_gemm_args *g,
                                          struct catc_text *text)
{
    if (g->device) {
        *device = *g->device;
        if (!device->name || device->cc <= 0 || device->sms <= 0 || device->smem_per_block <= 0 ||
            device->smem_per_sm <= 0 || device->regs_per_sm <= 0 || device->threads_per_sm <= 0 ||
            device->clock_mhz <= 0 || !(device->dram_gbs > 0) || device->fp32_flop_clk_sm <= 0 ||
            device->tensor_flop_clk_sm <= 0 || !(device->mma_sync_share > 0) || device->l2_bytes_clk <= 0) {
            return catc_say(
                text, CATC_INVALID_ARGUMENT,
                "device: device=%s must have every field set to a positive value; start from catc_device_find()",
                device->name ? device->name : "NULL");
        }
        return CATC_OK;
    }
#if CATC_WITH_CUDA
    if (g->backend == CATC_CUDA) {
        int ordinal;
        return catc_device_current_(device, &ordinal, text);
    }
#endif
    const char *const name = getenv("CATC_HOST_DEVICE");
    const struct catc_device *const known = catc_device_find(name && name[0] ? name : "h200");
    if (!known) {
        return catc_say(
            text, CATC_INVALID_ARGUMENT,
            "CATC_HOST_DEVICE: CATC_HOST_DEVICE=%s must be a known device (a100, h100, h200, l40s, rtx4090, "
            "b200)",
            name);
    }
    *device = *known;
    return CATC_OK;
}

/* The position before the first candidate; catc_gemm_next_ moves on to the next one, NULL at the end: the group of `key`
 * in the problem's registry, then those of its bases. */
struct catc_gemm_walk {
    const struct catc_registry *registry, *next;
    const struct catc_gemm_instance *const *at, *const *end;
    bool backwards; /* in each group; names sort the fastest skeleton last */
};

static struct catc_gemm_walk catc_gemm_walk_(const struct catc_gemm_args *g, bool backwards)
{
    struct catc_gemm_walk const walk = {NULL, g->registry, NULL, NULL, backwards};
    return walk;
}

static inline const struct catc_gemm_instance *catc_gemm_next_(struct catc_gemm_walk *walk, enum catc_backend backend,
                                                               uint64_t key)
{
    while (walk->at == walk->end) {
        if (!walk->next) {
            return NULL;
        }
        walk->registry = walk->next;
        walk->next = walk->registry->base;
        const struct catc_gemm_table *const table = &walk->registry->gemm[backend];
        const struct catc_gemm_group *const group = catc_gemm_group_(table, key);
        if (group) {
            walk->at = table->instances + group->first;
            walk->end = walk->at + group->count;
        }
    }
    return walk->backwards ? *--walk->end : *walk->at++;
}

/* Part of what catc_gemm_legal_ checks, at almost no cost: false only for what it refuses. */
static bool catc_gemm_may_run_(const struct catc_gemm_instance *i, const struct catc_gemm_args *g,
                               const struct catc_gemm_workload *w)
{
    for (int e = 0; e < i->n_epi; ++e) {
        if (i->epi[e].type && i->epi[e].type != (g->epi[e].type ? g->epi[e].type : g->type_d)) {
            return false;
        }
    }
    return i->smem_bytes <= w->device->smem_per_block && i->align_a <= w->align_a && i->align_b <= w->align_b &&
           i->align_c <= w->align_c && i->align_d <= w->align_d && catc_instance_runs_on_(i, w->device);
}

/* Does candidate i come before j? Cost first, then nearness of the registry, then the name. */
static bool catc_gemm_before_(double cost_i, const struct catc_registry *registry_i, const struct catc_gemm_instance *i,
                              double cost_j, const struct catc_registry *registry_j, const struct catc_gemm_instance *j)
{
    if (cost_i != cost_j || registry_i != registry_j) {
        return cost_i < cost_j; /* candidates come registry by registry: on a tie the earlier one stays */
    }
    return strcmp(i->name, j->name) < 0;
}

/* The candidate of least cost: of those that may run, or, if `legal`, of those that catc_gemm_legal_ lets through. */
static void catc_gemm_cheapest_(struct catc_gemm_choice *choice, struct catc_gemm_problem *problem,
                                const struct catc_gemm_workload *w, uint64_t key, bool legal)
{
    struct catc_gemm_walk walk = catc_gemm_walk_(&problem->args, true); /* an early good one spares the others */
    const struct catc_gemm_instance *i, *best = NULL;
    const struct catc_registry *from = NULL;
    double least = HUGE_VAL;
    int candidates = 0;
    while ((i = catc_gemm_next_(&walk, problem->args.backend, key))) {
        struct catc_gemm_cost cost;
        struct catc_text nowhere = catc_text_open(NULL, 0);
        ++candidates;
        if (catc_gemm_above_(w, i, least) || !catc_gemm_may_run_(i, &problem->args, w) ||
            !catc_gemm_cost_(&cost, w, i, least) ||
            (best && !catc_gemm_before_(cost.cycles, walk.registry, i, least, from, best)) ||
            (legal && catc_gemm_legal_(i, problem, w->device, &nowhere) != CATC_OK)) {
            continue;
        }
        best = i;
        from = walk.registry;
        least = cost.cycles;
        choice->cost = cost;
    }
    choice->instance = best;
    choice->candidates = candidates;
}

/* Nothing is legal: the first candidate's reason, but an argument that is wrong is wrong for all and comes first. */
static enum catc_status catc_gemm_refusal_(struct catc_gemm_problem *problem, const struct catc_device *device,
                                           uint64_t key, struct catc_text *text)
{
    const struct catc_gemm_args *const g = &problem->args;
    struct catc_gemm_walk walk = catc_gemm_walk_(g, false);
    const struct catc_gemm_instance *i, *first = NULL;
    while ((i = catc_gemm_next_(&walk, g->backend, key))) {
        struct catc_text nowhere = catc_text_open(NULL, 0);
        first = first ? first : i;
        if (catc_gemm_legal_(i, problem, device, &nowhere) == CATC_INVALID_ARGUMENT) {
            first = i;
            break;
        }
    }
    if (first) {
        return catc_gemm_legal_(first, problem, device, text);
    }
    return catc_say(
        text, CATC_NOT_SUPPORTED,
        "gemm: %s x %s -> %s, layout=%s, n_epi=%d must have a built instance on backend %s; catc_gemm_explain gives "
        "the YAML line that adds one",
        catc_type_name(g->type_a), catc_type_name(g->type_b), catc_type_name(g->type_d), catc_layout_name(g->layout),
        g->n_epi, catc_backend_name(g->backend));
}

static enum catc_status catc_gemm_choose_(struct catc_gemm_choice *choice, struct catc_gemm_problem *problem,
                                          const struct catc_device *device, struct catc_text *text)
{
    uint64_t const key = catc_gemm_key_of_(&problem->args);
    choice->tuned = catc_gemm_nearest_(problem, device, key, CATC_TUNED_BOUND, true);
    if (choice->tuned.entry) {
        choice->instance = choice->tuned.entry->instance;
        return catc_gemm_legal_(choice->instance, problem, device, text);
    }
    struct catc_gemm_workload const w = catc_gemm_workload_(problem, device);
    struct catc_text nowhere = catc_text_open(NULL, 0);
    /* legality is the dear part: the cheapest of all usually is legal */
    catc_gemm_cheapest_(choice, problem, &w, key, false);
    if (choice->instance && catc_gemm_legal_(choice->instance, problem, device, &nowhere) == CATC_OK) {
        return CATC_OK;
    }
    catc_gemm_cheapest_(choice, problem, &w, key, true);
    if (!choice->instance) {
        return catc_gemm_refusal_(problem, device, key, text);
    }
    return catc_gemm_legal_(choice->instance, problem, device, text); /* operand defaults as this instance sees them */
}

/* One line per selection where $CATC_LOG says: stderr, or a path to append to. */
static void catc_gemm_log_(const struct catc_gemm_args *g, const struct catc_gemm_choice *choice,
                           const struct catc_device *device)
{
    const char *const target = getenv("CATC_LOG");
    if (!target || !target[0]) {
        return;
    }
    FILE *const file = strcmp(target, "stderr") == 0 ? stderr : fopen(target, "a");
    if (file) {
        char why[96];
        if (choice->tuned.entry) {
            snprintf(why, sizeof why, "from the tuned table at distance %.3f",
                     catc_tuned_distance_(choice->tuned.ratio));
        } else {
            snprintf(why, sizeof why, "by the cost model, %.1f us, %d candidates",
                     choice->cost.cycles / device->clock_mhz, choice->candidates);
        }
        fprintf(file, "catlass_c: gemm %lldx%lldx%lld batch=%lld %s on %s: %s %s\n", (long long)g->m, (long long)g->n,
                (long long)g->k, (long long)g->batch, catc_layout_name(g->layout), device->name, choice->instance->name,
                why);
        if (file != stderr) {
            fclose(file);
        }
    }
}

static enum catc_status catc_gemm_select_(struct catc_gemm_choice *choice, struct catc_gemm_problem *problem,
                                          const struct catc_device *device, struct catc_text *text)
{
    choice->instance = problem->args.instance;
    if (choice->instance) {
        return catc_gemm_legal_(choice->instance, problem, device, text);
    }
    CATC_TRY(catc_gemm_choose_(choice, problem, device, text));
    catc_gemm_log_(&problem->args, choice, device);
    return CATC_OK;
}

/* ---- look-up by name and position ----------------------------------------------------------------------------- */

static enum catc_backend catc_backend_or_default_(enum catc_backend backend)
{
    return backend > CATC_BACKEND_NOT_GIVEN && backend < CATC_BACKEND_END ? backend
           : CATC_WITH_CUDA                                               ? CATC_CUDA
                                                                          : CATC_HOST;
}

const struct catc_gemm_instance *catc_gemm_at(const struct catc_registry *registry, enum catc_backend backend, int i)
{
    enum catc_backend const which = catc_backend_or_default_(backend);
    for (registry = registry ? registry : catc_library_registry(); registry && i >= 0; registry = registry->base) {
        const struct catc_gemm_table *const table = &registry->gemm[which];
        if (i < table->n_instances) {
            return table->instances[i];
        }
        i -= table->n_instances;
    }
    return NULL;
}

const struct catc_gemm_instance *catc_gemm_find_in(const struct catc_registry *registry, enum catc_backend backend,
                                                   const char *name)
{
    for (int i = 0; name; ++i) {
        const struct catc_gemm_instance *const instance = catc_gemm_at(registry, backend, i);
        if (!instance || strcmp(instance->name, name) == 0) {
            return instance;
        }
    }
    return NULL;
}

const struct catc_gemm_instance *catc_gemm_find(const char *name)
{
    return catc_gemm_find_in(NULL, CATC_BACKEND_NOT_GIVEN, name);
}

#endif /* CATC_OPS_GEMM_SELECT_H */
