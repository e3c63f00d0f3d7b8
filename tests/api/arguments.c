/* SPDX-License-Identifier: Apache-2.0
 *
 * api/arguments.c: every rule of the arguments is kept by run, plan, check and explain alike, its sentence names the
 * argument and the value, and nothing is written. */
#include "gemm/simple.h"

enum { M = 24, N = 16, K = 8, ROOM = 4096 };

static CATC_ALIGNAS(256) unsigned char memory_a[ROOM], memory_b[ROOM], memory_c[ROOM], memory_d[ROOM], memory_e[ROOM];
static float const two = 2.0f, nan_value = NAN;

static struct catc_gemm_args good(enum catc_layout layout)
{
    struct catc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K;
    g.layout = layout;
    g.type_a = CATC_F32;
    g.a = memory_a, g.b = memory_b, g.c = memory_c, g.d = memory_d;
    g.backend = CATC_HOST;
    return g;
}

/* With a chain of one operation. */
static struct catc_gemm_args chained(const char *first, const char *second)
{
    struct catc_gemm_args g = good(CATC_TN);
    const char *const name[] = {first, second};
    for (; g.n_epi < 2 && name[g.n_epi]; ++g.n_epi) {
        g.epi[g.n_epi].op = catc_op_id(name[g.n_epi]);
        g.epi[g.n_epi].ptr = memory_e;
        g.epi[g.n_epi].out = memory_e + ROOM / 2;
    }
    return g;
}

static bool untouched(void)
{
    bool same = true;
    for (int i = 0; i < ROOM; ++i) {
        same = same && memory_d[i] == 0x5a && memory_e[i] == 0;
    }
    return same;
}

static void at(int line, const char *what)
{
    fprintf(stderr, "api/arguments.c:%d: %s\n", line, what);
    ++check_failures;
}

/* All entry points refuse g with this status and a sentence that has both parts. */
static void refused(int line, const struct catc_gemm_args *g, enum catc_status status, const char *name,
                    const char *value)
{
    char text[2048];
    struct catc_gemm_plan plan, before;
    memset(&plan, 0x33, sizeof plan);
    before = plan;
    enum catc_status const run = catc_gemm(g);
    const char *const sentence = catc_last_message();
    if (run != status || !strstr(sentence, name) || !strstr(sentence, value)) {
        fprintf(stderr, "api/arguments.c:%d: got %s \"%s\", want %s with \"%s\" and \"%s\"\n", line,
                catc_status_name(run), sentence, catc_status_name(status), name, value);
        ++check_failures;
    }
    if (!strstr(sentence, " must ")) {
        at(line, "the sentence states no rule");
    }
    if (catc_gemm_make_plan(&plan, g) != status || memcmp(&plan, &before, sizeof plan) != 0) {
        at(line, "plan does not refuse, or writes to the plan");
    }
    if (catc_gemm_explain(g, text, sizeof text) != status || !strstr(text, catc_status_name(status))) {
        at(line, "explain does not say the same");
    }
    if (!untouched()) {
        at(line, "memory was written");
    }
}

#define REFUSE(start, change, status, name, value) \
    do { \
        struct catc_gemm_args g = (start); \
        change; \
        refused(__LINE__, &g, (status), (name), (value)); \
    } while (0)

static void sizes(void)
{
    CHECK(catc_gemm(NULL) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "args=NULL");
    REFUSE(good(CATC_TN), g.m = -1, CATC_INVALID_ARGUMENT, "m:", "m=-1");
    REFUSE(good(CATC_TN), g.n = -5000000000, CATC_INVALID_ARGUMENT, "n:", "n=-5000000000");
    REFUSE(good(CATC_TN), g.k = -3, CATC_INVALID_ARGUMENT, "k:", "k=-3");
    REFUSE(good(CATC_TN), g.batch = -2, CATC_INVALID_ARGUMENT, "batch:", "batch=-2");
    REFUSE(good(CATC_TN), g.m = 0; g.n = -1, CATC_INVALID_ARGUMENT, "n:", "n=-1"); /* negative beats zero */
    REFUSE(good(CATC_TN), g.n_epi = -1, CATC_INVALID_ARGUMENT, "n_epi:", "n_epi=-1");
    REFUSE(good(CATC_TN), g.n_epi = CATC_EPI_MAX + 1, CATC_INVALID_ARGUMENT, "n_epi:", "n_epi=9");
}

