/* SPDX-License-Identifier: Apache-2.0
 *
 * api/selection_500.c: selection in a registry of 500 descriptors (gemm/many.h), 128 of them in one group: the choice is
 * the cheapest legal one, whatever was left out on the way to it; the order of the descriptors does not matter; nothing
 * is allocated. The program has the implementation in it, to ask every candidate for its cost. */
#define CATC_HOST_RUNTIME_ELSEWHERE
#define CATC_IMPLEMENTATION
#include "gemm/many.h"
#include "gemm/simple.h"

/* ---- allocations are counted --------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
static long allocations;

void *malloc(size_t size)
{
    ++allocations;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    ++allocations;
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    ++allocations;
    return __libc_realloc(old, size);
}

/* ---- problems ------------------------------------------------------------------------------------------------ */

static struct many many, other; /* the same descriptors; the second gets other orders */

/* 1 … 2^bits, the magnitude first. */
static int64_t many_size(struct many *r, int bits)
{
    int64_t const most = (int64_t)1 << many_random(r, bits + 1);
    return 1 + many_random(r, (int)most);
}

/* Sizes, alignments, C, batches and devices of every kind; half of the problems ask the large group. */
static struct catc_gemm_args some_problem(struct many *r, float *beta)
{
    static const enum catc_type types[] = {CATC_BF16, CATC_F16, CATC_F32};
    bool const large = many_random(r, 2) == 0;
    struct catc_gemm_args g =
        many_problem(r, large ? CATC_BF16 : types[many_random(r, 3)],
                     large ? CATC_TN : (enum catc_layout)(1 + many_random(r, CATC_LAYOUT_END - 1)), many_size(r, 14),
                     many_size(r, 14), many_size(r, 14), large ? 0 : many_random(r, MANY_CHAINS));
    int const element = (int)catc_type_size(g.type_a);
    if (many_random(r, 3)) { /* a typical model's sizes */
        g.m = (g.m + 15) / 16 * 16, g.n = (g.n + 127) / 128 * 128, g.k = (g.k + 63) / 64 * 64;
    }
    g.a = (const char *)g.a + (many_random(r, 8) ? 0 : many_random(r, 8) * element);
    g.b = (const char *)g.b + (many_random(r, 10) ? 0 : many_random(r, 8) * element);
    g.d = (char *)g.d + (many_random(r, 10) ? 0 : many_random(r, 8) * element);
    if (many_random(r, 4) == 0) {
        *beta = 1.0f;
        g.beta = beta;
        g.c = (const char *)g.d + ((int64_t)1 << 47) + (many_random(r, 2) ? 0 : element);
    }
    if (many_random(r, 4) == 0) {
        g.batch = 1 + many_random(r, 100);
        g.stride_a = g.m * g.k, g.stride_b = g.k * g.n, g.stride_c = g.stride_d = g.m * g.n;
        for (int e = 0; e < g.n_epi; ++e) { /* only a tap must have one */
            g.epi[e].batch_stride = g.stride_d;
        }
    }
    g.k = many_random(r, 50) ? g.k : 0;
    g.fixed_m = many_random(r, 8) == 0;
    g.device = catc_device_at(many_random(r, CATC_KNOWN_DEVICES));
    return g;
}

/* Every candidate is asked whether it is legal and what it costs; NULL if none is legal. */
static const struct catc_gemm_instance *brute_force(const struct catc_gemm_args *args, int *legal)
{
    struct catc_gemm_problem problem;
    struct catc_text nowhere = catc_text_open(NULL, 0);
    const struct catc_gemm_instance *best = NULL;
    double least = 0;
    *legal = 0;
    CHECK(catc_gemm_problem_(&problem, args, sizeof *args, &nowhere) == CATC_OK);
    struct catc_gemm_workload const w = catc_gemm_workload_(&problem, args->device);
    uint64_t const key = catc_gemm_key_of_(&problem.args);
    for (int at = 0; at < MANY; ++at) {
        const struct catc_gemm_instance *const i = many.table[at];
        struct catc_gemm_cost cost, again;
        if (many.keys[at] != key) {
            continue;
        }
        CHECK(catc_gemm_cost_(&cost, &w, i, HUGE_VAL) && cost.cycles > 0);
        CHECK(!catc_gemm_above_(&w, i, cost.cycles));
        CHECK(catc_gemm_cost_(&again, &w, i, cost.cycles) && again.cycles == cost.cycles); /* a limit is not above it */
        if (catc_gemm_legal_(i, &problem, args->device, &nowhere) != CATC_OK) {
            continue;
        }
        CHECK(catc_gemm_may_run_(i, &problem.args, &w)); /* what is sorted out early is illegal */
        ++*legal;
        if (!best || cost.cycles < least || (cost.cycles == least && strcmp(i->name, best->name) < 0)) {
            best = i;
            least = cost.cycles;
        }
    }
    return best;
}

