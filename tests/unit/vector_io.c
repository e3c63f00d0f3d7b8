/* SPDX-License-Identifier: Apache-2.0
 *
 * vector_io.c: tile/vector.h. Every type, count, number of valid elements and alignment; what lies before or behind the
 * valid elements is neither written nor, where it ends at an unmapped page, read. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catlass_c/tile/vector.h"
#include "check.h"

enum { COUNT_MAX = 32, SLACK = 64, FILL = 0xa5 };

/* A page of memory between two that cannot be touched. */
static uint8_t *page;
static size_t page_size;

static void map_page(void)
{
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *const base = (uint8_t *)mmap(NULL, 3 * page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == (uint8_t *)MAP_FAILED || mprotect(base + page_size, page_size, PROT_READ | PROT_WRITE) != 0) {
        perror("mmap");
        exit(1);
    }
    page = base + page_size;
}

/* One type through a common signature: values and elements as they lie in memory. */
#define TYPE(type, bits_t) \
    static void load_##type(float *x, const void *source, int count, int valid, int vector) \
    { \
        catc_load_##type(x, (const catc_element_##type *)source, count, valid, vector); \
    } \
    static void store_##type(void *target, const float *x, int count, int valid, int vector) \
    { \
        catc_store_##type((catc_element_##type *)target, x, count, valid, vector); \
    } \
    static uint32_t element_##type(const void *at) \
    { \
        bits_t bits; \
        memcpy(&bits, at, sizeof bits); \
        return bits; \
    }
TYPE(f32, uint32_t)
TYPE(bf16, uint16_t)
TYPE(f16, uint16_t)

/* Values that all three types hold exactly, with their bits: negative, fractional, subnormal in f16, -0, Inf. */
static const struct value {
    float x;
    uint32_t f32, bf16, f16;
} values[] = {
    {1.0f, 0x3f800000u, 0x3f80u, 0x3c00u},      {-2.5f, 0xc0200000u, 0xc020u, 0xc100u},
    {0.09375f, 0x3dc00000u, 0x3dc0u, 0x2e00u},  {-0.0f, 0x80000000u, 0x8000u, 0x8000u},
    {0x1p-24f, 0x33800000u, 0x3380u, 0x0001u},  {31744.0f, 0x46f80000u, 0x46f8u, 0x77c0u},
    {-INFINITY, 0xff800000u, 0xff80u, 0xfc00u},
};
enum { VALUES = sizeof values / sizeof values[0] }; /* odd, so that no power of two of elements repeats */

static uint32_t bits_of(const struct value *v, enum catc_type type)
{
    return type == CATC_F32 ? v->f32 : type == CATC_BF16 ? v->bf16 : v->f16;
}

static const struct type {
    const char *name;
    enum catc_type type;
    int size;
    void (*load)(float *, const void *, int, int, int);
    void (*store)(void *, const float *, int, int, int);
    uint32_t (*element)(const void *);
} types[] = {{"f32", CATC_F32, 4, load_f32, store_f32, element_f32},
             {"bf16", CATC_BF16, 2, load_bf16, store_bf16, element_bf16},
             {"f16", CATC_F16, 2, load_f16, store_f16, element_f16}};
enum { TYPES = sizeof types / sizeof types[0] };

static void fail(const struct type *t, const char *what, int count, int valid, int vector, size_t offset)
{
    if (check_failures++ < 20)
        fprintf(stderr, "%s %s: count %d, valid %d, vector %d, offset %zu\n", t->name, what, count, valid, vector,
                offset);
}

/* Every byte of the page outside [first, first + size) is still FILL. */
static bool untouched(const uint8_t *first, size_t size)
{
    for (const uint8_t *b = page; b < page + page_size; b++)
        if ((b < first || b >= first + size) && *b != FILL)
            return false;
    return true;
}

static void test_store(const struct type *t, int count, int valid, int vector, uint8_t *target, int start)
{
    CATC_ALIGNAS(16) float x[COUNT_MAX];
    for (int i = 0; i < count; i++)
        x[i] = values[(start + i) % VALUES].x;
    memset(page, FILL, page_size);
    t->store(target, x, count, valid, vector);
    bool right = untouched(target, (size_t)(valid * t->size));
    for (int i = 0; i < valid; i++)
        right &= t->element(target + i * t->size) == bits_of(&values[(start + i) % VALUES], t->type);
    if (!right)
        fail(t, "store", count, valid, vector, (size_t)(target - page));
}