/* An enumerator can hold anything: C does not check. */
static void enumerators(void)
{
    REFUSE(good(CATC_TN), g.layout = CATC_LAYOUT_NOT_GIVEN, CATC_INVALID_ARGUMENT, "layout:", "layout=0");
    REFUSE(good(CATC_TN), g.layout = (enum catc_layout)99, CATC_INVALID_ARGUMENT, "layout:", "layout=99");
    REFUSE(good(CATC_TN), g.layout = (enum catc_layout) - 1, CATC_INVALID_ARGUMENT, "layout:", "layout=-1");
    REFUSE(good(CATC_TN), g.type_a = CATC_TYPE_NOT_GIVEN, CATC_INVALID_ARGUMENT, "type_a:", "type_a=0");
    REFUSE(good(CATC_TN), g.type_a = (enum catc_type)99, CATC_INVALID_ARGUMENT, "type_a:", "type_a=99");
    REFUSE(good(CATC_TN), g.type_b = (enum catc_type)98, CATC_INVALID_ARGUMENT, "type_b:", "type_b=98");
    REFUSE(good(CATC_TN), g.type_d = (enum catc_type)97, CATC_INVALID_ARGUMENT, "type_d:", "type_d=97");
    REFUSE(good(CATC_TN), g.type_acc = (enum catc_type)96, CATC_INVALID_ARGUMENT, "type_acc:", "type_acc=96");
    REFUSE(good(CATC_TN), g.backend = (enum catc_backend)95, CATC_INVALID_ARGUMENT, "backend:", "backend=95");
    REFUSE(chained("bias", NULL), g.epi[0].type = (enum catc_type)94, CATC_INVALID_ARGUMENT, "epi type:", "=94");
}

static void leading_dimensions(void)
{
    static float const one = 1.0f; /* C counts only if it is read */
    REFUSE(good(CATC_TN), g.lda = K - 1, CATC_INVALID_ARGUMENT, "lda:", "lda=7 must be at least 8");
    REFUSE(good(CATC_NN), g.lda = M - 1, CATC_INVALID_ARGUMENT, "lda:", "lda=23 must be at least 24");
    REFUSE(good(CATC_TN), g.ldb = K - 1, CATC_INVALID_ARGUMENT, "ldb:", "ldb=7 must be at least 8");
    REFUSE(good(CATC_TT), g.ldb = N - 1, CATC_INVALID_ARGUMENT, "ldb:", "ldb=15 must be at least 16");
    REFUSE(good(CATC_NT), g.ldb = N - 1, CATC_INVALID_ARGUMENT, "ldb:", "ldb=15 must be at least 16");
    REFUSE(good(CATC_TN), (g.beta = &one, g.c = g.d, g.ldc = N - 1), CATC_INVALID_ARGUMENT,
           "ldc:", "ldc=15 must be at least 16");
    REFUSE(good(CATC_TN), g.ldd = N - 1, CATC_INVALID_ARGUMENT, "ldd:", "ldd=15 must be at least 16");
    REFUSE(good(CATC_TN), g.lda = -8, CATC_INVALID_ARGUMENT, "lda:", "lda=-8");
    REFUSE(good(CATC_TN), g.stride_a = -1, CATC_INVALID_ARGUMENT, "stride_a:", "stride_a=-1");
    REFUSE(good(CATC_TN), g.stride_b = -2, CATC_INVALID_ARGUMENT, "stride_b:", "stride_b=-2");
    REFUSE(good(CATC_TN), (g.beta = &one, g.c = g.d, g.stride_c = -3), CATC_INVALID_ARGUMENT,
           "stride_c:", "stride_c=-3");
    REFUSE(good(CATC_TN), g.stride_d = -4, CATC_INVALID_ARGUMENT, "stride_d:", "stride_d=-4");
    REFUSE(good(CATC_TN), g.batch = 2, CATC_INVALID_ARGUMENT, "stride_d:", "stride_d=0");
    REFUSE(good(CATC_TN), g.batch = 2; g.stride_d = N - 1, CATC_INVALID_ARGUMENT, "stride_d:", "stride_d=15");
}

