/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/bench/parts.c: the parts of bench_gemm that need no GPU: comparing results, shapes, tuned tables.
 *
 *   catc_bench_parts [TABLE]     TABLE: also writes a tuned table there, with the names of host instances */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../bench/gemm/compare.h"
#include "../../bench/gemm/say.h"
#include "../../bench/gemm/shapes.h"
#include "../../bench/gemm/tuned_file.h"
#include "catlass_c/catlass_c.h"
#include "catlass_c/tile/vector.h"
#include "check.h"

enum { COUNT = 128 * 128, K = 1024 };

static float want_f32[COUNT], got_f32[COUNT];
static catc_bf16_bits want_bf16[COUNT], got_bf16[COUNT];
static catc_f16_bits want_f16[COUNT], got_f16[COUNT];

/* Values of size sqrt(K), and the same with a relative change in every element. */
static void values(float change)
{
    uint32_t state = 1;
    for (int i = 0; i < COUNT; ++i) {
        state = state * 1664525u + 1013904223u;
        want_f32[i] = ((float)(state >> 8) * 0x1p-23f - 1.0f) * 55.4f; /* uniform, standard deviation 32 */
        got_f32[i] = want_f32[i] * (1.0f + change);
        want_bf16[i] = catc_bf16_from_f32(want_f32[i]), got_bf16[i] = catc_bf16_from_f32(got_f32[i]);
        want_f16[i] = catc_f16_from_f32(want_f32[i]), got_f16[i] = catc_f16_from_f32(got_f32[i]);
    }
}

static bool same(enum catc_type type, struct bench_difference *d)
{
    const void *const got = type == CATC_BF16 ? (void *)got_bf16 : type == CATC_F16 ? (void *)got_f16 : (void *)got_f32;
    const void *const want = type == CATC_BF16  ? (void *)want_bf16
                             : type == CATC_F16 ? (void *)want_f16
                                                : (void *)want_f32;
    return bench_compare(type, got, want, COUNT, K, bench_tolerance_of(type, K, false, false), d);
}

static void compares(void)
{
    static const enum catc_type types[] = {CATC_F32, CATC_BF16, CATC_F16};
    struct bench_difference d;
    for (int t = 0; t < 3; ++t) {
        values(0.0f);
        CHECK(same(types[t], &d));
        values(0x1p-22f); /* another order of summation: within a unit of D's last place */
        CHECK(same(types[t], &d));
        CHECK(bench_count_nan(types[t],
                              types[t] == CATC_F32    ? (void *)want_f32
                              : types[t] == CATC_BF16 ? (void *)want_bf16
                                                      : (void *)want_f16,
                              COUNT) == 0);
        values(0.1f);
        CHECK(!same(types[t], &d) && d.wrong > COUNT / 2);
    }
    values(0.0f);
    got_bf16[777] = catc_bf16_from_f32(want_f32[777] + 3.0f); /* a k step of 8 left out of one element */
    CHECK(!same(CATC_BF16, &d) && d.wrong == 1 && d.first == 777);
    CHECK(fabs(d.largest - 3.0 / 32) < 0.01);
    got_bf16[777] = 0xffff; /* an element that was not written */
    CHECK(bench_count_nan(CATC_BF16, got_bf16, COUNT) == 1);
    CHECK(!same(CATC_BF16, &d) && d.wrong == 1 && d.first == 777 && isnan(d.got));
    want_f16[5] = got_f16[5] = 0x7c00; /* both overflow, and another element differs in its last place */
    got_f16[6] ^= 1;
    CHECK(same(CATC_F16, &d));
    got_f16[5] = 0xfc00;
    CHECK(!same(CATC_F16, &d) && d.wrong == 1);
}

