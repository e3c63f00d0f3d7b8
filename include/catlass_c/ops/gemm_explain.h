/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_explain.h: the selection in words. Implementation only. */
#ifndef CATC_OPS_GEMM_EXPLAIN_H
#define CATC_OPS_GEMM_EXPLAIN_H

#include "catlass_c/ops/gemm_select.h"

static const char *catc_gemm_limit_name_(enum catc_gemm_limit limit)
{
    switch (limit) {
    case CATC_LIMIT_MATH: return "math";
    case CATC_LIMIT_SHARED: return "shared memory";
    case CATC_LIMIT_L2: return "L2";
    case CATC_LIMIT_DRAM: return "device memory";
    case CATC_LIMIT_LATENCY: return "latency";
    case CATC_LIMIT_EDGES: return "launch and store";
    }
    return "?";
}

/* What the table of candidates is made from. */
struct catc_gemm_table_view {
    struct catc_gemm_problem *problem;
    const struct catc_device *device;
    struct catc_gemm_workload workload;
    uint64_t key;
};

/* The candidate that comes after `last` (NULL: the first of all) in the order of the cost model; NULL at the end. Nothing
 * is stored: each call looks at all of them. */
static const struct catc_gemm_instance *catc_gemm_after_(const struct catc_gemm_table_view *v,
                                                         const struct catc_gemm_instance *last,
                                                         const struct catc_registry **registry,
                                                         struct catc_gemm_cost *cost)
{
    const struct catc_gemm_args *const g = &v->problem->args;
    struct catc_gemm_walk walk = catc_gemm_walk_(g, false);
    const struct catc_gemm_instance *i, *best = NULL;
    const struct catc_registry *const last_registry = *registry;
    double const last_cycles = cost->cycles;
    bool passed = false; /* the registry of `last`: behind it, equal cost comes later */
    while ((i = catc_gemm_next_(&walk, g->backend, v->key))) {
        struct catc_gemm_cost now;
        (void)catc_gemm_cost_(&now, &v->workload, i, HUGE_VAL);
        passed = passed || walk.registry == last_registry;
        bool const after = !last || now.cycles > last_cycles ||
                           (now.cycles == last_cycles && passed &&
                            (walk.registry != last_registry || strcmp(i->name, last->name) > 0));
        if (after && (!best || catc_gemm_before_(now.cycles, walk.registry, i, cost->cycles, *registry, best))) {
            best = i;
            *registry = walk.registry;
            *cost = now;
        }
    }
    return best;
}

/* Legal candidates in the order of the cost model, then the others with their reasons. */
static void catc_gemm_explain_table_(struct catc_text *text, const struct catc_gemm_table_view *v, int width)
{
    const struct catc_gemm_args *const g = &v->problem->args;
    const struct catc_gemm_instance *i = NULL;
    const struct catc_registry *registry = NULL;
    struct catc_gemm_cost cost;
    struct catc_gemm_walk walk = catc_gemm_walk_(g, false);
    char reason[CATC_SENTENCE] = "";
    bool title = false;
    memset(&cost, 0, sizeof cost);
    while ((i = catc_gemm_after_(v, i, &registry, &cost))) {
        struct catc_text nowhere = catc_text_open(NULL, 0);
        if (catc_gemm_legal_(i, v->problem, v->device, &nowhere) == CATC_OK) {
            if (!title) {
                catc_text_add(text, "  verdict  %-*s  predicted  limited by        waves  blocks/SM  useful\n",
                              width + 1, "instance");
                title = true;
            }
            catc_text_add(text, "  legal    %s:%*s  %6.1f us  %-16s  %5.0f  %9d  %5.0f%%\n", i->name,
                          width - (int)strlen(i->name), "", cost.cycles / v->device->clock_mhz,
                          catc_gemm_limit_name_(cost.limit), cost.waves, cost.blocks_per_sm, 100.0 * cost.useful);
        }
    }
    while ((i = catc_gemm_next_(&walk, g->backend, v->key))) {
        char sentence[CATC_SENTENCE] = "";
        struct catc_text buffer = catc_text_open(sentence, sizeof sentence);
        if (catc_gemm_legal_(i, v->problem, v->device, &buffer) != CATC_OK) {
            size_t const name = strlen(i->name); /* most reasons begin with it */
            const char *const why = strncmp(sentence, i->name, name) == 0 ? sentence + name + strlen(": ") : sentence;
            catc_text_add(text, "  refused  %s: %s\n", i->name, strcmp(why, reason) == 0 ? "the same" : why);
            memmove(reason, why, strlen(why) + 1);
        }
    }
}

