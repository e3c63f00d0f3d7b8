/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_explain.h: the selection in words. Implementation only. */
#ifndef CATC_OPS_GEMM_EXPLAIN_H
#define CATC_OPS_GEMM_EXPLAIN_H

#include "catlass_c/ops/gemm_select.h"

static void catc_gemm_explain_one_(void *context, const struct catc_gemm_instance *instance, enum catc_status status,
                                   const struct catc_gemm_cost *cost, const char *sentence)
{
    struct catc_text *const text = (struct catc_text *)context;
    if (status == CATC_OK) {
        catc_text_add(text,
                      "  legal    %s: %.0f cycles (%lld tiles, %lld waves of %d blocks per SM, %.0f%% useful, %s)\n",
                      instance->name, cost->cycles, (long long)cost->tiles, (long long)cost->waves, cost->blocks_per_sm,
                      100.0 * cost->useful, cost->math_cycles > cost->memory_cycles ? "arithmetic" : "memory");
    } else {
        catc_text_add(text, "  refused  %s\n", sentence);
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
    catc_text_add(&text, "gemm %lld x %lld x %lld, batch %lld, %s x %s -> %s, %s, on %s (%s backend)\n",
                  (long long)g->m, (long long)g->n, (long long)g->k, (long long)g->batch, catc_type_name(g->type_a),
                  catc_type_name(g->type_b), catc_type_name(g->type_d), catc_layout_name(g->layout), device.name,
                  catc_backend_name(g->backend));
    if (g->instance) {
        status = catc_gemm_select_(&choice, &problem, &device, &failure);
        if (status == CATC_OK) {
            catc_text_add(&text, "chosen: %s, because args.instance asks for it\n", g->instance->name);
        } else {
            catc_text_add(&text, "%s: %s\n", catc_status_name(status), catc_sentence_);
        }
        return status;
    }
    status = catc_gemm_choose_(&choice, &problem, &device, catc_gemm_explain_one_, &text, &failure);
    if (choice.candidates > 0) {
        catc_gemm_explain_tuned_(&text, &problem, &device, &choice.tuned);
    }
    if (status == CATC_OK && choice.tuned.entry) {
        catc_text_add(&text, "chosen: %s, from the tuned table of %s\n", choice.instance->name, device.name);
    } else if (status == CATC_OK) {
        catc_text_add(&text, "chosen: %s, the least of %d legal candidates in the cost model\n", choice.instance->name,
                      choice.candidates - choice.refused);
    } else if (choice.candidates > 0) {
        catc_text_add(&text, "%s: no candidate is legal\n", catc_status_name(status));
    } else {
        catc_text_add(
            &text,
            "%s: no built instance has these types, layout and chain. Add to instances/gemm_simt.yaml:\n"
            "  - {a: %s, b: %s, d: %s, layout: %s, tile: [64, 64, 16], warp: [32, 32], thread: [8, 4], stages: 2",
            catc_status_name(status), catc_type_name(g->type_a), catc_type_name(g->type_b), catc_type_name(g->type_d),
            catc_layout_name(g->layout));
        if (g->n_epi > 0) {
            catc_text_add(&text, ", epilogue: [");
            for (int e = 0; e < g->n_epi; ++e) {
                const char *const name = catc_gemm_op_name_(g, g->epi[e].op);
                if (name) {
                    catc_text_add(&text, "%s%s", e ? ", " : "", name);
                } else {
                    catc_text_add(&text, "%s<operation 0x%08x>", e ? ", " : "", (unsigned)g->epi[e].op);
                }
                if (name && g->epi[e].type && g->epi[e].type != g->type_d) {
                    catc_text_add(&text, ".%s", catc_type_name(g->epi[e].type));
                }
            }
            catc_text_add(&text, "]");
        }
        catc_text_add(&text, "}\n");
    }
    return status;
}

#endif /* CATC_OPS_GEMM_EXPLAIN_H */
