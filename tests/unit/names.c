/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c: the name and size functions of types.h, and the hashes of registry.h against published FNV-1a values. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "catlass_c/catlass_c.h"
#include "check.h"

#define SAME(got, want) CHECK(strcmp((got), (want)) == 0)

/* Names as this file spells them, so that a change of a list is noticed here: they are in file names, keys and YAML. */
static void test_names(void)
{
    SAME(catc_type_name(CATC_F32), "f32");
    SAME(catc_type_name(CATC_BF16), "bf16");
    SAME(catc_type_name(CATC_F16), "f16");
    SAME(catc_layout_name(CATC_TN), "tn");
    SAME(catc_layout_name(CATC_TT), "tt");
    SAME(catc_layout_name(CATC_NN), "nn");
    SAME(catc_layout_name(CATC_NT), "nt");
    SAME(catc_schedule_name(CATC_SIMT), "simt");
    SAME(catc_schedule_name(CATC_COOPERATIVE), "cooperative");
    SAME(catc_schedule_name(CATC_PINGPONG), "pingpong");
    SAME(catc_skeleton_name(CATC_GEMM_SIMT), "gemm_simt");
    SAME(catc_skeleton_name(CATC_GEMM_SM90), "gemm_sm90");
    SAME(catc_backend_name(CATC_CUDA), "cuda");
    SAME(catc_backend_name(CATC_HOST), "host");
    SAME(catc_epi_kind_name(CATC_EPI_NONE), "NONE");
    SAME(catc_epi_kind_name(CATC_EPI_SCALAR), "SCALAR");
    SAME(catc_epi_kind_name(CATC_EPI_COL), "COL");
    SAME(catc_epi_kind_name(CATC_EPI_ROW), "ROW");
    SAME(catc_epi_kind_name(CATC_EPI_TILE), "TILE");
    SAME(catc_epi_kind_name(CATC_EPI_TAP), "TAP");
    SAME(catc_epi_kind_name(CATC_EPI_REDUCE), "REDUCE");
    SAME(catc_epi_kind_name(CATC_EPI_COORD), "COORD");
    SAME(catc_epi_kind_name(CATC_EPI_PAIR), "PAIR");

    CHECK(catc_type_size(CATC_F32) == 4 && catc_type_size(CATC_BF16) == 2 && catc_type_size(CATC_F16) == 2);
}

/* Inside a list every name is of its own and none is "?"; outside it is "?", and the size 0. */
#define LIST(name, end, type) \
    do { \
        for (int i = 1; i < (int)(end); i++) { \
            CHECK(strcmp(name((type)i), "?") != 0); \
            for (int j = 1; j < i; j++) \
                CHECK(strcmp(name((type)i), name((type)j)) != 0); \
        } \
        const int outside[] = {0, (int)(end), (int)(end) + 1, 1000, -1, INT32_MIN, INT32_MAX}; \
        for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) \
            SAME(name((type)outside[i]), "?"); \
    } while (0)

