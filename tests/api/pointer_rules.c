/* SPDX-License-Identifier: Apache-2.0
 *
 * api/pointer_rules.c: who takes arrays of pointers: gemm_sm90 never, forced or chosen, and says why; entries and arrays
 * that cannot be; what an array replaces is not looked at, nor is what it points at compared with anything. */
#include "gemm/simple.h"

enum { PROBLEMS = 4, M = 24, N = 16, K = 8, ELEMENTS = 32 * 32 };

/* The address of the argument for operand x, 0 … 3. */
static const char *const array_name[] = {"a_array", "b_array", "c_array", "d_array"};
static void set_array(struct catc_gemm_args *g, int x, const void *array)
{
    switch (x) {
    case 0: g->a_array = (const void *const *)array; break;
    case 1: g->b_array = (const void *const *)array; break;
    case 2: g->c_array = (const void *const *)array; break;
    default: g->d_array = (void *const *)(uintptr_t)array;
    }
}

static char text[65536];

/* Plan and explain refuse like the call; nothing is written to the plan. */
static void refused(int line, const struct catc_gemm_args *g, enum catc_status status, const char *part)
{
    struct catc_gemm_plan plan, before;
    memset(&plan, 0x33, sizeof plan);
    before = plan;
    enum catc_status const run = catc_gemm(g);
    bool const said = strstr(catc_last_message(), part) && strstr(catc_last_message(), " must ");
    if (run != status || !said) {
        fprintf(stderr, "api/pointer_rules.c:%d: %s: %s (want \"%s\")\n", line, catc_status_name(run),
                catc_last_message(), part);
        ++check_failures;
    }
    CHECK(catc_gemm_make_plan(&plan, g) == status && memcmp(&plan, &before, sizeof plan) == 0);
    CHECK(catc_gemm_explain(g, text, sizeof text) == status);
    CHECK_HAS(text, part);
}

/* Batches of the shapes that gemm_sm90 is made for: with an array for any operand somebody else is chosen. */
static void never_chosen(void)
{
    static const int64_t size[][3] = {{4096, 4096, 4096}, {128, 256, 64}, {1, 8192, 8192}, {1000, 1000, 1000}};
    static float const one = 1.0f;
    const struct catc_gemm_instance *i;
    int sm90 = 0, without = 0;
    for (int at = 0; (i = catc_gemm_at(NULL, CATC_HOST, at)); ++at) {
        sm90 += i->skeleton == CATC_GEMM_SM90 && i->type_a == CATC_BF16 && i->type_d == CATC_BF16 && i->n_epi == 0;
    }
    for (size_t s = 0; s < sizeof size / sizeof size[0]; ++s) {
        for (int fixed_m = 0; fixed_m < 2; ++fixed_m) {
            struct catc_gemm_args g = simple_fake(CATC_BF16, CATC_TN, size[s][0], size[s][1], size[s][2]);
            const void *const pointers[] = {g.d, g.d, g.d, g.d}; /* nothing is launched */
            g.beta = &one;
            g.batch = PROBLEMS;
            g.stride_a = g.stride_b = g.stride_c = g.stride_d = (int64_t)1 << 30;
            g.fixed_m = fixed_m;
            i = simple_choice(&g);
            without += i && i->skeleton == CATC_GEMM_SM90;
            for (int x = 0; x < 4; ++x) {
                struct catc_gemm_args arrays = g;
                char reason[64];
                set_array(&arrays, x, pointers);
                i = simple_choice(&arrays);
                CHECK(i && (i->skeleton == CATC_GEMM_SM80 || i->skeleton == CATC_GEMM_SIMT));
                CHECK(catc_gemm_explain(&arrays, text, sizeof text) == CATC_OK);
                CHECK(strstr(text, "chosen: ") && !strstr(text, "chosen: gemm_sm90"));
                snprintf(reason, sizeof reason, "%s must be NULL (a tensor map describes one", array_name[x]);
                if (sm90) {
                    CHECK_HAS(text, "refused  gemm_sm90");
                    CHECK_HAS(text, reason);
                }
            }
        }
    }
    CHECK(sm90 == 0 || without > 0); /* or these are not the shapes that gemm_sm90 is made for */
}

static void forced(enum catc_backend backend)
{
    struct simple s;
    const struct catc_gemm_instance *i;
    int at = 0;
    while ((i = simple_next_any(backend, &at)) && i->skeleton != CATC_GEMM_SM90) {
    }
    if (!i) {
        printf("%s: there is no gemm_sm90 here to refuse\n", catc_backend_name(backend));
        return;
    }
    simple_open_instance(&s, i, 64, 64, 64, simple_a, simple_b);
    simple_c(&s, 1.0f, simple_one);
    s.args.batch = 1; /* or d_array would make it an empty batch */
    void *const entry[] = {(void *)(uintptr_t)s.args.a, (void *)(uintptr_t)s.args.b, (void *)(uintptr_t)s.args.c,
                           s.args.d};
    for (int x = 0; x < 4; ++x) {
        struct buffer array = buffer_pointers(backend, &entry[x], 1);
        struct catc_gemm_args g = s.args;
        char want[512], sentence[512];
        set_array(&g, x, buffer_use(&array));
        snprintf(want, sizeof want, "%s: %s must be NULL (a tensor map", i->name, array_name[x]);
        refused(__LINE__, &g, CATC_NOT_SUPPORTED, want);
        CHECK(catc_gemm_check(i, &g, sentence, sizeof sentence) == CATC_NOT_SUPPORTED);
        CHECK_HAS(sentence, want);
        CHECK_HAS(sentence, "use gemm_sm80 or gemm_simt");
        simple_download(&s);
        CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
        g.instance = NULL; /* and without force it is done */
        CHECK(i->n_epi > 0 || catc_gemm(&g) == CATC_OK);
        simple_clear(&s);
        buffer_free(&array);
    }
    simple_close(&s);
}