static void same_as_brute_force(void)
{
    int chosen[CATC_SKELETON_END] = {0}, nothing = 0, distinct = 0;
    const struct catc_gemm_instance *last = NULL;
    for (int p = 0; p < 3000; ++p) {
        float beta = 0.0f;
        int legal = 0;
        struct catc_gemm_args g = some_problem(&many, &beta);
        struct catc_gemm_plan plan;
        const struct catc_gemm_instance *const want = brute_force(&g, &legal);
        if (p % 500 == 0) {
            many_shuffle(&other);
        }
        long const before = allocations;
        enum catc_status const status = catc_gemm_make_plan(&plan, &g);
        const struct catc_gemm_instance *const got = status == CATC_OK ? catc_gemm_plan_instance(&plan) : NULL;
        g.registry = &other.registry;
        enum catc_status const shuffled = catc_gemm_make_plan(&plan, &g);
        const struct catc_gemm_instance *const also = shuffled == CATC_OK ? catc_gemm_plan_instance(&plan) : NULL;
        CHECK(allocations == before);
        CHECK(got == want && status == shuffled);
        CHECK((got == NULL) == (also == NULL) && (!got || strcmp(got->name, also->name) == 0));
        nothing += want == NULL;
        distinct += got != last;
        last = got;
        if (got) {
            ++chosen[got->skeleton];
        }
    }
    /* or the test would prove little */
    CHECK(distinct > 1000 && nothing < 1500);
    CHECK(chosen[CATC_GEMM_SIMT] > 50 && chosen[CATC_GEMM_SM80] > 50 && chosen[CATC_GEMM_SM90] > 25);
    free(malloc(1));
    CHECK(allocations > 0); /* the counter counts */
}

/* The cheapest is refused for what only legality in full sees: a matrix of the chain that TMA cannot take. */
static void refused_winner(void)
{
    struct catc_gemm_args g = many_problem(&many, CATC_BF16, CATC_TN, 4096, 4096, 4096, 0);
    struct catc_gemm_instance wgmma, mma;
    struct catc_registry registry;
    uint32_t const add = catc_op_id("add");
    const struct catc_gemm_instance *const table[] = {&wgmma, &mma};
    struct catc_gemm_group const group = {catc_gemm_key(CATC_BF16, CATC_BF16, CATC_F32, CATC_BF16, CATC_TN, 1, &add), 0,
                                          2};
    g.device = catc_device_find("h200");
    wgmma = mma = *simple_choice(&g);
    CHECK(wgmma.skeleton == CATC_GEMM_SM90);
    wgmma.n_epi = mma.n_epi = 1;
    wgmma.epi[0] = mma.epi[0] = (struct catc_epi_position){"add", CATC_EPI_TILE, CATC_BF16};
    mma.skeleton = CATC_GEMM_SM80; /* any alignment, and slower */
    mma.warp_m = mma.warp_n = 64;
    mma.align_a = mma.align_b = mma.align_c = mma.align_d = 2;
    memset(&registry, 0, sizeof registry);
    registry.gemm[CATC_HOST] = (struct catc_gemm_table){&group, 1, table, 2};
    g.registry = &registry;
    g.n_epi = 1;
    g.epi[0].op = add;
    g.epi[0].ptr = (const char *)g.d + ((int64_t)1 << 47);
    CHECK(simple_choice(&g) == &wgmma);
    g.epi[0].ptr = (const char *)g.epi[0].ptr + 2;
    CHECK(simple_choice(&g) == &mma);
    mma.smem_bytes = 1 << 30; /* nothing is legal: the first reason */
    CHECK(catc_gemm_make_plan(&(struct catc_gemm_plan){{0}}, &g) == CATC_MISALIGNED);
    CHECK_HAS(catc_last_message(), "alignment of add=2");
    mma.smem_bytes = wgmma.smem_bytes; /* an argument that is wrong comes before that */
    wgmma.targets[0] = 800, wgmma.targets[1] = 0;
    g.epi[0].ptr = NULL;
    CHECK(catc_gemm_make_plan(&(struct catc_gemm_plan){{0}}, &g) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "epi[0].ptr=NULL");
}

/* Equal cost: the name decides, in either order. */
static void tie(void)
{
    struct catc_gemm_args g = many_problem(&many, CATC_BF16, CATC_TN, 4096, 4096, 4096, 0);
    g.device = catc_device_find("h200");
    struct catc_gemm_instance first = *simple_choice(&g), second = first;
    first.name = "a", second.name = "b";
    uint64_t const key = catc_gemm_key(CATC_BF16, CATC_BF16, CATC_F32, CATC_BF16, CATC_TN, 0, NULL);
    struct catc_gemm_group const group = {key, 0, 2};
    struct catc_registry registry;
    memset(&registry, 0, sizeof registry);
    g.registry = &registry;
    for (int order = 0; order < 2; ++order) {
        const struct catc_gemm_instance *const table[] = {order ? &second : &first, order ? &first : &second};
        registry.gemm[CATC_HOST] = (struct catc_gemm_table){&group, 1, table, 2};
        CHECK(simple_choice(&g) == &first);
    }
}

int main(void)
{
    unsetenv("CATC_LOG");
    unsetenv("CATC_HOST_DEVICE");
    many_open(&many);
    many_open(&other);
    for (int x = 0; x < 3; ++x) {
        many_shuffle(&other);
    }
    same_as_brute_force();
    refused_winner();
    tie();
    return check_result();
}
