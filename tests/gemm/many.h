/* SPDX-License-Identifier: Apache-2.0
 *
 * many.h: a registry of 500 made-up descriptors, for selection alone: there are no kernels. One group has 128 candidates
 * of all skeletons (bf16, tn, no chain), the others share the rest: the types, layouts and chains of a large build. */
#ifndef CATC_TESTS_GEMM_MANY_H
#define CATC_TESTS_GEMM_MANY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catlass_c/catlass_c.h"

enum { MANY = 500, MANY_LARGE = 128, MANY_GROUPS_MAX = 64 };

struct many {
    struct catc_gemm_instance instances[MANY];
    const struct catc_gemm_instance *table[MANY];
    uint64_t keys[MANY]; /* of table[i] */
    char names[MANY][128];
    struct catc_gemm_group groups[MANY_GROUPS_MAX];
    struct catc_registry registry;
    uint64_t random;
};

/* A number below n; the same sequence on every machine. */
static int many_random(struct many *r, int n)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((r->random >> 33) % (uint64_t)n);
}

static const struct {
    int n;
    const char *name[2];
    enum catc_epi_kind kind[2];
} many_chains[] = {{0, {NULL, NULL}, {CATC_EPI_NONE, CATC_EPI_NONE}},
                   {1, {"bias", NULL}, {CATC_EPI_COL, CATC_EPI_NONE}},
                   {2, {"bias", "gelu"}, {CATC_EPI_COL, CATC_EPI_NONE}},
                   {2, {"bias", "add"}, {CATC_EPI_COL, CATC_EPI_TILE}},
                   {2, {"bias", "tap"}, {CATC_EPI_COL, CATC_EPI_TAP}}};
enum { MANY_CHAINS = sizeof many_chains / sizeof many_chains[0] };

/* Sizes that the rules of the skeletons would allow, near enough. */
static void many_tile(struct many *r, struct catc_gemm_instance *i)
{
    int const element = (int)catc_type_size(i->type_a);
    i->cluster_m = i->cluster_n = i->min_blocks = 1;
    i->align_a = i->align_b = element;
    i->align_c = i->align_d = (int)catc_type_size(i->type_d);
    if (i->skeleton == CATC_GEMM_SM90) {
        bool const in_turn = many_random(r, 2);
        i->schedule = in_turn ? CATC_PINGPONG : CATC_COOPERATIVE;
        i->tile_m = 64 * (1 + many_random(r, in_turn ? 2 : 4));
        int const consumers = in_turn ? 2 : i->tile_m == 64 ? 1 : i->tile_m == 192 ? 3 : 2;
        int const rows = in_turn ? i->tile_m : i->tile_m / consumers; /* of a consumer */
        i->tile_n = 16 * (1 + many_random(r, rows == 128 || consumers == 3 ? 11 : 16));
        i->tile_k = 64 << many_random(r, 2);
        i->cluster_m = 1 + many_random(r, 2);
        i->stages = 2 + many_random(r, 4);
        i->threads = 128 * (1 + consumers);
        i->smem_bytes = i->stages * (i->tile_m + i->tile_n) * i->tile_k * element + consumers * 16384 + 1024;
        i->align_a = i->align_b = i->align_c = 16;
        i->regs_per_thread = 65536 / i->threads > 255 ? 255 : 65536 / i->threads / 8 * 8;
        i->targets[0] = 901;
        return;
    }
    i->targets[0] = 800, i->targets[1] = 900, i->targets[2] = -800;
    i->swap = many_random(r, 4) == 0;
    if (i->skeleton == CATC_GEMM_SM80) {
        i->schedule = CATC_MULTISTAGE;
        i->warp_m = 16 << many_random(r, 3), i->warp_n = 16 << many_random(r, 3);
        i->tile_m = i->warp_m << many_random(r, 2), i->tile_n = i->warp_n << many_random(r, 3);
        i->tile_k = 32 << many_random(r, 2), i->stages = 2 + many_random(r, 5);
        i->threads = i->tile_m / i->warp_m * (i->tile_n / i->warp_n) * 32;
        i->smem_bytes = i->stages * (i->tile_m + i->tile_n) * i->tile_k * element;
    } else {
        i->schedule = CATC_SIMT;
        i->thread_m = 4 << many_random(r, 2), i->thread_n = 4 << many_random(r, 2);
        i->warp_m = i->thread_m * 4, i->warp_n = i->thread_n * 8;
        i->tile_m = i->warp_m << many_random(r, 3), i->tile_n = i->warp_n << many_random(r, 2);
        i->tile_k = 8 << many_random(r, 2), i->stages = 2 + many_random(r, 2);
        i->threads = i->tile_m / i->warp_m * (i->tile_n / i->warp_n) * 32;
        i->smem_bytes = 4 * i->stages * i->tile_k * (i->tile_m + i->tile_n + 8);
    }
    i->regs_per_thread = 65536 / i->threads > 255 ? 255 : 65536 / i->threads;
}