static const char *address(const void *pointer)
{
    static char text[32];
    snprintf(text, sizeof text, "%p", pointer);
    return text;
}

static void pointers(void)
{
    REFUSE(good(CATC_TN), g.d = NULL, CATC_INVALID_ARGUMENT, "d:", "d=NULL");
    REFUSE(good(CATC_TN), g.a = NULL, CATC_INVALID_ARGUMENT, "a:", "a=NULL");
    REFUSE(good(CATC_TN), g.b = NULL, CATC_INVALID_ARGUMENT, "b:", "b=NULL");
    REFUSE(good(CATC_TN), g.c = NULL; g.beta = &two, CATC_INVALID_ARGUMENT, "c:", "c=NULL");
    REFUSE(good(CATC_TN), g.c = NULL; g.beta = &nan_value, CATC_INVALID_ARGUMENT, "c:", "c=NULL");
    REFUSE(good(CATC_TN), g.c = NULL; g.beta = &two; g.scalars_on_device = 1, CATC_INVALID_ARGUMENT, "c:", "c=NULL");
    REFUSE(good(CATC_TN), g.a = memory_a + 1, CATC_MISALIGNED, "a:", address(memory_a + 1));
    REFUSE(good(CATC_TN), g.b = memory_b + 2, CATC_MISALIGNED, "b:", address(memory_b + 2));
    REFUSE(good(CATC_TN), g.c = memory_c + 3; g.beta = &two, CATC_MISALIGNED, "c:", address(memory_c + 3));
    REFUSE(good(CATC_TN), g.d = memory_d + 2, CATC_MISALIGNED, "d:", address(memory_d + 2));
    REFUSE(good(CATC_TN), g.d = memory_d + 1; g.type_a = CATC_BF16, CATC_MISALIGNED, "d:", "2 bytes");
    REFUSE(good(CATC_TN), g.a = memory_d, CATC_INVALID_ARGUMENT, "d:", "with A");
    REFUSE(good(CATC_TN), g.b = memory_d, CATC_INVALID_ARGUMENT, "d:", "with B");
}

/* Batches by arrays of pointers (host memory here, so that entries are looked at too). */
static void pointer_arrays(void)
{
    static const void *const hole[] = {NULL}, *const off[] = {memory_a + 2}, *const fine[] = {memory_a, memory_a};
    static void *const d_hole[] = {NULL}, *const d_off[] = {memory_d + 2};
    const void *const *const off_8 = (const void *const *)(const void *)((const char *)fine + 4);
    REFUSE(good(CATC_TN), g.a_array = hole, CATC_INVALID_ARGUMENT, "a_array[0]:", "a_array[0]=NULL");
    REFUSE(good(CATC_TN), g.b_array = hole, CATC_INVALID_ARGUMENT, "b_array[0]:", "b_array[0]=NULL");
    REFUSE(good(CATC_TN), g.c_array = hole; g.beta = &two, CATC_INVALID_ARGUMENT, "c_array[0]:", "c_array[0]=NULL");
    REFUSE(good(CATC_TN), g.d_array = d_hole; g.batch = 1, CATC_INVALID_ARGUMENT, "d_array[0]:", "d_array[0]=NULL");
    REFUSE(good(CATC_TN), g.a_array = off, CATC_MISALIGNED, "a_array[0]:", address(off[0]));
    REFUSE(good(CATC_TN), g.d_array = d_off; g.batch = 1, CATC_MISALIGNED, "d_array[0]:", address(d_off[0]));
    REFUSE(good(CATC_TN), g.b_array = off_8, CATC_MISALIGNED, "b_array:", address((const void *)off_8));
    REFUSE(good(CATC_TN), g.a_array = fine; g.lda = K - 1, CATC_INVALID_ARGUMENT, "lda:", "lda=7 must be at least 8");
    REFUSE(good(CATC_TN), g.a_array = fine; g.b = NULL, CATC_INVALID_ARGUMENT, "b:", "b=NULL");
    REFUSE(good(CATC_TN), g.a_array = fine; g.batch = 2, CATC_INVALID_ARGUMENT, "stride_d:", "stride_d=0");
    REFUSE(good(CATC_TN), g.d_array = d_hole; g.batch = -1, CATC_INVALID_ARGUMENT, "batch:", "batch=-1");
}

