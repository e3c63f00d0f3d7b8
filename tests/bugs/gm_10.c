/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-10: with D and C the same buffer, a second pass read values that were already updated, so that beta was applied
 * twice. Every instance in place: 65 before the chain in the first call, 64 more than D was in the second. D pointing at A
 * is refused. */
#include "gemm/simple.h"

static double first(int64_t row, int64_t column)
{
    (void)row, (void)column;
    return 65.0;
}
static double after_first; /* every element of D; 65 if the chain has no activation */
static double second(int64_t row, int64_t column)
{
    (void)row, (void)column;
    return after_first + 64.0;
}

/* `instance` NULL: the automatic choice. */
static void twice(enum catc_backend backend, enum catc_type type, const struct catc_gemm_instance *instance)
{
    struct simple s;
    int const before = check_failures;
    int64_t const n = instance && instance->align_a > 4 ? 104 : 100; /* some need rows of whole 16 bytes */
    if (instance) {
        simple_open_instance(&s, instance, 100, n, 64, simple_one, simple_one);
    } else {
        simple_open(&s, backend, type, CATC_TN, 100, n, 64, simple_one, simple_one);
    }
    for (int64_t i = 0; i < s.args.m * s.args.n; ++i) {
        element_write(s.args.type_d, s.d.host + s.d.offset, i, 1.0);
    }
    buffer_upload(&s.d);
    s.args.c = s.args.d;
    s.beta = 1.0f;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, first) == 0);
    after_first = simple_d(&s, 0, 0);
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, second) == 0);
    s.args.d = (void *)(uintptr_t)s.args.a;
    s.args.ldd = s.args.lda = n;
    CHECK(catc_gemm(&s.args) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "with A");
    if (check_failures > before) {
        fprintf(stderr, "  in %s on %s\n", instance ? instance->name : "the automatic choice",
                catc_backend_name(backend));
    }
    simple_close(&s);
}

static void all(enum catc_backend backend)
{
    const struct catc_gemm_instance *i;
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        twice(backend, (enum catc_type)type, NULL);
    }
    for (int at = 0; (i = simple_next(backend, &at));) {
        twice(backend, i->type_a, i);
    }
}

int main(void)
{
    return simple_main(all);
}
