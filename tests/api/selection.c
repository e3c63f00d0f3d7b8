/* SPDX-License-Identifier: Apache-2.0
 *
 * api/selection.c: which instance is chosen: always the same one, only one that the device can run, for any known device
 * on any machine, by n and k alone with fixed_m, the forced one if one is forced, and from a user's registry as from the
 * library's. */
#include "gemm/simple.h"

static const int64_t shapes[][3] = {{1, 1, 1},        {1, 4096, 4096},    {17, 4096, 512},
                                    {64, 64, 64},     {100, 30, 70},      {128, 128, 128},
                                    {512, 768, 3072}, {4096, 4096, 4096}, {16384, 64, 4096}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static bool compiled_for(const struct catc_gemm_instance *i, int target)
{
    for (int t = 0; t < CATC_TARGETS_MAX && i->targets[t]; ++t) {
        if (i->targets[t] == target) {
            return true;
        }
    }
    return false;
}

static void every_device(void)
{
    int chosen_sm90 = 0, built_sm90 = 0;
    const struct catc_device *device;
    for (int i = 0; catc_gemm_at(NULL, CATC_HOST, i); ++i) {
        built_sm90 += catc_gemm_at(NULL, CATC_HOST, i)->skeleton == CATC_GEMM_SM90 &&
                      catc_gemm_at(NULL, CATC_HOST, i)->n_epi == 0;
    }
    for (int d = 0; (device = catc_device_at(d)); ++d) {
        CHECK(catc_device_find(device->name) == device);
        for (int type = 1; type < CATC_TYPE_END; ++type) {
            for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) {
                for (int s = 0; s < SHAPES && simple_plain(CATC_HOST, (enum catc_type)type, (enum catc_layout)layout);
                     ++s) {
                    struct catc_gemm_args g = simple_fake((enum catc_type)type, (enum catc_layout)layout, shapes[s][0],
                                                          shapes[s][1], shapes[s][2]);
                    g.device = device;
                    const struct catc_gemm_instance *const i = simple_choice(&g);
                    CHECK(i != NULL);
                    if (!i) {
                        continue;
                    }
                    for (int again = 0; again < 3; ++again) {
                        CHECK(simple_choice(&g) == i);
                    }
                    CHECK(i->backend == CATC_HOST && i->type_a == (enum catc_type)type &&
                          i->layout == (enum catc_layout)layout && i->n_epi == 0);
                    CHECK(i->skeleton != CATC_GEMM_SM90 || device->cc == 90);
                    CHECK(!compiled_for(i, 901) || device->cc == 90);
                    CHECK(i->smem_bytes <= device->smem_per_block);
                    chosen_sm90 += i->skeleton == CATC_GEMM_SM90;
                }
            }
        }
    }
    CHECK(chosen_sm90 > 0 || built_sm90 == 0); /* on Hopper it is worth having */
    CHECK(catc_device_find("no such device") == NULL && catc_device_find(NULL) == NULL && catc_device_at(-1) == NULL);
}

static void architecture(void)
{
    const struct catc_gemm_instance *const i = simple_first_of(CATC_HOST, CATC_GEMM_SM90);
    if (!i) {
        return; /* a build without Hopper instances */
    }
    struct catc_gemm_args g = simple_fake_for(i, 512, 512, 512);
    const char *const cannot[] = {"a100", "l40s", "rtx4090", "b200"};
    for (size_t d = 0; d < sizeof cannot / sizeof cannot[0]; ++d) {
        g.device = catc_device_find(cannot[d]);
        CHECK(catc_gemm_make_plan(&(struct catc_gemm_plan){{0}}, &g) == CATC_ARCH_MISMATCH);
        CHECK_HAS(catc_last_message(), cannot[d]);
        CHECK_HAS(catc_last_message(), i->name);
        CHECK_HAS(catc_last_message(), "CATC_ARCHS");
    }
    g.device = catc_device_find("h100");
    CHECK(simple_choice(&g) == i);
}

/* The host backend's device comes from the environment; the argument goes before it. */
static void host_device(void)
{
    struct catc_gemm_args g = simple_fake(CATC_BF16, CATC_TN, 4096, 4096, 4096), given = g;
    const struct catc_gemm_instance *on[2];
    const char *const name[] = {"a100", "h200"};
    for (int d = 0; d < 2; ++d) {
        g.device = catc_device_find(name[d]);
        on[d] = simple_choice(&g);
        CHECK(setenv("CATC_HOST_DEVICE", name[d], 1) == 0);
        CHECK(simple_choice(&given) == on[d]);
    }
    CHECK(setenv("CATC_HOST_DEVICE", "gtx580", 1) == 0);
    CHECK(catc_gemm_make_plan(&(struct catc_gemm_plan){{0}}, &given) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "CATC_HOST_DEVICE=gtx580");
    CHECK(simple_choice(&g) == on[1]);
    CHECK(unsetenv("CATC_HOST_DEVICE") == 0);
    CHECK(simple_choice(&given) == on[1]); /* h200 is the default */
}