static void test_lists(void)
{
    LIST(catc_type_name, CATC_TYPE_END, enum catc_type);
    LIST(catc_layout_name, CATC_LAYOUT_END, enum catc_layout);
    LIST(catc_schedule_name, CATC_SCHEDULE_END, enum catc_schedule);
    LIST(catc_skeleton_name, CATC_SKELETON_END, enum catc_skeleton);
    LIST(catc_backend_name, CATC_BACKEND_END, enum catc_backend);
    LIST(catc_epi_kind_name, CATC_EPI_KIND_END, enum catc_epi_kind);
    const int outside[] = {0, (int)CATC_TYPE_END, 1000, -1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        CHECK(catc_type_size((enum catc_type)outside[i]) == 0);
}

/* Tokens paste to the same enumerators, sizes and layouts. */
static void test_tokens(void)
{
    CHECK((int)CATC_TYPE_bf16 == (int)CATC_BF16 && (int)CATC_SIZEOF_bf16 == 2 && (int)CATC_SIZEOF_f32 == 4);
    CHECK((int)CATC_LAYOUT_nt == (int)CATC_NT && (int)CATC_SCHEDULE_simt == (int)CATC_SIMT);
    CHECK((int)CATC_SKELETON_gemm_sm90 == (int)CATC_GEMM_SM90);
    CHECK((int)CATC_LAYOUT_A_KCONTIG_tn == 1 && (int)CATC_LAYOUT_B_KCONTIG_tn == 1);
    CHECK((int)CATC_LAYOUT_A_KCONTIG_tt == 1 && (int)CATC_LAYOUT_B_KCONTIG_tt == 0);
    CHECK((int)CATC_LAYOUT_A_KCONTIG_nn == 0 && (int)CATC_LAYOUT_B_KCONTIG_nn == 1);
    CHECK((int)CATC_LAYOUT_A_KCONTIG_nt == 0 && (int)CATC_LAYOUT_B_KCONTIG_nt == 0);
}

/* The test vectors of the authors' own program. */
static void test_op_id(void)
{
    CHECK(catc_op_id("") == 0x811c9dc5u);
    CHECK(catc_op_id("a") == 0xe40c292cu);
    CHECK(catc_op_id("b") == 0xe70c2de5u);
    CHECK(catc_op_id("foobar") == 0xbf9cf968u);
    CHECK(catc_op_id("\xff") == (0x811c9dc5u ^ 0xffu) * 0x01000193u); /* a byte, whatever the sign of char is */
    CHECK(catc_op_id("gelu") != catc_op_id("gelu_tanh"));
}

static uint64_t fnv1a_64(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static void test_key(void)
{
    /* first the function of this file itself */
    CHECK(fnv1a_64("") == UINT64_C(0xcbf29ce484222325) && fnv1a_64("a") == UINT64_C(0xaf63dc4c8601ec8c));
    CHECK(fnv1a_64("foobar") == UINT64_C(0x85944171f73967e8));

    const uint32_t chain[] = {catc_op_id("bias"), catc_op_id("gelu"), 0x0000beefu};
    char text[96];
    CHECK(catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_F32, CATC_TN, 0, NULL) == fnv1a_64("f32,f32,f32,f32,tn"));
    snprintf(text, sizeof text, "bf16,f16,f32,f32,nt,%08x,%08x,0000beef", (unsigned)chain[0], (unsigned)chain[1]);
    CHECK(catc_gemm_key(CATC_BF16, CATC_F16, CATC_F32, CATC_F32, CATC_NT, 3, chain) == fnv1a_64(text));

    /* no two combinations of types, layout and chains of up to two operations share a key */
    static uint64_t keys[3 * 3 * 3 * 4 * 13];
    const char *const ops[] = {"bias", "gelu", "add"};
    size_t n = 0;
    for (int a = 1; a < (int)CATC_TYPE_END; a++)
        for (int b = 1; b < (int)CATC_TYPE_END; b++)
            for (int d = 1; d < (int)CATC_TYPE_END; d++)
                for (int layout = 1; layout < (int)CATC_LAYOUT_END; layout++)
                    for (int c = 0; c < 13; c++) { /* none, 3 of one, 9 of two */
                        const uint32_t ids[] = {catc_op_id(ops[c < 4 ? (c + 2) % 3 : (c - 4) / 3]),
                                                catc_op_id(ops[(c + 2) % 3])};
                        keys[n++] = catc_gemm_key((enum catc_type)a, (enum catc_type)b, CATC_F32, (enum catc_type)d,
                                                  (enum catc_layout)layout,
                                                  c == 0  ? 0
                                                  : c < 4 ? 1
                                                          : 2,
                                                  ids);
                    }
    CHECK(n == sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            CHECK(keys[i] != keys[j]);
}

int main(void)
{
    test_names();
    test_lists();
    test_tokens();
    test_op_id();
    test_key();
    return check_result();
}