static void test_load(const struct type *t, int count, int valid, int vector, uint8_t *source, int start)
{
    CATC_ALIGNAS(16) float x[COUNT_MAX + 1];
    memset(page, 0xff, page_size); /* NaN, in every type */
    for (int i = 0; i < valid; i++) {
        const uint32_t bits = bits_of(&values[(start + i) % VALUES], t->type);
        const uint16_t half = (uint16_t)bits;
        if (t->size == 4)
            memcpy(source + i * t->size, &bits, 4);
        else
            memcpy(source + i * t->size, &half, 2);
    }
    for (int i = 0; i <= COUNT_MAX; i++)
        x[i] = 77.0f;
    t->load(x, source, count, valid, vector);
    bool right = x[count] == 77.0f;
    for (int i = 0; i < count; i++)
        right &= catc_f32_bits(x[i]) == (i < valid ? values[(start + i) % VALUES].f32 : 0u);
    if (!right)
        fail(t, "load", count, valid, vector, (size_t)(source - page));
}

/* Runs in the middle of the page, and ones whose last valid element is the last, or whose first is the first, that may
 * be touched at all. */
static void test_types(void)
{
    static const int counts[] = {4, 8, 16, 32};
    long runs = 0;
    for (int k = 0; k < TYPES; k++) {
        const struct type *const t = &types[k];
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const int count = counts[c], bytes = count * t->size, need = bytes < 16 ? bytes : 16;
            for (int valid = 0; valid <= count; valid++) {
                uint8_t *const end = page + page_size - valid * t->size;
                uint8_t *places[4 + 16];
                int n = 0;
                places[n++] = page;
                places[n++] = end;
                for (int shift = 0; shift < 16; shift += t->size)
                    places[n++] = page + SLACK + shift;
                for (int p = 0; p < n; p++) {
                    for (int vector = 0; vector < 2; vector++) {
                        if (vector && (uintptr_t)places[p] % (uintptr_t)need != 0)
                            continue; /* the caller does not set it */
                        test_store(t, count, valid, vector, places[p], valid + p);
                        test_load(t, count, valid, vector, places[p], valid + p);
                        runs += 2;
                    }
                }
            }
        }
    }
    printf("%ld loads and stores\n", runs);
}

/* Stores round to nearest even, element by element and packed. */
static void test_rounding(void)
{
    CATC_ALIGNAS(16) uint16_t bf16[8], f16[8], scalar[8];
    CATC_ALIGNAS(16)
    static const float x[8] = {0x1.01p0f, 0x1.03p0f, 0x1.002p0f, 0x1.006p0f, 0x1.ffp127f, 65520.0f, -65519.0f, NAN};
    static const uint16_t want_bf16[8] = {0x3f80, 0x3f82, 0x3f80, 0x3f80, 0x7f80, 0x4780, 0xc780, 0x7fff};
    static const uint16_t want_f16[8] = {0x3c04, 0x3c0c, 0x3c00, 0x3c02, 0x7c00, 0x7c00, 0xfbff, 0x7fff};
    catc_store_bf16(bf16, x, 8, 8, 1);
    catc_store_f16(f16, x, 8, 8, 1);
    CHECK(memcmp(bf16, want_bf16, sizeof bf16) == 0 && memcmp(f16, want_f16, sizeof f16) == 0);
    catc_store_bf16(scalar, x, 8, 8, 0);
    CHECK(memcmp(scalar, want_bf16, sizeof scalar) == 0);
    catc_store_f16(scalar, x, 8, 8, 0);
    CHECK(memcmp(scalar, want_f16, sizeof scalar) == 0);
}

static void test_floats(void)
{
    static const int counts[] = {1, 2, 4, 8, 12, 16};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const int count = counts[c];
        float *const target = (float *)(void *)(page + page_size) - count; /* 4 bytes aligned; 16 where count allows */
        CATC_ALIGNAS(16) float x[COUNT_MAX], y[COUNT_MAX];
        for (int i = 0; i < COUNT_MAX; i++)
            x[i] = (float)i - 7.5f, y[i] = -1.0f;
        memset(page, FILL, page_size);
        catc_write_floats(target, x, count);
        CHECK(memcmp(target, x, (size_t)count * 4) == 0 && untouched((uint8_t *)target, (size_t)count * 4));
        catc_read_floats(y, target, count);
        CHECK(memcmp(y, x, (size_t)count * 4) == 0 && y[count] == -1.0f);
    }
}

static void test_valid(void)
{
    CHECK(catc_valid(0, 100, 8) == 8 && catc_valid(92, 100, 8) == 8 && catc_valid(93, 100, 8) == 7);
    CHECK(catc_valid(99, 100, 8) == 1 && catc_valid(100, 100, 8) == 0 && catc_valid(200, 100, 8) == 0);
    CHECK(catc_valid(0, 0, 8) == 0 && catc_valid(8, 0, 8) == 0);
    CHECK(catc_valid(0, INT64_MAX, 8) == 8 && catc_valid(INT64_MAX - 3, INT64_MAX, 8) == 3);
    CHECK(catc_valid(INT64_C(1) << 40, (INT64_C(1) << 40) + 5, 8) == 5);
}

int main(void)
{
    map_page();
    test_types();
    test_rounding();
    test_floats();
    test_valid();
    return check_result();
}
