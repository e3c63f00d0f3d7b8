/* SPDX-License-Identifier: Apache-2.0
 *
 * api/registry.c: the generated tables: sorted, complete, without duplicates, every instance found by its name and through
 * its key; ids of operations as codegen and the library compute them. */
#include "catlass_c/instances.h"
#include "gemm/simple.h"

static uint64_t key_of(const struct catc_gemm_instance *i)
{
    uint32_t ops[CATC_EPI_MAX];
    for (int e = 0; e < i->n_epi; ++e) {
        ops[e] = catc_op_id(i->epi[e].name);
    }
    return catc_gemm_key(i->type_a, i->type_b, i->type_acc, i->type_d, i->layout, i->n_epi, ops);
}

static bool is_power_of_two(int value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static void instance(const struct catc_gemm_instance *i, enum catc_backend backend)
{
    CHECK(i->name && strncmp(i->name, catc_skeleton_name(i->skeleton), strlen(catc_skeleton_name(i->skeleton))) == 0);
    CHECK(i->source && strstr(i->source, ".yaml:"));
    CHECK(i->backend == backend && i->kernel != NULL);
    CHECK(i->type_a > 0 && i->type_a < CATC_TYPE_END && i->type_d > 0 && i->type_d < CATC_TYPE_END);
    CHECK(i->threads >= 32 && i->threads <= 1024 && i->threads % 32 == 0);
    CHECK(i->smem_bytes > 0 && i->smem_bytes <= 232448 && i->stages >= 1);
    CHECK(i->regs_per_thread >= 24 && i->regs_per_thread <= 255);
    CHECK(is_power_of_two(i->align_a) && is_power_of_two(i->align_b) && is_power_of_two(i->align_c) &&
          is_power_of_two(i->align_d));
    CHECK(i->targets[0] != 0 && i->targets[CATC_TARGETS_MAX - 1] == 0);
    CHECK(i->n_epi >= 0 && i->n_epi <= CATC_EPI_MAX && i->epi[i->n_epi].name == NULL);
    for (int e = 0; e < i->n_epi; ++e) {
        CHECK(i->epi[e].name && i->epi[e].kind > 0 && i->epi[e].kind < CATC_EPI_KIND_END);
        CHECK(strstr(i->name, i->epi[e].name));
    }
}

static void table(enum catc_backend backend)
{
    const struct catc_gemm_table *const t = &catc_library_registry()->gemm[backend];
    int next = 0;
    CHECK(t->n_instances > 0 && t->n_groups > 0);
    for (int g = 0; g < t->n_groups; ++g) {
        CHECK(g == 0 || t->groups[g - 1].key < t->groups[g].key);
        CHECK(t->groups[g].first == next && t->groups[g].count > 0);
        for (int i = next; i < next + t->groups[g].count && i < t->n_instances; ++i) {
            CHECK(key_of(t->instances[i]) == t->groups[g].key);
        }
        next += t->groups[g].count;
    }
    CHECK(next == t->n_instances);
    for (int i = 0; i < t->n_instances; ++i) {
        const struct catc_gemm_instance *const one = t->instances[i];
        instance(one, backend);
        CHECK(catc_gemm_at(NULL, backend, i) == one);
        /* the first of this name is this one: no duplicate */
        CHECK(catc_gemm_find_in(NULL, backend, one->name) == one);
    }
    CHECK(catc_gemm_at(NULL, backend, t->n_instances) == NULL);
    CHECK(catc_gemm_find_in(NULL, backend, "gemm_simt_none") == NULL && catc_gemm_find_in(NULL, backend, NULL) == NULL);
}

static void defaults(void)
{
    enum catc_backend const usual = CATC_WITH_CUDA ? CATC_CUDA : CATC_HOST;
    const struct catc_gemm_instance *const first = catc_gemm_at(NULL, CATC_BACKEND_NOT_GIVEN, 0);
    CHECK(first != NULL && first == catc_gemm_at(catc_library_registry(), usual, 0));
    CHECK(first && catc_gemm_find(first->name) == first);
    CHECK(strcmp(catc_library_registry()->name, "catlass_c") == 0 && catc_library_registry()->base == NULL);
    CHECK(CATC_WITH_CUDA || catc_library_registry()->gemm[CATC_CUDA].n_instances == 0);
}

static void operations(void)
{
    static const struct {
        uint32_t id;
        const char *name;
    } generated[] = {
        {CATC_OP_BIAS, "bias"},
        {CATC_OP_BIAS_ROW, "bias_row"},
        {CATC_OP_SCALE_COL, "scale_col"},
        {CATC_OP_SCALE_ROW, "scale_row"},
        {CATC_OP_SCALE, "scale"},
        {CATC_OP_ADD, "add"},
        {CATC_OP_MUL, "mul"},
        {CATC_OP_GELU, "gelu"},
        {CATC_OP_GELU_TANH, "gelu_tanh"},
        {CATC_OP_RELU, "relu"},
        {CATC_OP_TAP, "tap"},
        {CATC_OP_AMAX, "amax"},
        {CATC_OP_SILU, "silu"},
        {CATC_OP_SIGMOID, "sigmoid"},
        {CATC_OP_TANH, "tanh"},
        {CATC_OP_CLAMP, "clamp"},
        {CATC_OP_LEAKY_RELU, "leaky_relu"},
        {CATC_OP_HARD_SWISH, "hard_swish"},
        {CATC_OP_RELU_SQUARED, "relu_squared"},
        {CATC_OP_MASK, "mask"},
    };
    for (size_t i = 0; i < sizeof generated / sizeof generated[0]; ++i) {
        CHECK(generated[i].id == catc_op_id(generated[i].name));
    }
    /* published values of FNV-1a */
    CHECK(catc_op_id("") == 0x811c9dc5u && catc_op_id("a") == 0xe40c292cu && catc_op_id("foobar") == 0xbf9cf968u);
    uint32_t const ops[] = {CATC_OP_BIAS, CATC_OP_GELU}, swapped[] = {CATC_OP_GELU, CATC_OP_BIAS};
    CHECK(catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_F32, CATC_TN, 2, ops) !=
          catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_F32, CATC_TN, 2, swapped));
}

static void names(void)
{
    CHECK(strcmp(catc_type_name(CATC_BF16), "bf16") == 0 && strcmp(catc_type_name((enum catc_type)77), "?") == 0);
    CHECK(strcmp(catc_layout_name(CATC_NT), "nt") == 0 && strcmp(catc_layout_name((enum catc_layout)0), "?") == 0);
    CHECK(strcmp(catc_schedule_name(CATC_PINGPONG), "pingpong") == 0);
    CHECK(strcmp(catc_skeleton_name(CATC_GEMM_SM90), "gemm_sm90") == 0);
    CHECK(strcmp(catc_backend_name(CATC_CUDA), "cuda") == 0 && strcmp(catc_epi_kind_name(CATC_EPI_TAP), "TAP") == 0);
    CHECK(catc_type_size(CATC_F32) == 4 && catc_type_size(CATC_F16) == 2 && catc_type_size((enum catc_type)77) == 0);
}

int main(void)
{
    table(CATC_HOST);
    if (CATC_WITH_CUDA) {
        table(CATC_CUDA);
    }
    defaults();
    operations();
    names();
    return check_result();
}