static void chain(void)
{
    REFUSE(chained("bias", NULL), g.epi[0].op = 0, CATC_INVALID_ARGUMENT, "epi[0]:", "op=0");
    REFUSE(chained("bias", NULL), g.epi[0].ptr = NULL, CATC_INVALID_ARGUMENT, "epi[0].ptr:", "=NULL");
    REFUSE(chained("bias", NULL), g.epi[0].ptr = memory_e + 1, CATC_MISALIGNED, "epi[0].ptr:", address(memory_e + 1));
    REFUSE(chained("bias", NULL), g.epi[0].batch_stride = -7, CATC_INVALID_ARGUMENT, "epi[0].batch_stride:", "=-7");
    REFUSE(chained("bias", NULL), g.epi[0].type = CATC_F16, CATC_NOT_SUPPORTED, "epi[0].type", "=f16");
    REFUSE(chained("bias", "add"), g.epi[1].ptr = NULL, CATC_INVALID_ARGUMENT, "epi[1].ptr:", "=NULL");
    REFUSE(chained("bias", "add"), g.epi[1].ld = N - 1, CATC_INVALID_ARGUMENT, "epi[1].ld:", "=15");
    REFUSE(chained("bias", "add"), g.epi[1].ptr = memory_d + 4, CATC_INVALID_ARGUMENT, "epi[1].ptr:", "with D");
    REFUSE(chained("amax", NULL), g.epi[0].out = NULL, CATC_INVALID_ARGUMENT, "epi[0].out:", "=NULL");
    REFUSE(chained("amax", NULL), g.epi[0].out = memory_e + 2, CATC_MISALIGNED, "epi[0].out:", address(memory_e + 2));
    REFUSE(chained("scale", "bias"), g.scalars_on_device = 1;
           g.epi[0].ptr = NULL, CATC_INVALID_ARGUMENT, "epi[0].ptr:", "=NULL");
    REFUSE(chained("hard_swish", "clamp"), g.scalars_on_device = 1;
           g.epi[1].ptr = NULL, CATC_INVALID_ARGUMENT, "epi[1].ptr:", "operand of clamp (PAIR)");
    REFUSE(chained("hard_swish", "clamp"), g.scalars_on_device = 1;
           g.epi[1].ptr = memory_e + 2, CATC_MISALIGNED, "epi[1].ptr:", address(memory_e + 2));

    struct catc_gemm_args tap = chained("bias", "tap");
    tap.epi[2].op = CATC_OP_GELU;
    tap.n_epi = 3;
    REFUSE(tap, g.epi[1].out = NULL, CATC_INVALID_ARGUMENT, "epi[1].out:", "=NULL");
    REFUSE(tap, g.epi[1].ld = 1, CATC_INVALID_ARGUMENT, "epi[1].ld:", "=1");
    REFUSE(tap, g.epi[1].out = memory_d, CATC_INVALID_ARGUMENT, "epi[1].out:", "with D");
    REFUSE(tap, g.batch = 2; g.stride_d = M * N, CATC_INVALID_ARGUMENT, "epi[1].batch_stride:", "batch_stride=0");
}