static void labels(void)
{
    struct bench_shapes shapes = {NULL, 0};
    struct bench_shape s = {.m = 64, .n = 48, .k = 33};
    char label[BENCH_LABEL];
    int64_t size;
    CHECK(bench_shapes_add(&shapes, &s));
    s.batch = 3, s.type_a = CATC_F16, s.type_d = CATC_F32, s.layout = CATC_NN, s.k = 40;
    snprintf(s.chain, sizeof s.chain, "bias,gelu");
    CHECK(bench_shapes_add(&shapes, &s));
    bench_label(&shapes.items[0], label, sizeof label);
    CHECK(strcmp(label, "64x48x33 bf16 tn") == 0);
    bench_label(&shapes.items[1], label, sizeof label);
    CHECK(strcmp(label, "3x64x48x40 f16->f32 nn bias,gelu") == 0);
    CHECK(!bench_aligned(&shapes.items[0]) && bench_aligned(&shapes.items[1]));
    CHECK(bench_flop(&shapes.items[1]) == 2.0 * 3 * 64 * 48 * 40);
    CHECK(bench_matrix_bytes(&shapes.items[1]) == 3.0 * ((64 * 40 + 40 * 48) * 2 + 64 * 48 * 4));
    bench_shapes_filter(&shapes, "unaligned");
    CHECK(shapes.count == 1 && shapes.items[0].k == 33);
    bench_shapes_free(&shapes);
    CHECK(!bench_size("0", &size) && !bench_size("-1", &size) && !bench_size("1e3", &size) && !bench_size("", &size));
    CHECK(!bench_size("99999999999999999999", &size) && bench_size("2147483648", &size));
}

/* What was written is read again; what somebody else wrote is refused, and stays. */
static void tables(const char *path)
{
    struct bench_tuned_file file, again;
    struct bench_tuned_entry entry;
    (void)unlink(path);
    CHECK(bench_tuned_read(&file, path, "h200", 132, 90) && file.count == 0);
    CHECK(bench_tuned_writable(path));
    for (int i = 0; i < 3; ++i) {
        const struct catc_gemm_instance *instance = catc_gemm_at(NULL, CATC_HOST, i);
        instance = instance ? instance : catc_gemm_at(NULL, CATC_HOST, 0); /* a build may have but one */
        memset(&entry, 0, sizeof entry);
        entry.m = 64 << i, entry.n = 128, entry.k = 4096;
        entry.batch = 1 + i;
        entry.samples = i ? 5 : 0;
        entry.microseconds = i == 1 ? 1234567.5 : 0.125; /* none in a form that YAML reads as a text */
        snprintf(entry.record, sizeof entry.record, "%s", i == 2 ? "bench.json" : "");
        snprintf(entry.instance, sizeof entry.instance, "%s", instance ? instance->name : "none");
        CHECK(bench_tuned_put(&file, -1, &entry));
    }
    entry.microseconds = 7.25;
    CHECK(bench_tuned_put(&file, 2, &entry) && file.count == 3);
    CHECK(bench_tuned_write(&file, path));
    CHECK(bench_tuned_read(&again, path, "h200", 132, 90));
    CHECK(again.count == 3 && strcmp(again.head, file.head) == 0);
    for (int i = 0; i < 3 && i < again.count; ++i) {
        CHECK(again.entries[i].m == 64 << i && again.entries[i].batch == 1 + i);
        CHECK(again.entries[i].samples == (i ? 5 : 0));
        CHECK(again.entries[i].microseconds == file.entries[i].microseconds);
        CHECK(strcmp(again.entries[i].instance, file.entries[i].instance) == 0);
        CHECK(strcmp(again.entries[i].record, file.entries[i].record) == 0);
    }
    bench_tuned_free(&again);
    bench_tuned_free(&file);
    CHECK(!bench_tuned_read(&again, path, "h100", 132, 90));
    CHECK_HAS(bench_last(), "device=h200");
    CHECK(!bench_tuned_read(&again, path, "h200", 114, 90));
    FILE *const f = fopen(path, "a");
    CHECK(f != NULL);
    if (f) {
        long const length = ftell(f);
        fprintf(f, "  - m: 64\n");
        fclose(f);
        CHECK(!bench_tuned_read(&again, path, "h200", 132, 90));
        CHECK_HAS(bench_last(), ":12: must be a line as bench_gemm --search writes it");
        CHECK(truncate(path, length) == 0);
    }
    CHECK(!bench_tuned_writable("no such folder/x.yaml"));
    CHECK_HAS(bench_last(), "no such folder/x.yaml must be writable");
}

int main(int argc, char **argv)
{
    compares();
    labels();
    tables(argc > 1 ? argv[1] : "catc_bench_parts.yaml");
    return check_result();
}
