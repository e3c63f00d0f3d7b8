/* SPDX-License-Identifier: Apache-2.0
 *
 * api/tuned.c: the tuned table decides before the cost model, for its own device and for sizes near those measured,
 * with an instance that is legal; catc_gemm_explain says what it said. The numbers here are made up: the tables are
 * the test's own, the instances the library's. */
#include "gemm/simple.h"

static char text[65536];

/* The library's instances without what was measured with them. */
static struct catc_registry plain;

/* The same with a table of measurements. */
struct tuned {
    struct catc_registry registry;
    struct catc_gemm_tuned_device device;
    struct catc_gemm_tuned entries[8];
    uint64_t key;
};

static void tuned_open(struct tuned *t, const struct catc_gemm_instance *i)
{
    memset(t, 0, sizeof *t);
    t->key = catc_gemm_key(i->type_a, i->type_b, i->type_acc, i->type_d, i->layout, 0, NULL);
    t->device = (struct catc_gemm_tuned_device){"h200", 132, 90, t->entries, 0};
    t->registry = plain;
    t->registry.tuned[CATC_HOST] = (struct catc_gemm_tuning){&t->device, 1};
}

static void tuned_add(struct tuned *t, int64_t m, int64_t n, int64_t k, int64_t batch,
                      const struct catc_gemm_instance *i)
{
    t->entries[t->device.n_entries++] = (struct catc_gemm_tuned){t->key, m, n, k, batch, i};
}

static const char *explained(const struct catc_gemm_args *g)
{
    CHECK(catc_gemm_explain(g, text, sizeof text) == CATC_OK);
    return text;
}

static struct catc_gemm_args problem(int64_t m, int64_t n, int64_t k)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, m, n, k);
    g.registry = &plain;
    return g;
}

/* The cost model's choice for a problem, and a legal one that it does not take. */
static const struct catc_gemm_instance *model, *other;

static bool pick(void)
{
    struct catc_gemm_args const g = problem(1024, 512, 256);
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, CATC_HOST, at)); ++at) {
        if (i->type_a == CATC_F32 && i->type_b == CATC_F32 && i->type_d == CATC_F32 && i->layout == CATC_TN &&
            i->n_epi == 0 && i->type_acc == CATC_F32) {
            model = model ? model : simple_choice(&g);
            other = i != model ? i : other;
        }
    }
    return model && other;
}

static void exact_near_and_far(void)
{
    struct tuned t;
    struct catc_gemm_args g = problem(1024, 512, 256);
    tuned_open(&t, other);
    tuned_add(&t, 1024, 512, 256, 1, other);
    CHECK(simple_choice(&g) == model);
    CHECK_HAS(explained(&g), "tuned    no table for h200 with 132 SMs and compute capability 9.0");
    g.registry = &t.registry;
    CHECK(simple_choice(&g) == other && simple_choice(&g) == other);
    CHECK_HAS(explained(&g), "tuned    1024 x 512 x 256, batch 1, ");
    CHECK_HAS(text, "distance 0.000, used");
    CHECK_HAS(text, ", from the tuned table of h200");

    /* sqrt(2) away at most, each way and in each size: 1448 / 1024 is below it, 1449 / 1024 above */
    static const struct {
        int64_t m, n, k;
        bool hit;
    } sizes[] = {{1025, 512, 256, true},    {1448, 512, 256, true}, {1449, 512, 256, false}, {725, 512, 256, true},
                 {724, 512, 256, false},    {1024, 724, 256, true}, {1024, 725, 256, false}, {1024, 363, 256, true},
                 {1024, 362, 256, false},   {1024, 512, 362, true}, {1024, 512, 363, false}, {1024, 512, 182, true},
                 {1024, 512, 181, false},   {1448, 724, 182, true}, {1, 512, 256, false},    {1024, 512, 0, false},
                 {1 << 30, 512, 256, false}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        struct catc_gemm_args near = problem(sizes[s].m, sizes[s].n, sizes[s].k);
        const struct catc_gemm_instance *const by_model = simple_choice(&near);
        near.registry = &t.registry;
        CHECK(simple_choice(&near) == (sizes[s].hit ? other : by_model));
        CHECK((strstr(explained(&near), "from the tuned table") != NULL) == sizes[s].hit);
    }
    g = problem(1025, 512, 256);
    g.registry = &t.registry;
    CHECK_HAS(explained(&g), "distance 0.001, used"); /* not 0: the sizes differ */
    g.m = 2048;
    CHECK_HAS(explained(&g), "distance 1.000, not used: more than 0.5");
    CHECK_HAS(text, "legal candidates in the cost model");
    g.m = 1024 << 10;
    CHECK_HAS(explained(&g), "distance 10.000, not used");
    g.k = 0;
    CHECK_HAS(explained(&g), "none of 1 entries on h200 can be compared: k is 0");
    g.k = 256, g.type_a = CATC_BF16;
    CHECK_HAS(explained(&g), "no entry on h200 for these types, layout and chain");
}