static float memory[4][PROBLEMS][ELEMENTS];

/* A batch in host memory, every operand by array. */
static struct catc_gemm_args batch(void *(*pointers)[PROBLEMS])
{
    static float const two = 2.0f;
    struct catc_gemm_args g;
    memset(&g, 0, sizeof g);
    for (int x = 0; x < 4; ++x) {
        for (int p = 0; p < PROBLEMS; ++p) {
            pointers[x][p] = memory[x][p];
        }
        set_array(&g, x, pointers[x]);
    }
    g.m = M, g.n = N, g.k = K, g.batch = PROBLEMS;
    g.layout = CATC_TN, g.type_a = CATC_F32;
    g.beta = &two;
    g.backend = CATC_HOST;
    return g;
}

static bool untouched(void)
{
    bool same = true;
    for (int p = 0; p < PROBLEMS; ++p) {
        for (int e = 0; e < ELEMENTS; ++e) {
            same = same && memory[3][p][e] == -7.0f;
        }
    }
    return same;
}

/* The host backend's arrays can be looked at before the launch. */
static void entries(void)
{
    void *pointers[4][PROBLEMS];
    char part[64];
    for (int x = 0; x < 4; ++x) {
        struct catc_gemm_args g = batch(pointers);
        pointers[x][3] = NULL;
        snprintf(part, sizeof part, "%s[3]: %s[3]=NULL must", array_name[x], array_name[x]);
        refused(__LINE__, &g, CATC_INVALID_ARGUMENT, part);
        g.batch = 3; /* the fourth is none of this batch */
        CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);

        g = batch(pointers);
        pointers[x][2] = (char *)memory[x][2] + 2;
        snprintf(part, sizeof part, "%s[2]: address=%p must be a multiple of 4 bytes", array_name[x], pointers[x][2]);
        refused(__LINE__, &g, CATC_MISALIGNED, part);

        g = batch(pointers);
        set_array(&g, x, (char *)pointers[x] + 4);
        snprintf(part, sizeof part, "%s: address=%p must be a multiple of 8", array_name[x],
                 (void *)((char *)pointers[x] + 4));
        refused(__LINE__, &g, CATC_MISALIGNED, part);
        CHECK(untouched());
    }
    /* what is not read is not looked at */
    struct catc_gemm_args g = batch(pointers);
    pointers[0][0] = pointers[1][1] = NULL;
    g.k = 0;
    CHECK(catc_gemm(&g) == CATC_OK && !untouched());
    g = batch(pointers);
    pointers[2][2] = NULL;
    g.beta = NULL;
    CHECK(catc_gemm(&g) == CATC_OK);
}

/* Whether matrices behind pointers overlap is the caller's business; what can be seen is still checked. */
static void overlap(void)
{
    void *pointers[4][PROBLEMS];
    struct catc_gemm_plan plan;
    struct catc_gemm_args g = batch(pointers);
    for (int x = 0; x < 4; ++x) {
        for (int p = 0; p < PROBLEMS; ++p) {
            pointers[x][p] = memory[3][0]; /* planned, never launched */
        }
    }
    CHECK(catc_gemm_make_plan(&plan, &g) == CATC_OK);
    g = batch(pointers); /* D by stride, on top of A, B and C by array, and of their bases, which do not count */
    g.d_array = NULL;
    g.d = memory[0][0];
    g.stride_d = ELEMENTS;
    g.a = g.b = g.c = g.d;
    CHECK(catc_gemm_make_plan(&plan, &g) == CATC_OK);
    g.stride_d = N - 1; /* too small, and seen */
    refused(__LINE__, &g, CATC_INVALID_ARGUMENT, "stride_d=15");
    g.stride_d = ELEMENTS;
    g.b_array = NULL;
    refused(__LINE__, &g, CATC_INVALID_ARGUMENT, "with B");
    g = batch(pointers); /* D by array: its base, on top of B, and its stride do not count */
    g.b_array = NULL;
    g.b = memory[1][0];
    g.d = memory[1][0];
    g.stride_d = -1;
    CHECK(catc_gemm_make_plan(&plan, &g) == CATC_OK);
}

/* An array in the caller's own memory, with a GPU: refused, or read where the device can read it. */
static void host_array_on_cuda(void)
{
    struct simple s;
    simple_open(&s, CATC_CUDA, CATC_F32, CATC_TN, M, N, K, simple_a, simple_b);
    const void *const entry[] = {s.args.a};
    s.args.a_array = entry;
    enum catc_status const status = catc_gemm(&s.args);
    CHECK(status == CATC_OK || status == CATC_INVALID_ARGUMENT);
    if (status == CATC_INVALID_ARGUMENT) {
        CHECK_HAS(catc_last_message(), "a_array: address=");
        CHECK_HAS(catc_last_message(), "must be device memory");
    }
    simple_download(&s); /* also: the device is well */
    simple_close(&s);
}

int main(void)
{
    enum catc_backend backend[2];
    simple_needs_default_set();
    unsetenv("CATC_HOST_DEVICE");
    for (int x = 0; x < 4; ++x) {
        for (int p = 0; p < PROBLEMS; ++p) {
            for (int e = 0; e < ELEMENTS; ++e) {
                memory[x][p][e] = x == 3 ? -7.0f : 1.0f;
            }
        }
    }
    never_chosen();
    entries();
    overlap();
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        forced(backend[b]);
    }
    if (backends > 1) {
        host_array_on_cuda();
    }
    return check_result();
}
