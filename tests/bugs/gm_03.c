/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-03: kernel choice looked only at sizes and leading dimensions; a base pointer that was a view into a larger buffer
 * was not 16-byte aligned, and the vector kernel faulted. A, B, C or D one element further: the automatic choice is right
 * and equal to the aligned run, a forced instance that needs more is refused, and selection alone never returns one. */
#include "gemm/simple.h"

enum { SIZE = 64 };

static int largest_alignment(const struct catc_gemm_instance *i)
{
    int const ab = i->align_a > i->align_b ? i->align_a : i->align_b,
              cd = i->align_c > i->align_d ? i->align_c : i->align_d;
    return ab > cd ? ab : cd;
}

/* The same elements, one element further in memory. */
static const void *shifted(struct buffer *out, const struct buffer *in, size_t element)
{
    *out = buffer_input(in->backend, in->bytes, element);
    memcpy(out->host + out->offset, in->host + in->offset, in->bytes);
    buffer_upload(out);
    CHECK((uintptr_t)buffer_use(out) % 16 == element);
    return buffer_use(out);
}

static double c_value(int64_t row, int64_t column)
{
    return (double)((row + 2 * column) % 5);
}

static void run(enum catc_backend backend, enum catc_type type)
{
    struct simple s;
    size_t const element = catc_type_size(type);
    simple_open(&s, backend, type, CATC_TN, SIZE, SIZE, SIZE, simple_a, simple_b);
    simple_c(&s, 1.0f, c_value);
    struct catc_gemm_args const aligned = s.args;
    CHECK(simple_run(&s) == CATC_OK);
    unsigned char *const want = (unsigned char *)malloc(s.d.bytes);
    memcpy(want, s.d.host + s.d.offset, s.d.bytes);
    for (int which = 0; which < 4; ++which) {
        struct buffer view, d_before = s.d;
        s.args = aligned;
        simple_clear(&s);
        if (which == 0) {
            s.args.a = shifted(&view, &s.a, element);
        } else if (which == 1) {
            s.args.b = shifted(&view, &s.b, element);
        } else if (which == 2) {
            s.args.c = shifted(&view, &s.c, element);
        } else {
            s.d = buffer_output(backend, d_before.bytes, element);
            buffer_upload(&s.d);
            view = s.d;
            s.args.d = buffer_use(&s.d);
        }
        CHECK(simple_run(&s) == CATC_OK);
        CHECK(memcmp(want, s.d.host + s.d.offset, s.d.bytes) == 0);

        const struct catc_gemm_instance *i;
        for (int at = 0; (i = catc_gemm_at(NULL, backend, at)); ++at) { /* forced */
            if (i->type_a == type && i->type_d == type && i->layout == CATC_TN && i->n_epi == 0) {
                int const need = which == 0   ? i->align_a
                                 : which == 1 ? i->align_b
                                 : which == 2 ? i->align_c
                                              : i->align_d;
                simple_clear(&s);
                s.args.instance = i;
                enum catc_status const status = catc_gemm(&s.args);
                simple_download(&s);
                if (need > (int)element) {
                    CHECK(status == CATC_MISALIGNED && strstr(catc_last_message(), i->name));
                    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
                } else if (status != CATC_ARCH_MISMATCH) {
                    CHECK(status == CATC_OK && memcmp(want, s.d.host + s.d.offset, s.d.bytes) == 0);
                }
            }
        }
        s.d = d_before;
        buffer_free(&view);
    }
    free(want);
    simple_close(&s);
}

/* Selection alone, given these addresses, for a size at which an instance with stricter needs is the best one. */
static void selection(void)
{
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        size_t const element = catc_type_size((enum catc_type)type);
        struct catc_gemm_args const aligned = simple_fake((enum catc_type)type, CATC_TN, 4096, 4096, 4096);
        for (int which = 0; which < 5; ++which) {
            struct catc_gemm_args g = aligned;
            g.a = (const char *)g.a + (which == 0) * element;
            g.b = (const char *)g.b + (which == 1) * element;
            g.d = (char *)g.d + (which == 2) * element;
            g.lda = which == 3 ? g.k + 1 : 0;
            g.ldd = which == 4 ? g.n + 1 : 0;
            const struct catc_gemm_instance *const i = simple_choice(&g);
            CHECK(i != NULL);
            if (i) {
                int const need = which == 0 || which == 3 ? i->align_a : which == 1 ? i->align_b : i->align_d;
                CHECK(need <= (int)element);
            }
        }
        const struct catc_gemm_instance *const best = simple_choice(&aligned);
        CHECK(best && (type != CATC_BF16 || largest_alignment(best) == 16 || best->skeleton == CATC_GEMM_SIMT));
    }
}

int main(void)
{
    simple_needs_default_set();
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    unsetenv("CATC_HOST_DEVICE");
    for (int b = 0; b < backends; ++b) {
        for (int type = 1; type < CATC_TYPE_END; ++type) {
            run(backend[b], (enum catc_type)type);
        }
    }
    selection();
    return check_result();
}