static void nearest(void)
{
    struct tuned t;
    struct catc_gemm_args g = problem(1000, 512, 256);
    tuned_open(&t, other);
    tuned_add(&t, 900, 512, 256, 1, model);
    tuned_add(&t, 1020, 512, 256, 1, other);
    tuned_add(&t, 1300, 512, 256, 1, model);
    g.registry = &t.registry;
    CHECK(simple_choice(&g) == other);
    g.m = 1299;
    CHECK(simple_choice(&g) == model);
    t.entries[0] = t.entries[1]; /* equally near: the first */
    t.entries[1].instance = model;
    g.m = 1020;
    CHECK(simple_choice(&g) == other);
    t.entries[0].key = t.key - 1; /* another group, before and after this one */
    t.entries[2].key = t.key + 1;
    CHECK(simple_choice(&g) == model);
    t.entries[0].key = t.key;
    g.instance = model; /* forced */
    CHECK(simple_choice(&g) == model);

    /* two tables of one device in a chain of registries: the caller's first, unless the base's is nearer */
    struct tuned first;
    tuned_open(&first, other);
    tuned_add(&first, 1020, 512, 256, 1, model);
    first.registry.base = &t.registry;
    g.instance = NULL;
    g.registry = &first.registry;
    CHECK(simple_choice(&g) == model);
    first.entries[0].m = 1021;
    CHECK(simple_choice(&g) == other);
}

/* Against the definition, over a table of random small sizes: these are exact in double. */
static void against_the_definition(void)
{
    enum { ENTRIES = 200 };
    static struct catc_gemm_instance instances[ENTRIES];
    static struct catc_gemm_tuned entries[ENTRIES];
    struct tuned t;
    uint32_t state = 1;
    int hits = 0;
    tuned_open(&t, other);
    for (int e = 0; e < ENTRIES; ++e) { /* sorted by n */
        int64_t size[2];
        for (int i = 0; i < 2; ++i) {
            state = state * 1664525u + 1013904223u;
            size[i] = 1 + (state >> 20) % 40;
        }
        instances[e] = *other;
        entries[e] = (struct catc_gemm_tuned){t.key, size[0], 1 + e / 6, size[1], 1, &instances[e]};
    }
    t.device.entries = entries;
    t.device.n_entries = ENTRIES;
    for (int round = 0; round < 4000; ++round) {
        int64_t size[3];
        double nearest_ratio = 1.41422;
        const struct catc_gemm_instance *want = NULL;
        for (int i = 0; i < 3; ++i) {
            state = state * 1664525u + 1013904223u;
            size[i] = 1 + (state >> 20) % 50;
        }
        struct catc_gemm_args g = problem(size[0], size[1], size[2]);
        g.fixed_m = round % 4 == 3;
        for (int e = 0; e < ENTRIES; ++e) {
            double const ratios[3] = {(double)size[0] / (double)entries[e].m, (double)size[1] / (double)entries[e].n,
                                      (double)size[2] / (double)entries[e].k};
            double worst = 1.0;
            for (int i = g.fixed_m; i < 3; ++i) {
                double const ratio = ratios[i] < 1.0 ? 1.0 / ratios[i] : ratios[i];
                worst = ratio > worst ? ratio : worst;
            }
            bool const better_m = g.fixed_m && want && entries[e].m > entries[want - instances].m;
            if (worst < nearest_ratio - 1e-9 || (want && worst < nearest_ratio + 1e-9 && better_m)) {
                nearest_ratio = worst;
                want = &instances[e];
            }
        }
        const struct catc_gemm_instance *const by_model = simple_choice(&g);
        g.registry = &t.registry;
        CHECK(simple_choice(&g) == (want ? want : by_model));
        hits += want != NULL;
    }
    CHECK(hits > 500 && hits < 3500);
}

static void batches(void)
{
    struct tuned t;
    struct catc_gemm_args g = problem(1024, 512, 256);
    tuned_open(&t, other);
    tuned_add(&t, 1024, 512, 256, 8, other);
    g.registry = &t.registry;
    CHECK(simple_choice(&g) == model);
    CHECK_HAS(explained(&g), "none of 1 entries on h200 can be compared: all are batches");
    g.stride_d = 1024 * 512;
    g.batch = 9;
    CHECK(simple_choice(&g) == other);
    g.batch = 2;
    CHECK_HAS(explained(&g), "distance 2.000, not used");
    t.entries[0].batch = 1;
    CHECK_HAS(explained(&g), "can be compared: this is a batch");
}