static void fixed_m(void)
{
    static const int64_t rows[] = {1, 2, 7, 16, 33, 64, 100, 128, 129, 1000, 4096, 100000};
    int changes = 0;
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        for (int64_t size = 64; size <= 8192; size *= 8) {
            const struct catc_gemm_instance *fixed = NULL, *loose = NULL;
            for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
                struct catc_gemm_args g = simple_fake((enum catc_type)type, CATC_TN, rows[r], size, size);
                const struct catc_gemm_instance *const now = simple_choice(&g);
                g.fixed_m = 1;
                const struct catc_gemm_instance *const i = simple_choice(&g);
                CHECK(i != NULL && (fixed == NULL || i == fixed));
                changes += loose && now != loose;
                fixed = i, loose = now;
            }
        }
    }
    CHECK(changes > 0); /* without it the choice does depend on m, or the check above would prove nothing */

    /* and so the bits of a row do not depend on the others */
    struct simple one, many;
    int different = 0;
    simple_open(&one, CATC_HOST, CATC_F32, CATC_TN, 1, 40, 37, simple_a, simple_b);
    simple_open(&many, CATC_HOST, CATC_F32, CATC_TN, 150, 40, 37, simple_a, simple_b);
    one.args.fixed_m = many.args.fixed_m = 1;
    one.alpha = many.alpha = 0.3f;
    CHECK(simple_run(&one) == CATC_OK && simple_run(&many) == CATC_OK);
    for (int64_t j = 0; j < 40; ++j) {
        different += simple_d(&one, 0, j) != simple_d(&many, 0, j);
    }
    CHECK(different == 0);
    simple_close(&one);
    simple_close(&many);
}

static void forced(void)
{
    const struct catc_gemm_instance *i;
    int count = 0;
    for (int at = 0; (i = simple_next(CATC_HOST, &at)); ++count) { /* also where it is a bad choice */
        struct catc_gemm_args const g = simple_fake_for(i, 1, 4096, 64);
        CHECK(simple_choice(&g) == i);
    }
    CHECK(count > 4);
}

/* A user's table in front of the library's: its own operation, and a better twin of a library's instance. */
static void user_registry(void)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 64, 64, 64);
    struct catc_device untuned = *catc_device_find("h200"); /* the cost model decides */
    untuned.name = "untuned";
    g.device = &untuned;
    g.n_epi = 1;
    g.epi[0].op = CATC_OP_BIAS;
    g.epi[0].ptr = g.c;
    const struct catc_gemm_instance *const library = simple_choice(&g);
    CHECK(library != NULL);
    if (!library) {
        return;
    }
    struct catc_gemm_instance mine = *library, twin = *library;
    mine.name = "user_instance";
    mine.epi[0].name = "users_own";
    twin.name = "user_twin";
    uint32_t const own = catc_op_id("users_own");
    const struct catc_gemm_instance *const table[] = {&mine, &twin};
    uint64_t const key[] = {catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_F32, CATC_TN, 1, &own),
                            catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_F32, CATC_TN, 1, &g.epi[0].op)};
    int const first = key[0] < key[1] ? 0 : 1; /* groups are sorted by key */
    const struct catc_gemm_group groups[] = {{key[first], first, 1}, {key[1 - first], 1 - first, 1}};
    struct catc_registry user;
    memset(&user, 0, sizeof user);
    user.name = "user";
    user.base = catc_library_registry();
    user.gemm[CATC_HOST] = (struct catc_gemm_table){groups, 2, table, 2};

    g.registry = &user;
    CHECK(simple_choice(&g) == &twin); /* equal cost: the first in table order, and the user's table is first */
    twin.tile_k *= 64;                 /* now it wastes most of its work: the library's wins, through the base */
    CHECK(simple_choice(&g) == library);
    g.epi[0].op = own;
    CHECK(simple_choice(&g) == &mine);
    g.registry = NULL;
    CHECK(catc_gemm_make_plan(&(struct catc_gemm_plan){{0}}, &g) == CATC_NOT_SUPPORTED);
    g.registry = &user;
    g.n_epi = 0; /* only the library has it */
    CHECK(simple_choice(&g) != NULL);

    CHECK(catc_gemm_at(&user, CATC_HOST, 0) == &mine && catc_gemm_at(&user, CATC_HOST, 1) == &twin);
    CHECK(catc_gemm_at(&user, CATC_HOST, 2) == catc_gemm_at(NULL, CATC_HOST, 0));
    CHECK(catc_gemm_at(&user, CATC_HOST, -1) == NULL && catc_gemm_at(&user, CATC_HOST, 1 << 30) == NULL);
    CHECK(catc_gemm_find_in(&user, CATC_HOST, "user_instance") == &mine);
    CHECK(catc_gemm_find_in(&user, CATC_HOST, library->name) == library);
    CHECK(catc_gemm_find_in(NULL, CATC_HOST, "user_instance") == NULL);
}

/* A description of the caller's own must be whole: the model divides by its fields. */
static void own_device(void)
{
    struct catc_device device = *catc_device_find("h200");
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 64, 64, 64);
    g.backend = CATC_HOST;
    g.device = &device;
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_OK);
    device.sms = 0;
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "device=h200 must have every field");
    device.sms = 132;
    device.mma_sync_share = 0.0;
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_INVALID_ARGUMENT);
    device.mma_sync_share = 0.61;
    device.l2_bytes_clk = 0;
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_INVALID_ARGUMENT);
    device.l2_bytes_clk = 6150;
    device.name = NULL;
    CHECK(catc_gemm_explain(&g, NULL, 0) == CATC_INVALID_ARGUMENT);
}

int main(void)
{
    simple_needs_default_set();
    unsetenv("CATC_HOST_DEVICE");
    unsetenv("CATC_LOG");
    every_device();
    architecture();
    host_device();
    own_device();
    fixed_m();
    forced();
    user_registry();
    return check_result();
}