/* Legal arguments that no built instance fits. */
static void not_supported(void)
{
    const struct catc_device *const a100 = catc_device_find("a100");
    const struct catc_gemm_instance *const f32 = simple_plain(CATC_HOST, CATC_F32, CATC_TN);
    struct catc_gemm_instance large = *f32;
    large.smem_bytes = a100->smem_per_block + 1;
    REFUSE(chained("no_such_operation", NULL), (void)g, CATC_NOT_SUPPORTED, "gemm:", "n_epi=1");
    REFUSE(good(CATC_TN), g.type_acc = CATC_BF16, CATC_NOT_SUPPORTED, "gemm:", "f32");
    REFUSE(good(CATC_TN), g.type_d = CATC_BF16, CATC_NOT_SUPPORTED, "gemm:", "bf16");

    struct catc_gemm_args forced = good(CATC_TN);
    forced.instance = f32;
    REFUSE(forced, g.type_a = CATC_F16, CATC_NOT_SUPPORTED, f32->name, "type_a=f16 must be f32");
    REFUSE(forced, g.type_b = CATC_F16, CATC_NOT_SUPPORTED, f32->name, "type_b=f16 must be f32");
    REFUSE(forced, g.type_d = CATC_F16, CATC_NOT_SUPPORTED, f32->name, "type_d=f16 must be f32");
    REFUSE(forced, g.type_acc = CATC_F16, CATC_NOT_SUPPORTED, f32->name, "type_acc=f16 must be f32");
    REFUSE(forced, g.layout = CATC_NT, CATC_NOT_SUPPORTED, f32->name, "layout=nt must be tn");
    REFUSE(forced, g.n_epi = 1; g.epi[0].op = 1, CATC_NOT_SUPPORTED, f32->name, "n_epi=1 must be 0");
    REFUSE(forced, g.instance = &large; g.device = a100, CATC_NOT_SUPPORTED, f32->name, "smem_bytes=166913");
    memset(large.targets, 0, sizeof large.targets);
    REFUSE(forced, g.instance = &large; g.device = a100, CATC_ARCH_MISMATCH, f32->name, "device=a100");
}

/* The predicate says the same as the call, for a named instance, without launching. */
static void check(void)
{
    char sentence[512];
    const struct catc_gemm_instance *const i = simple_plain(CATC_HOST, CATC_F32, CATC_TN);
    struct catc_gemm_args g = good(CATC_TN);
    CHECK(catc_gemm_check(i, &g, sentence, sizeof sentence) == CATC_OK && sentence[0] == '\0');
    CHECK(catc_gemm_check(i, &g, NULL, 0) == CATC_OK);
    g.lda = 3;
    CHECK(catc_gemm_check(i, &g, sentence, sizeof sentence) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(sentence, "lda=3");
    CHECK(catc_gemm_check(i, &g, sentence, 6) == CATC_INVALID_ARGUMENT && strlen(sentence) == 5);
    CHECK(catc_gemm_check(NULL, &g, sentence, sizeof sentence) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(sentence, "instance=NULL");
    CHECK(untouched());

    size_t bytes = 1;
    CHECK(catc_gemm_workspace_size(&g, &bytes) == CATC_INVALID_ARGUMENT && bytes == 1);
    g.lda = 0;
    CHECK(catc_gemm_workspace_size(&g, NULL) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "bytes=NULL");
    CHECK(catc_gemm_workspace_size(&g, &bytes) == CATC_OK && bytes == 0);
}

int main(void)
{
    simple_needs_default_set();
    unsetenv("CATC_HOST_DEVICE");
    memset(memory_d, 0x5a, sizeof memory_d);
    sizes();
    enumerators();
    leading_dimensions();
    pointers();
    pointer_arrays();
    chain();
    not_supported();
    check();
    return check_result();
}