static void catc_gemm_explain_entry_(struct catc_text *text, const struct catc_gemm_neighbour *near)
{
    const struct catc_gemm_tuned *const entry = near->entry;
    catc_text_add(text, "  tuned    %lld x %lld x %lld, batch %lld, %s: distance %.3f", (long long)entry->m,
                  (long long)entry->n, (long long)entry->k, (long long)entry->batch, entry->instance->name,
                  catc_tuned_distance_(near->ratio));
}

/* What the tuned tables say: the entry that is used, and the nearest one if it is not used. */
static void catc_gemm_explain_tuned_(struct catc_text *text, struct catc_gemm_problem *problem,
                                     const struct catc_device *device, const struct catc_gemm_neighbour *used)
{
    const struct catc_gemm_args *const g = &problem->args;
    struct catc_gemm_neighbour const near =
        catc_gemm_nearest_(problem, device, catc_gemm_key_of_(g), CATC_TUNED_FAR - 1, false);
    if (near.tables == 0) {
        catc_text_add(text, "  tuned    no table for %s with %d SMs and compute capability %d.%d\n", device->name,
                      device->sms, device->cc / 10, device->cc % 10);
    } else if (near.entries == 0) {
        catc_text_add(text, "  tuned    no entry on %s for these types, layout and chain\n", device->name);
    } else if (!near.entry) {
        catc_text_add(text, "  tuned    none of %d entries on %s can be compared: %s\n", near.entries, device->name,
                      g->k == 0      ? "k is 0"
                      : g->batch > 1 ? "this is a batch"
                                     : "all are batches");
    } else if (near.entry != used->entry) {
        char sentence[CATC_SENTENCE] = "";
        struct catc_text reason = catc_text_open(sentence, sizeof sentence);
        catc_gemm_explain_entry_(text, &near);
        if (near.ratio > CATC_TUNED_BOUND) {
            catc_text_add(text, ", not used: more than %.1f\n", catc_tuned_distance_(CATC_TUNED_BOUND));
        } else {
            (void)catc_gemm_legal_(near.entry->instance, problem, device, &reason);
            catc_text_add(text, ", not used: %s\n", sentence);
        }
    }
    if (used->entry) {
        catc_gemm_explain_entry_(text, used);
        catc_text_add(text, ", used\n");
    }
}

/* Names of operations are known only from instances: the registry is searched for one that has the id. */
static const char *catc_gemm_op_name_(const struct catc_gemm_args *g, uint32_t op)
{
    for (int i = 0;; ++i) {
        const struct catc_gemm_instance *const instance = catc_gemm_at(g->registry, g->backend, i);
        if (!instance) {
            return NULL;
        }
        for (int e = 0; e < instance->n_epi; ++e) {
            if (catc_op_id(instance->epi[e].name) == op) {
                return instance->epi[e].name;
            }
        }
    }
}

/* An operation by its name, or by its id if no instance has it; false then. */
static bool catc_gemm_explain_op_(struct catc_text *text, const struct catc_gemm_args *g, uint32_t op)
{
    const char *const name = catc_gemm_op_name_(g, op);
    if (name) {
        catc_text_add(text, "%s", name);
    } else {
        catc_text_add(text, "<operation 0x%08x>", (unsigned)op);
    }
    return name != NULL;
}

/* What is asked and of what device. */
static void catc_gemm_explain_problem_(struct catc_text *text, const struct catc_gemm_args *g,
                                       const struct catc_device *device)
{
    catc_text_add(text, "gemm %lld x %lld x %lld, batch %lld, %s x %s -> %s, %s", (long long)g->m, (long long)g->n,
                  (long long)g->k, (long long)g->batch, catc_type_name(g->type_a), catc_type_name(g->type_b),
                  catc_type_name(g->type_d), catc_layout_name(g->layout));
    for (int e = 0; e < g->n_epi; ++e) {
        catc_text_add(text, "%s", e ? " " : ", chain ");
        catc_gemm_explain_op_(text, g, g->epi[e].op);
    }
    catc_text_add(text, "%s, on %s (%s backend)\n", g->fixed_m ? ", fixed_m (chosen as for 4096 rows)" : "",
                  device->name, catc_backend_name(g->backend));
    catc_text_add(text, "%s: %d SMs, compute capability %d.%d, %d MHz, %.0f GB/s\n", device->name, device->sms,
                  device->cc / 10, device->cc % 10, device->clock_mhz, device->dram_gbs);
}

