/* SPDX-License-Identifier: Apache-2.0
 *
 * BG-01: the batch index went straight into gridDim.z; past 65535 the launch failed and the output stayed as it was. By
 * stride and by arrays of pointers, in a kernel with a block for each problem (bg_01.yaml) and, on a GPU, in the
 * library's own for fp16 and bf16. */
#include "gemm/simple.h"

const struct catc_registry *bg_01_registry(void);

enum { SIZE = 16, AREA = SIZE * SIZE };
static int64_t const batch = 65536;

static double batch_value(int64_t row, int64_t k)
{
    (void)k;
    return (double)(row / SIZE % 7); /* the batch of A as one tall matrix */
}

/* To the last matrix first: not the order that a stride gives. */
static struct buffer pointers_to(const struct buffer *matrices)
{
    void **const entries = (void **)malloc((size_t)batch * sizeof *entries);
    if (!entries) {
        die("out of host memory");
    }
    for (int64_t p = 0; p < batch; ++p) {
        entries[p] = (uint16_t *)buffer_use(matrices) + (batch - 1 - p) * AREA;
    }
    struct buffer const array = buffer_pointers(matrices->backend, entries, batch);
    free(entries);
    return array;
}

/* Problem p is 16 times p % 7, and lies where it lies, whatever the order in which it was done. */
static void run(struct simple *s)
{
    int64_t wrong = 0;
    simple_clear(s);
    CHECK(simple_run(s) == CATC_OK);
    for (int64_t p = 0; p < batch; ++p) {
        for (int64_t i = 0; i < AREA; ++i) {
            double const got = element_read(s->args.type_d, s->d.host + s->d.offset, p * AREA + i);
            if (got != 16.0 * (double)(p % 7) && wrong++ < 3) {
                fprintf(stderr, "  batch %lld element %lld: got %g\n", (long long)p, (long long)i, got);
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(element_read(s->args.type_d, s->d.host + s->d.offset, 65535 * AREA) == 16.0);
}

/* instance: NULL for the library's choice. */
static void test_with(enum catc_backend backend, enum catc_type type, const struct catc_gemm_instance *instance)
{
    struct simple s;
    simple_open(&s, backend, type, CATC_TN, SIZE * batch, SIZE, SIZE, batch_value, simple_one);
    struct buffer a = pointers_to(&s.a), d = pointers_to(&s.d);
    s.args.m = SIZE;
    s.args.batch = batch;
    s.args.instance = instance;
    s.args.stride_a = s.args.stride_d = AREA; /* B is shared */
    run(&s);
    s.args.a_array = (const void *const *)buffer_use(&a);
    s.args.d_array = (void *const *)buffer_use(&d);
    run(&s);
    buffer_free(&a);
    buffer_free(&d);
    simple_close(&s);
}

static void test(enum catc_backend backend)
{
    const struct catc_gemm_instance *const own = catc_gemm_at(bg_01_registry(), backend, 0);
    CHECK(own && own->tile_m == SIZE && own->tile_n == SIZE);
    test_with(backend, CATC_F16, own);
    if (backend == CATC_CUDA) { /* larger tiles: 12 seconds in the emulator */
        test_with(backend, CATC_F16, NULL);
        test_with(backend, CATC_BF16, NULL);
    }
}

int main(void)
{
    return simple_main(test);
}
