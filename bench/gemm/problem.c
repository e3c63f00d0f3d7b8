/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <stdio.h>
#include <string.h>

#include "say.h"

static size_t padded(double bytes)
{
    return ((size_t)bytes + 255) / 256 * 256;
}

/* The kind of an operation is a fact of its header; instances carry it into the registry. */
static const struct catc_epi_position *find_operation(const char *name)
{
    const struct catc_gemm_instance *instance;
    for (int i = 0; (instance = catc_gemm_at(NULL, CATC_CUDA, i)) != NULL; ++i) {
        for (int e = 0; e < instance->n_epi; ++e) {
            if (strcmp(instance->epi[e].name, name) == 0) {
                return &instance->epi[e];
            }
        }
    }
    return NULL;
}

/* One position of the chain: "bias" or "bias.f32". */
static bool add_position(struct bench_problem *p, const char *word)
{
    struct catc_gemm_args *const g = &p->args;
    const struct bench_shape *const s = &p->shape;
    char name[64];
    const char *const dot = strchr(word, '.');
    snprintf(name, sizeof name, "%.*s", (int)(dot ? dot - word : (long)strlen(word)), word);
    const struct catc_epi_position *const known = find_operation(name);
    enum catc_type const type = dot ? bench_type(dot + 1) : CATC_TYPE_NOT_GIVEN;
    if (!known) {
        return bench_fail(
            "epilogue: operation=%s must be in the chain of a built cuda instance; add it to CATC_INSTANCES", name);
    }
    if (dot && !type) {
        return bench_fail("epilogue: type=%s must be f32, bf16 or f16", dot + 1);
    }
    if (g->n_epi == CATC_EPI_MAX) {
        return bench_fail("epilogue: chain=%s must have at most %d operations", s->chain, (int)CATC_EPI_MAX);
    }
    int const e = g->n_epi++;
    double const size = (double)catc_type_size(type ? type : s->type_d);
    double const m = (double)s->m, n = (double)s->n, tile = m * n * (double)s->batch * size;
    double bytes = 0;
    g->epi[e].op = catc_op_id(name);
    g->epi[e].type = type;
    p->kind[e] = known->kind;
    switch (known->kind) {
    case CATC_EPI_COL: bytes = n * size; break;
    case CATC_EPI_ROW: bytes = m * size; break;
    case CATC_EPI_TILE:
    case CATC_EPI_TAP:
        bytes = tile;
        g->epi[e].batch_stride = s->batch > 1 ? s->m * s->n : 0;
        break;
    case CATC_EPI_REDUCE: bytes = sizeof(uint32_t); break;
    default: /* values given by the caller: a factor, or the two limits of an interval */
        g->epi[e].a = known->kind == CATC_EPI_SCALAR ? 0.5f : -1.0f;
        g->epi[e].b = 1.0f;
        break;
    }
    p->bytes_epi[e] = padded(bytes);
    p->bytes += bytes;
    *(known->kind == CATC_EPI_TAP || known->kind == CATC_EPI_REDUCE ? &p->set_out : &p->set_in) += p->bytes_epi[e];
    return true;
}

bool bench_problem_make(struct bench_problem *p, const struct bench_shape *s)
{
    struct catc_gemm_args *const g = &p->args;
    double const m = (double)s->m, n = (double)s->n, k = (double)s->k, batch = (double)s->batch;
    double const size_a = (double)catc_type_size(s->type_a), size_d = (double)catc_type_size(s->type_d);
    char chain[BENCH_CHAIN], *rest = chain;
    memset(p, 0, sizeof *p);
    p->shape = *s;
    if (bench_matrix_bytes(s) > 0x1p40) {
        return bench_fail("shape: %lldx%lldx%lld, batch %lld must take at most 1 TiB", (long long)s->m, (long long)s->n,
                          (long long)s->k, (long long)s->batch);
    }
    p->flop = bench_flop(s);
    p->bytes = bench_matrix_bytes(s);
    p->bytes_a = padded(m * k * batch * size_a);
    p->bytes_b = padded(k * n * batch * size_a);
    p->bytes_d = padded(m * n * batch * size_d);
    p->elements_d = s->m * s->n * s->batch;
    p->set_in = p->bytes_a + p->bytes_b;
    p->set_out = p->bytes_d;
    g->m = s->m, g->n = s->n, g->k = s->k;
    g->batch = s->batch > 1 ? s->batch : 0;
    g->layout = s->layout;
    g->type_a = s->type_a, g->type_d = s->type_d;
    g->backend = CATC_CUDA;
    if (s->batch > 1) {
        g->stride_a = s->m * s->k, g->stride_b = s->k * s->n, g->stride_d = s->m * s->n;
    }
    memcpy(chain, s->chain, sizeof chain);
    for (char *word = strtok_r(chain, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (!add_position(p, word)) {
            return false;
        }
    }
    return true;
}

struct catc_gemm_args bench_problem_place(const struct bench_problem *p, char *in, char *out)
{
    struct catc_gemm_args g = p->args;
    g.a = in, in += p->bytes_a;
    g.b = in, in += p->bytes_b;
    g.d = out, out += p->bytes_d;
    for (int e = 0; e < g.n_epi; ++e) {
        if (p->kind[e] == CATC_EPI_TAP || p->kind[e] == CATC_EPI_REDUCE) {
            g.epi[e].out = out, out += p->bytes_epi[e];
        } else if (p->bytes_epi[e]) {
            g.epi[e].ptr = in, in += p->bytes_epi[e];
        }
    }
    return g;
}

int bench_problem_sets(const struct bench_problem *p, int64_t l2_bytes)
{
    size_t const set = p->set_in + p->set_out;
    size_t const sets = (2 * (size_t)l2_bytes + set - 1) / set + 1;
    return sets > BENCH_SETS_MAX ? (int)BENCH_SETS_MAX : (int)sets;
}