/* The YAML line of an instance for what is asked: a usual tile of the best skeleton that takes any layout. */
static void catc_gemm_explain_missing_(struct catc_text *text, const struct catc_gemm_args *g)
{
    bool const tensor = g->type_a == g->type_b && catc_type_size(g->type_a) == 2;
    catc_text_add(text, "Add to instances/%s.yaml:\n  - {a: %s, b: %s, d: %s, layout: %s, %s",
                  tensor ? "gemm_sm80" : "gemm_simt", catc_type_name(g->type_a), catc_type_name(g->type_b),
                  catc_type_name(g->type_d), catc_layout_name(g->layout),
                  tensor ? "tile: [128, 128, 32], warp: [64, 32], stages: 4"
                         : "tile: [64, 64, 16], warp: [32, 32], thread: [8, 4], stages: 2");
    for (int e = 0; e < g->n_epi; ++e) {
        catc_text_add(text, "%s", e ? ", " : ", epilogue: [");
        if (catc_gemm_explain_op_(text, g, g->epi[e].op) && g->epi[e].type && g->epi[e].type != g->type_d) {
            catc_text_add(text, ".%s", catc_type_name(g->epi[e].type));
        }
    }
    catc_text_add(text, "%s}\n", g->n_epi > 0 ? "]" : "");
}

enum catc_status catc_gemm_explain_sized(const struct catc_gemm_args *args, size_t args_size, char *buffer, size_t size)
{
    struct catc_text text = catc_text_open(buffer, size);
    struct catc_text failure = catc_text_last_();
    struct catc_gemm_problem problem;
    struct catc_gemm_choice choice;
    struct catc_device device;
    enum catc_status status = catc_gemm_problem_(&problem, args, args_size, &failure);
    if (status == CATC_OK) {
        status = catc_backend_built_(problem.args.backend, &failure);
    }
    if (status == CATC_OK && problem.empty) {
        catc_text_add(&text, "nothing to do: m, n or batch is 0\n");
        return CATC_OK;
    }
    if (status == CATC_OK) {
        status = catc_gemm_device_(&device, &problem.args, &failure);
    }
    if (status != CATC_OK) {
        catc_text_add(&text, "%s: %s\n", catc_status_name(status), catc_sentence_);
        return status;
    }
    const struct catc_gemm_args *const g = &problem.args;
    catc_gemm_explain_problem_(&text, g, &device);
    if (g->instance) {
        status = catc_gemm_select_(&choice, &problem, &device, &failure);
        if (status == CATC_OK) {
            catc_text_add(&text, "chosen: %s, because args.instance asks for it\n", g->instance->name);
        } else {
            catc_text_add(&text, "%s: %s\n", catc_status_name(status), catc_sentence_);
        }
        return status;
    }
    struct catc_gemm_table_view const view = {&problem, &device, catc_gemm_workload_(&problem, &device),
                                              catc_gemm_key_of_(g)};
    struct catc_gemm_walk walk = catc_gemm_walk_(g, false);
    const struct catc_gemm_instance *i;
    int candidates = 0, legal = 0, width = 0;
    while ((i = catc_gemm_next_(&walk, g->backend, view.key))) {
        struct catc_text nowhere = catc_text_open(NULL, 0);
        bool const ok = catc_gemm_legal_(i, &problem, &device, &nowhere) == CATC_OK;
        ++candidates;
        legal += ok;
        width = ok && (int)strlen(i->name) > width ? (int)strlen(i->name) : width;
    }
    status = catc_gemm_choose_(&choice, &problem, &device, &failure);
    if (status == CATC_OK && choice.tuned.entry) {
        catc_text_add(&text,
                      "chosen: %s, from the tuned table of %s: the fastest that was measured at nearly these sizes\n",
                      choice.instance->name, device.name);
    } else if (status == CATC_OK) {
        catc_text_add(&text,
                      "chosen: %s, the least time of %d legal candidates in the cost model: %.1f us, limited by %s\n",
                      choice.instance->name, legal, choice.cost.cycles / device.clock_mhz,
                      catc_gemm_limit_name_(choice.cost.limit));
    } else if (candidates > 0) {
        catc_text_add(&text, "%s: no candidate is legal. %s\n", catc_status_name(status), catc_sentence_);
    }
    if (candidates > 0) {
        catc_gemm_explain_tuned_(&text, &problem, &device, &choice.tuned);
        catc_gemm_explain_table_(&text, &view, width);
    } else {
        catc_text_add(&text, "%s: no built instance has these types, layout and chain. ", catc_status_name(status));
        catc_gemm_explain_missing_(&text, g);
    }
    return status;
}

#endif /* CATC_OPS_GEMM_EXPLAIN_H */
