/* SPDX-License-Identifier: Apache-2.0
 *
 * api/explain.c: the selection in words: the chosen instance, each refusal with its reason, the YAML line for a chain that
 * is not built; cut and terminated in a small buffer; the status is the one that the call would return. */
#include "gemm/simple.h"

static char text[65536];

static void chosen(void)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 300, 200, 100);
    const struct catc_gemm_instance *const i = simple_choice(&g), *other;
    char line[512];
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    CHECK(i != NULL);
    snprintf(line, sizeof line, "chosen: %s", i ? i->name : "?");
    CHECK_HAS(text, line);
    CHECK_HAS(text, "h200");
    CHECK_HAS(text, "300 x 200 x 100");
    for (int at = 0; (other = catc_gemm_at(NULL, CATC_HOST, at)); ++at) { /* every candidate has its line */
        if (other->type_a == CATC_F32 && other->type_d == CATC_F32 && other->layout == CATC_TN && other->n_epi == 0) {
            CHECK_HAS(text, other->name);
        }
    }
    g.instance = i;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    CHECK_HAS(text, "args.instance");
    g.instance = NULL;
    g.m = 0;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    CHECK_HAS(text, "nothing to do");
}

/* Legal candidates stand in the order of the cost model, the chosen one first, in columns. */
static void table(void)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 300, 200, 100);
    const struct catc_gemm_instance *const i = simple_choice(&g);
    double last = 0.0;
    size_t width = 0;
    int rows = 0;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    CHECK_HAS(text, "limited by");
    CHECK_HAS(text, ", tn, on h200 (host backend)\nh200: 132 SMs, compute capability 9.0, 1830 MHz, 4800 GB/s\n");
    for (const char *line = text; (line = strstr(line, "  legal    ")); ++rows) {
        char name[256], limit[32];
        double us = 0.0;
        size_t const length = strcspn(line, "\n");
        CHECK(sscanf(line, " legal %255[^:]: %lf us %31[a-zA-Z2 ]", name, &us, limit) == 3);
        CHECK(rows > 0 || (i && strcmp(name, i->name) == 0));
        CHECK(us > 0.0 && us >= last);
        CHECK(width == 0 || length == width);
        last = us;
        width = length;
        line += length;
    }
    CHECK(rows >= 3);
    g.n_epi = 2;
    g.epi[0].op = CATC_OP_BIAS, g.epi[1].op = CATC_OP_GELU;
    g.epi[0].ptr = g.c;
    g.fixed_m = 1;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    CHECK_HAS(text, ", tn, chain bias gelu, fixed_m (chosen as for 4096 rows), on h200 (host");
}

/* Candidates that cannot run here are listed with the reason. */
static void refused(void)
{
    struct catc_gemm_args g = simple_fake(CATC_BF16, CATC_TN, 512, 512, 512);
    const struct catc_gemm_instance *i;
    char line[512];
    int sm90 = 0;
    g.device = catc_device_find("a100");
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    for (int at = 0; (i = catc_gemm_at(NULL, CATC_HOST, at)); ++at) {
        if (i->skeleton == CATC_GEMM_SM90 && i->type_a == CATC_BF16 && i->type_d == CATC_BF16 && i->n_epi == 0 &&
            i->layout == CATC_TN) {
            /* the reason once, for neighbours in the list that share it */
            snprintf(line, sizeof line, "refused  %s: %s", i->name, sm90 ? "the same\n" : "device=a100");
            CHECK_HAS(text, line);
            ++sm90;
        }
    }
    if (sm90) { /* a view that is off by one element */
        g.device = NULL;
        g.a = (const char *)g.a + 2;
        CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
        CHECK_HAS(text, "refused  gemm_sm90");
        CHECK_HAS(text, "alignment of a=2");
        CHECK(!strstr(text, "chosen: gemm_sm90") && strstr(text, "chosen: "));
    }
    g = simple_fake(CATC_F32, CATC_TN, 64, 64, 64);
    g.lda = 1;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(text, "CATC_INVALID_ARGUMENT");
    CHECK_HAS(text, "lda=1");
    g.lda = 0;
    g.n_epi = 1;
    g.epi[0].op = CATC_OP_BIAS; /* without its operand: every candidate refuses */
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(text, "epi[0].ptr=NULL");
    CHECK_HAS(text,
              "no candidate is legal. epi[0].ptr: epi[0].ptr=NULL must point at the operand of bias (COL); pass its "
              "address\n");
}

static void missing(void)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 64, 64, 64);
    static const char *const op[] = {"gelu", "bias", "gelu", "add"};
    for (; g.n_epi < 4; ++g.n_epi) {
        g.epi[g.n_epi].op = catc_op_id(op[g.n_epi]);
        g.epi[g.n_epi].ptr = g.c;
    }
    CHECK(catc_gemm(&g) == CATC_NOT_SUPPORTED);
    CHECK_HAS(catc_last_message(), "catc_gemm_explain");
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_NOT_SUPPORTED);
    CHECK_HAS(text, "instances/gemm_simt.yaml");
    CHECK_HAS(text, "- {a: f32, b: f32, d: f32, layout: tn, tile: [");
    CHECK_HAS(text, "epilogue: [gelu, bias, gelu, add]}");
    g.epi[1].type = CATC_BF16;
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_NOT_SUPPORTED);
    CHECK_HAS(text, "epilogue: [gelu, bias.bf16, gelu, add]}");
    g.epi[3].op = 0x12345678u; /* an operation that no instance has */
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_NOT_SUPPORTED);
    CHECK_HAS(text, "<operation 0x12345678>");
    g.n_epi = 0;
    g.type_d = CATC_F16; /* types that no instance has */
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_NOT_SUPPORTED);
    CHECK_HAS(text, "- {a: f32, b: f32, d: f16, layout: tn");
    g.type_a = CATC_F16, g.type_d = CATC_BF16; /* one for the tensor cores */
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_NOT_SUPPORTED);
    CHECK_HAS(text, "instances/gemm_sm80.yaml");
    CHECK_HAS(text, "- {a: f16, b: f16, d: bf16, layout: tn, tile: [128, 128, 32], warp: [64, 32], stages: 4}\n");
}

static void small_buffer(void)
{
    struct catc_gemm_args const g = simple_fake(CATC_F32, CATC_TN, 64, 64, 64);
    char small[512];
    CHECK(catc_gemm_explain(&g, text, sizeof text) == CATC_OK);
    size_t const length = strlen(text);
    CHECK(length > 100);
    for (size_t size = 1; size <= 120; ++size) {
        size_t const fits = size - 1 < length ? size - 1 : length;
        memset(small, '#', sizeof small);
        CHECK(catc_gemm_explain(&g, small, size) == CATC_OK);
        CHECK(strlen(small) == fits && memcmp(small, text, fits) == 0);
        CHECK(small[size] == '#' && small[sizeof small - 1] == '#');
    }
    memset(small, '#', sizeof small);
    CHECK(catc_gemm_explain(&g, small, 0) == CATC_OK && small[0] == '#');
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_OK);
}

int main(void)
{
    simple_needs_default_set();
    unsetenv("CATC_HOST_DEVICE");
    chosen();
    table();
    refused();
    missing();
    small_buffer();
    return check_result();
}
