/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_select.h: from a problem to an instance: legality, then the tuned table, then the cost model, first in
 * table order on a tie. Deterministic, no allocation. Implementation only. */
#ifndef CATC_OPS_GEMM_SELECT_H
#define CATC_OPS_GEMM_SELECT_H

#include <stdlib.h>

#include "catlass_c/ops/gemm_tuned.h"

struct catc_gemm_choice {
    const struct catc_gemm_instance *instance;
    struct catc_gemm_cost cost;       /* of this instance, also where the tuned table chose it */
    struct catc_gemm_neighbour tuned; /* entry NULL: the cost model chose */
    int candidates;                   /* instances with the types, layout and chain asked for */
    int refused;                      /* of those */
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
            device->tensor_flop_clk_sm <= 0) {
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

/* Called for every candidate: NULL status sentence when it is legal. */
typedef void (*catc_gemm_visit_)(void *context, const struct catc_gemm_instance *instance, enum catc_status status,
                                 const struct catc_gemm_cost *cost, const char *sentence);

static enum catc_status catc_gemm_choose_(struct catc_gemm_choice *choice, struct catc_gemm_problem *problem,
                                          const struct catc_device *device, catc_gemm_visit_ visit, void *context,
                                          struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    uint64_t const key = catc_gemm_key_of_(g);
    enum catc_status first_refusal = CATC_OK;
    char sentence[CATC_SENTENCE] = "", refusal[CATC_SENTENCE] = "";
    memset(choice, 0, sizeof *choice);
    for (const struct catc_registry *registry = g->registry; registry; registry = registry->base) {
        const struct catc_gemm_table *const table = &registry->gemm[g->backend];
        const struct catc_gemm_group *const group = catc_gemm_group_(table, key);
        for (int i = 0; group && i < group->count; ++i) {
            const struct catc_gemm_instance *const instance = table->instances[group->first + i];
            struct catc_text buffer = catc_text_open(sentence, sizeof sentence);
            enum catc_status const status = catc_gemm_legal_(instance, problem, device, &buffer);
            struct catc_gemm_cost cost;
            memset(&cost, 0, sizeof cost);
            ++choice->candidates;
            if (status == CATC_OK) {
                cost = catc_gemm_cost_(instance, g, device);
                if (!choice->instance || cost.cycles < choice->cost.cycles) {
                    choice->instance = instance;
                    choice->cost = cost;
                }
            } else {
                ++choice->refused;
                /* an argument that is wrong is wrong for all: it comes first */
                if (first_refusal == CATC_OK || (status == CATC_INVALID_ARGUMENT && first_refusal != status)) {
                    first_refusal = status;
                    memcpy(refusal, sentence, sizeof refusal);
                }
            }
            if (visit) {
                visit(context, instance, status, &cost, sentence);
            }
        }
    }
    if (choice->instance) {
        choice->tuned = catc_gemm_nearest_(problem, device, key, CATC_TUNED_BOUND, true);
        if (choice->tuned.entry) {
            choice->instance = choice->tuned.entry->instance;
            choice->cost = catc_gemm_cost_(choice->instance, g, device);
        }
        return CATC_OK;
    }
    if (choice->candidates > 0) {
        return catc_say(text, first_refusal, "%s", refusal);
    }
    catc_say(
        text, CATC_NOT_SUPPORTED,
        "gemm: %s x %s -> %s, layout=%s, n_epi=%d must have a built instance on backend %s; catc_gemm_explain gives "
        "the YAML line that adds one",
        catc_type_name(g->type_a), catc_type_name(g->type_b), catc_type_name(g->type_d), catc_layout_name(g->layout),
        g->n_epi, catc_backend_name(g->backend));
    return CATC_NOT_SUPPORTED;
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
        char step[64] = "by the cost model";
        if (choice->tuned.entry) {
            snprintf(step, sizeof step, "from the tuned table at distance %.3f",
                     catc_tuned_distance_(choice->tuned.ratio));
        }
        fprintf(file,
                "catlass_c: gemm %lldx%lldx%lld batch=%lld %s on %s: %s %s (%d of %d candidates legal, model %.0f "
                "cycles)\n",
                (long long)g->m, (long long)g->n, (long long)g->k, (long long)g->batch, catc_layout_name(g->layout),
                device->name, choice->instance->name, step, choice->candidates - choice->refused, choice->candidates,
                choice->cost.cycles);
        if (file != stderr) {
            fclose(file);
        }
    }
}

static enum catc_status catc_gemm_select_(struct catc_gemm_choice *choice, struct catc_gemm_problem *problem,
                                          const struct catc_device *device, struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    if (g->instance) {
        CATC_TRY(catc_gemm_legal_(g->instance, problem, device, text));
        memset(choice, 0, sizeof *choice);
        choice->instance = g->instance;
        choice->candidates = 1;
        choice->cost = catc_gemm_cost_(g->instance, g, device);
        return CATC_OK;
    }
    CATC_TRY(catc_gemm_choose_(choice, problem, device, NULL, NULL, text));
    /* operand defaults (leading dimensions of the chain) as the chosen instance sees them */
    CATC_TRY(catc_gemm_legal_(choice->instance, problem, device, text));
    catc_gemm_log_(g, choice, device);
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