static void illegal(void)
{
    struct tuned t;
    struct catc_gemm_args g = problem(1024, 512, 256);
    struct catc_gemm_instance huge = *other;
    huge.name = "huge";
    huge.smem_bytes = 1 << 30;
    tuned_open(&t, other);
    tuned_add(&t, 1024, 512, 256, 1, &huge);
    g.registry = &t.registry;
    CHECK(simple_choice(&g) == model);
    CHECK_HAS(explained(&g), "huge: distance 0.000, not used: huge: smem_bytes=1073741824 must be at most");
    CHECK_HAS(text, "legal candidates in the cost model");
    tuned_add(&t, 1200, 512, 256, 1, other); /* farther away, but it can run */
    CHECK(simple_choice(&g) == other);
    CHECK_HAS(explained(&g), "huge: distance 0.000, not used");
    CHECK_HAS(text, "distance 0.229, used");
    struct catc_gemm_tuned const first = t.entries[0]; /* in the other order, too */
    t.entries[0] = t.entries[1];
    t.entries[1] = first;
    CHECK(simple_choice(&g) == other);

    /* legal or not by the call's own addresses */
    struct catc_gemm_instance aligned = *other;
    aligned.align_a = 16;
    t.entries[1].instance = &aligned;
    CHECK(simple_choice(&g) == &aligned);
    g.a = (const char *)g.a + 4;
    CHECK(simple_choice(&g) == other);
}

static void other_devices(void)
{
    struct tuned t;
    struct catc_gemm_args g = problem(1024, 512, 256);
    struct catc_device mig = *catc_device_find("h200");
    tuned_open(&t, other);
    tuned_add(&t, 1024, 512, 256, 1, other);
    g.registry = &t.registry;
    CHECK(simple_choice(&g) == other);
    const struct catc_device *device;
    for (int d = 0; (device = catc_device_at(d)); ++d) {
        struct catc_gemm_args untuned = problem(1024, 512, 256);
        bool const same = strcmp(device->name, "h200") == 0;
        untuned.device = g.device = device;
        CHECK(simple_choice(&g) == (same ? other : simple_choice(&untuned)));
        CHECK((strstr(explained(&g), "no table for") == NULL) == same);
    }
    mig.sms = 60; /* the same name on a part of the GPU */
    g.device = &mig;
    CHECK_HAS(explained(&g), "no table for h200 with 60 SMs");
    mig.sms = 132;
    CHECK(simple_choice(&g) == other);
    t.device.cc = 89;
    CHECK_HAS(explained(&g), "no table for h200 with 132 SMs and compute capability 9.0");
    t.registry.tuned[CATC_CUDA] = t.registry.tuned[CATC_HOST]; /* another backend's */
    t.registry.tuned[CATC_HOST].n_devices = 0;
    t.device.cc = 90;
    CHECK_HAS(explained(&g), "no table for h200");
}

/* The instance must not depend on m: neither by the distance nor by which entry is taken. */
static void fixed_m(void)
{
    static const int64_t rows[] = {1, 16, 100, 1024, 4096, 100000};
    struct tuned t;
    tuned_open(&t, other);
    tuned_add(&t, 16, 512, 256, 1, model);
    tuned_add(&t, 4000, 512, 256, 1, other); /* the nearest to the rows that the cost model assumes */
    tuned_add(&t, 100000, 512, 256, 1, model);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        struct catc_gemm_args g = problem(rows[r], 512, 256);
        g.registry = &t.registry;
        g.fixed_m = 1;
        CHECK(simple_choice(&g) == other);
        CHECK_HAS(explained(&g), "tuned    4000 x 512 x 256");
        CHECK_HAS(text, "distance 0.000, used");
        g.n = 1024;
        CHECK(strstr(explained(&g), "from the tuned table") == NULL);
        g.n = 512;
        g.fixed_m = 0;
        CHECK((strstr(explained(&g), "from the tuned table") != NULL) ==
              (rows[r] == 16 || rows[r] == 4096 || rows[r] == 100000));
    }
}

static void enormous(void)
{
    int64_t const most = INT64_MAX;
    struct tuned t;
    struct catc_gemm_args g = problem(1, 1, 1);
    tuned_open(&t, other);
    tuned_add(&t, most, most, most, 1, other);
    tuned_add(&t, most, 1, 1, 1, other);
    g.registry = &t.registry;
    CHECK(simple_choice(&g) != NULL);
    CHECK_HAS(explained(&g), "legal candidates in the cost model");
}

int main(void)
{
    unsetenv("CATC_HOST_DEVICE");
    unsetenv("CATC_LOG");
    plain = *catc_library_registry();
    memset(plain.tuned, 0, sizeof plain.tuned);
    if (!pick()) {
        fprintf(stderr, "skipped: fewer than two plain fp32 tn instances are built\n");
        return 77;
    }
    exact_near_and_far();
    nearest();
    against_the_definition();
    batches();
    illegal();
    other_devices();
    fixed_m();
    enormous();
    return check_result();
}