static void many_make(struct many *r, int at)
{
    static const enum catc_type types[] = {CATC_BF16, CATC_F16, CATC_F32};
    struct catc_gemm_instance *const i = &r->instances[at];
    int chain = 0;
    memset(i, 0, sizeof *i);
    i->backend = CATC_HOST;
    i->type_a = CATC_BF16, i->layout = CATC_TN;
    if (at >= MANY_LARGE) {
        int const which = 1 + (at - MANY_LARGE) % 44; /* 45 groups with the large one: types x layouts x chains */
        i->type_a = types[which % 3];
        i->layout = (enum catc_layout)(1 + which / 3 % 4);
        chain = which / 12 % MANY_CHAINS;
    }
    i->type_b = i->type_d = i->type_a;
    i->type_acc = CATC_F32;
    int const kind = i->type_a == CATC_F32 ? 0 : many_random(r, 8);
    i->skeleton = kind < 2 ? CATC_GEMM_SIMT : kind < 6 || i->layout != CATC_TN ? CATC_GEMM_SM80 : CATC_GEMM_SM90;
    many_tile(r, i);
    i->n_epi = many_chains[chain].n;
    uint32_t ops[2];
    for (int e = 0; e < i->n_epi; ++e) {
        i->epi[e].name = many_chains[chain].name[e];
        i->epi[e].kind = many_chains[chain].kind[e];
        i->epi[e].type = i->epi[e].kind == CATC_EPI_NONE ? CATC_TYPE_NOT_GIVEN
                         : many_random(r, 3) == 0        ? CATC_F32 /* refused where operands have D's type */
                                                         : i->type_d;
        ops[e] = catc_op_id(i->epi[e].name);
    }
    snprintf(r->names[at], sizeof r->names[at], "%s_%s_%s_%dx%dx%d_w%dx%d_t%dx%d_c%dx%d_s%d_%s%s_%d",
             catc_skeleton_name(i->skeleton), catc_type_name(i->type_a), catc_layout_name(i->layout), i->tile_m,
             i->tile_n, i->tile_k, i->warp_m, i->warp_n, i->thread_m, i->thread_n, i->cluster_m, i->cluster_n,
             i->stages, catc_schedule_name(i->schedule), i->swap ? "_swap" : "", at);
    i->name = r->names[at];
    i->source = "many.h";
    r->table[at] = i;
    r->keys[at] = catc_gemm_key(i->type_a, i->type_b, i->type_acc, i->type_d, i->layout, i->n_epi, ops);
}

static void many_swap(struct many *r, int x, int y)
{
    const struct catc_gemm_instance *const instance = r->table[x];
    uint64_t const key = r->keys[x];
    r->table[x] = r->table[y], r->keys[x] = r->keys[y];
    r->table[y] = instance, r->keys[y] = key;
}

/* Another order of the descriptors; groups stay sorted by key. */
static void many_shuffle(struct many *r)
{
    for (int at = MANY - 1; at > 0; --at) {
        many_swap(r, at, many_random(r, at + 1));
    }
    for (int at = 1; at < MANY; ++at) { /* insertion sort: keeps the order inside a group */
        for (int x = at; x > 0 && r->keys[x - 1] > r->keys[x]; --x) {
            many_swap(r, x - 1, x);
        }
    }
    int groups = 0;
    for (int at = 0; at < MANY; ++at) {
        if (at == 0 || r->keys[at] != r->keys[at - 1]) {
            r->groups[groups++] = (struct catc_gemm_group){r->keys[at], at, 0};
        }
        ++r->groups[groups - 1].count;
    }
    r->registry.gemm[CATC_HOST] = (struct catc_gemm_table){r->groups, groups, r->table, MANY};
}

static void many_open(struct many *r)
{
    memset(r, 0, sizeof *r);
    r->random = 20261130;
    r->registry.name = "many";
    for (int at = 0; at < MANY; ++at) {
        many_make(r, at);
    }
    many_shuffle(r);
}

/* A problem for selection only: shaped pointers that nothing reads, far apart. */
static struct catc_gemm_args many_problem(const struct many *r, enum catc_type type, enum catc_layout layout, int64_t m,
                                          int64_t n, int64_t k, int chain)
{
    struct catc_gemm_args g;
    int64_t const room = (int64_t)1 << 48;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k;
    g.type_a = type, g.layout = layout;
    g.a = (const void *)(intptr_t)(1 * room);
    g.b = (const void *)(intptr_t)(2 * room);
    g.d = (void *)(intptr_t)(3 * room);
    for (; g.n_epi < many_chains[chain].n; ++g.n_epi) {
        g.epi[g.n_epi].op = catc_op_id(many_chains[chain].name[g.n_epi]);
        g.epi[g.n_epi].ptr = (const void *)(intptr_t)((4 + g.n_epi) * room);
        g.epi[g.n_epi].out = (void *)(intptr_t)((6 + g.n_epi) * room);
    }
    g.backend = CATC_HOST;
    g.registry = &r->registry;
    return g;
}

#endif /* CATC_TESTS_GEMM_MANY_H */
