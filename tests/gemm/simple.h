/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/gemm/simple.h: one GEMM on either backend whose elements are given by functions of their position, so that a
 * test reads like its sentence: open, change the arguments, run, compare, close. */
#ifndef CATC_TESTS_GEMM_SIMPLE_H
#define CATC_TESTS_GEMM_SIMPLE_H

#pragma GCC diagnostic ignored "-Wunused-function" /* a test uses a part of these helpers */

#include "catlass_c/operations.h"
#include "check.h"
#include "gemm/gpu.h"
#include "gemm/reference.h"

/* Element of a matrix by the caller's coordinates: A(row, k), B(k, column), C, D and operands (row, column). */
typedef double (*simple_value)(int64_t i, int64_t j);

static double simple_zero(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return 0.0;
}
static double simple_one(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return 1.0;
}
static double simple_nan(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return (double)NAN;
}
/* The pair of bounds that bounds nothing. */
static double simple_unbounded(int64_t i, int64_t j)
{
    (void)i;
    return j ? (double)INFINITY : (double)-INFINITY;
}
/* Small integers: sums of products stay exact in every type. */
static double simple_a(int64_t i, int64_t k)
{
    return (double)((i + k) % 3 - 1);
}
static double simple_b(int64_t k, int64_t j)
{
    return (double)((k * j) % 3 - 1);
}

/* Not copyable once opened: args.alpha and args.beta may point into it. */
struct simple {
    struct catc_gemm_args args;
    struct buffer a, b, c, d, epi[CATC_EPI_MAX];
    simple_value value_a, value_b;
    float alpha, beta;
};

static bool simple_a_by_rows(enum catc_layout layout)
{
    return layout == CATC_TN || layout == CATC_TT;
}
static bool simple_b_by_rows(enum catc_layout layout)
{
    return layout == CATC_TT || layout == CATC_NT;
}

/* An input of rows x columns, stored row by row or column by column, packed. */
static struct buffer simple_input(enum catc_backend backend, enum catc_type type, int64_t rows, int64_t columns,
                                  bool by_rows, simple_value value)
{
    int64_t const elements = rows * columns > 0 ? rows * columns : 1;
    struct buffer const b = buffer_input(backend, (size_t)elements * catc_type_size(type), 0);
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            element_write(type, b.host + b.offset, by_rows ? i * columns + j : j * rows + i, value(i, j));
        }
    }
    buffer_upload(&b);
    return b;
}

/* An output of guarded NaN (bytes 0xff). */
static struct buffer simple_output(enum catc_backend backend, enum catc_type type, int64_t elements)
{
    struct buffer const b = buffer_output(backend, (size_t)(elements > 0 ? elements : 1) * catc_type_size(type), 0);
    buffer_upload(&b);
    return b;
}

static void simple_open_types(struct simple *s, enum catc_backend backend, enum catc_type type, enum catc_type type_d,
                              enum catc_layout layout, int64_t m, int64_t n, int64_t k, simple_value a, simple_value b)
{
    memset(s, 0, sizeof *s);
    s->value_a = a, s->value_b = b;
    s->alpha = 1.0f, s->beta = 0.0f;
    s->a = simple_input(backend, type, m, k, simple_a_by_rows(layout), a);
    s->b = simple_input(backend, type, k, n, simple_b_by_rows(layout), b);
    s->d = simple_output(backend, type_d, m * n);
    s->args.m = m, s->args.n = n, s->args.k = k;
    s->args.layout = layout;
    s->args.type_a = type, s->args.type_d = type_d;
    s->args.a = buffer_use(&s->a), s->args.b = buffer_use(&s->b), s->args.d = buffer_use(&s->d);
    s->args.alpha = &s->alpha, s->args.beta = &s->beta;
    s->args.backend = backend;
}

static void simple_open(struct simple *s, enum catc_backend backend, enum catc_type type, enum catc_layout layout,
                        int64_t m, int64_t n, int64_t k, simple_value a, simple_value b)
{
    simple_open_types(s, backend, type, type, layout, m, n, k, a, b);
}

/* C = value(row, column), packed, read with factor beta. */
static void simple_c(struct simple *s, float beta, simple_value value)
{
    s->c = simple_input(s->args.backend, s->args.type_d, s->args.m, s->args.n, true, value);
    s->args.c = buffer_use(&s->c);
    s->beta = beta;
}

/* Append one operation; `value` fills its operand (COL: value(0, column); ROW: value(row, 0); SCALAR: value(0, 0);
 * PAIR: value(0, 0) and value(0, 1)). */
static void simple_push_typed(struct simple *s, const char *op, enum catc_epi_kind kind, enum catc_type type,
                              simple_value value)
{
    struct catc_gemm_args *const g = &s->args;
    int const e = g->n_epi++;
    enum catc_type const used = type ? type : g->type_d;
    int64_t const rows = kind == CATC_EPI_COL ? 1 : g->m, columns = kind == CATC_EPI_ROW ? 1 : g->n;
    g->epi[e].op = catc_op_id(op);
    g->epi[e].type = type;
    if (kind == CATC_EPI_SCALAR) {
        g->epi[e].a = (float)value(0, 0);
    } else if (kind == CATC_EPI_PAIR) {
        g->epi[e].a = (float)value(0, 0), g->epi[e].b = (float)value(0, 1);
    } else if (kind == CATC_EPI_COL || kind == CATC_EPI_ROW || kind == CATC_EPI_TILE) {
        s->epi[e] = simple_input(g->backend, used, rows, columns, true, value);
        g->epi[e].ptr = buffer_use(&s->epi[e]);
    } else if (kind == CATC_EPI_TAP) {
        s->epi[e] = simple_output(g->backend, used, g->m * g->n);
        g->epi[e].out = buffer_use(&s->epi[e]);
    } else if (kind == CATC_EPI_REDUCE) {
        s->epi[e] = simple_input(g->backend, CATC_F32, 1, 1, true, simple_zero);
        g->epi[e].out = buffer_use(&s->epi[e]);
    }
}

static void simple_push(struct simple *s, const char *op, enum catc_epi_kind kind, simple_value value)
{
    simple_push_typed(s, op, kind, CATC_TYPE_NOT_GIVEN, value);
}

/* The operand that leaves the value as it is: 1 for a factor, 0 for a summand, infinite bounds. */
static simple_value simple_neutral(const char *op)
{
    bool const factor = strncmp(op, "scale", 5) == 0 || strcmp(op, "mul") == 0 || strcmp(op, "mask") == 0 ||
                        strcmp(op, "leaky_relu") == 0;
    return factor ? simple_one : strcmp(op, "clamp") == 0 ? simple_unbounded : simple_zero;
}

/* x after position e of the chain with its neutral operand. */
static struct bounded simple_apply(const struct catc_gemm_instance *i, int e, struct bounded x, int64_t row,
                                   int64_t column)
{
    simple_value const neutral = simple_neutral(i->epi[e].name);
    double const operand[2] = {neutral(0, 0), neutral(0, 1)};
    return apply(i->epi[e].name, i->epi[e].kind, x, operand, row, column);
}

/* x after an operation of kind NONE. */
static struct bounded simple_activate(const char *op, struct bounded x)
{
    double const none[2] = {0.0, 0.0};
    return apply(op, CATC_EPI_NONE, x, none, 0, 0);
}

/* A problem for exactly this instance, with neutral operands. */
static void simple_open_instance(struct simple *s, const struct catc_gemm_instance *i, int64_t m, int64_t n, int64_t k,
                                 simple_value a, simple_value b)
{
    simple_open_types(s, i->backend, i->type_a, i->type_d, i->layout, m, n, k, a, b);
    for (int e = 0; e < i->n_epi; ++e) {
        simple_push_typed(s, i->epi[e].name, i->epi[e].kind, i->epi[e].type, simple_neutral(i->epi[e].name));
    }
    s->args.type_b = i->type_b, s->args.type_acc = i->type_acc;
    s->args.instance = i;
}

static void simple_close(struct simple *s)
{
    struct buffer *const all[] = {&s->a, &s->b, &s->c, &s->d};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i]->host) {
            buffer_free(all[i]);
        }
    }
    for (int e = 0; e < CATC_EPI_MAX; ++e) {
        if (s->epi[e].host) {
            buffer_free(&s->epi[e]);
        }
    }
}

/* D as NaN again. */
static void simple_clear(struct simple *s)
{
    memset(s->d.host, 0xff, s->d.total);
    buffer_upload(&s->d);
}

/* D, taps and reductions as the kernel left them. */
static void simple_download(struct simple *s)
{
    buffer_download(&s->d);
    for (int e = 0; e < s->args.n_epi; ++e) {
        if (s->args.epi[e].out && s->epi[e].host) {
            buffer_download(&s->epi[e]);
        }
    }
}

/* Prints the sentence of a failure. */
static enum catc_status simple_run(struct simple *s)
{
    enum catc_status const status = catc_gemm(&s->args);
    if (status == CATC_OK) {
        simple_download(s);
    } else {
        fprintf(stderr, "%s: %s\n", catc_status_name(status), catc_last_message());
    }
    return status;
}

static double simple_d(const struct simple *s, int64_t row, int64_t column)
{
    return element_read(s->args.type_d, s->d.host + s->d.offset, row * s->args.n + column);
}

static double simple_product(const struct simple *s, int64_t row, int64_t column)
{
    double sum = 0.0;
    for (int64_t k = 0; k < s->args.k; ++k) {
        sum += s->value_a(row, k) * s->value_b(k, column);
    }
    return sum;
}

static int simple_bytes_that_changed(const unsigned char *from, size_t bytes)
{
    int changed = 0;
    for (size_t i = 0; i < bytes; ++i) {
        changed += from[i] != 0xff;
    }
    return changed;
}

/* Mismatches of the downloaded D, guards included; prints the first three. What the chain starts from is A B, or
 * want(row, column) if given; args.instance, if given, says which neutral chain follows, with its own error bound. */
static int simple_mismatches(const struct simple *s, simple_value want)
{
    const struct catc_gemm_instance *const i = s->args.instance;
    int count = simple_bytes_that_changed(s->d.host, s->d.offset) +
                simple_bytes_that_changed(s->d.host + s->d.offset + s->d.bytes, s->d.total - s->d.offset - s->d.bytes);
    if (count) {
        fprintf(stderr, "  bytes beside D were written: %d\n", count);
    }
    for (int64_t row = 0; row < s->args.m; ++row) {
        for (int64_t column = 0; column < s->args.n; ++column) {
            double const got = simple_d(s, row, column);
            struct bounded x = {want ? want(row, column) : simple_product(s, row, column), 0.0};
            bool exact = true;
            for (int e = 0; i && e < i->n_epi; ++e) {
                x = simple_apply(i, e, x, row, column);
                exact = exact && accuracy_of(i->epi[e].name) == INTEGERS;
            }
            if (exact ? got != x.value && !(isnan(got) && isnan(x.value)) : !acceptable(s->args.type_d, got, x)) {
                if (count++ < 3) {
                    fprintf(stderr, "  row %lld column %lld: got %.9g, want %.9g\n", (long long)row, (long long)column,
                            got, x.value);
                }
            }
        }
    }
    return count;
}

/* A problem for selection and checks only: shaped pointers that nothing reads, on 256-byte boundaries, far apart. */
static struct catc_gemm_args simple_fake(enum catc_type type, enum catc_layout layout, int64_t m, int64_t n, int64_t k)
{
    struct catc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k;
    g.layout = layout;
    g.type_a = type;
    g.a = (const void *)(uintptr_t)0x100000000000u;
    g.b = (const void *)(uintptr_t)0x200000000000u;
    g.c = (const void *)(uintptr_t)0x300000000000u;
    g.d = (void *)(uintptr_t)0x400000000000u;
    g.backend = CATC_HOST;
    return g;
}

/* The same for exactly this instance. */
static struct catc_gemm_args simple_fake_for(const struct catc_gemm_instance *i, int64_t m, int64_t n, int64_t k)
{
    struct catc_gemm_args g = simple_fake(i->type_a, i->layout, m, n, k);
    g.type_b = i->type_b, g.type_acc = i->type_acc, g.type_d = i->type_d;
    g.backend = i->backend;
    g.instance = i;
    for (; g.n_epi < i->n_epi; ++g.n_epi) {
        int64_t const terabyte = (int64_t)1 << 40;
        g.epi[g.n_epi].op = catc_op_id(i->epi[g.n_epi].name);
        g.epi[g.n_epi].type = i->epi[g.n_epi].type;
        g.epi[g.n_epi].ptr = g.c;
        g.epi[g.n_epi].out = (char *)g.d + (g.n_epi + 1) * terabyte;
    }
    return g;
}

/* The next instance from *at on that has code for the device; NULL at the end. */
static const struct catc_gemm_instance *simple_next_any(enum catc_backend backend, int *at)
{
    const struct catc_gemm_instance *i;
    while ((i = catc_gemm_at(NULL, backend, (*at)++))) {
        struct catc_gemm_args const g = simple_fake_for(i, 64, 64, 64);
        if (catc_gemm_check(i, &g, NULL, 0) != CATC_ARCH_MISMATCH) {
            break;
        }
    }
    return i;
}

/* The same among those whose chain neutral operands make the identity, but for activations: no operation on
 * coordinates. */
static const struct catc_gemm_instance *simple_next(enum catc_backend backend, int *at)
{
    const struct catc_gemm_instance *i;
    bool coordinates = true;
    while (coordinates && (i = simple_next_any(backend, at))) {
        coordinates = false;
        for (int e = 0; e < i->n_epi; ++e) {
            coordinates = coordinates || i->epi[e].kind == CATC_EPI_COORD;
        }
    }
    return i;
}

/* What the library chooses; NULL (and the sentence on stderr) if it refuses. */
static const struct catc_gemm_instance *simple_choice(const struct catc_gemm_args *args)
{
    struct catc_gemm_plan plan;
    enum catc_status const status = catc_gemm_make_plan(&plan, args);
    if (status != CATC_OK) {
        fprintf(stderr, "%s: %s\n", catc_status_name(status), catc_last_message());
        return NULL;
    }
    return catc_gemm_plan_instance(&plan);
}

/* The first plain instance of the reference skeleton: A, B and D of one type, no chain; NULL if none is built. */
static const struct catc_gemm_instance *simple_plain(enum catc_backend backend, enum catc_type type,
                                                     enum catc_layout layout)
{
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, backend, at)); ++at) {
        if (i->skeleton == CATC_GEMM_SIMT && i->n_epi == 0 && i->type_a == type && i->type_b == type &&
            i->type_d == type && i->layout == layout) {
            break;
        }
    }
    return i;
}

/* The first instance of a skeleton; NULL if none is built. */
static const struct catc_gemm_instance *simple_first_of(enum catc_backend backend, enum catc_skeleton skeleton)
{
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(NULL, backend, at)) && i->skeleton != skeleton;) {
        ++at;
    }
    return i;
}

/* The backends that can run here: host, and cuda with a GPU. */
static int simple_backends(enum catc_backend out[2])
{
    out[0] = CATC_HOST;
    out[1] = CATC_CUDA;
    return gpu_count() > 0 ? 2 : 1;
}

/* For tests that ask for more than one instance can give: ends the program as skipped if CATC_INSTANCES left the default
 * set out of the build. */
static void simple_needs_default_set(void)
{
#ifdef CATC_TEST_INSTANCES_ONLY
    fprintf(stderr, "skipped: this test needs the default instances, and this build has CATC_INSTANCES=%s only\n",
            CATC_TEST_INSTANCES_ONLY);
    exit(77);
#endif
}

/* main of a test that does the same on every backend there is. */
static CATC_UNUSED int simple_main(void (*test)(enum catc_backend backend))
{
    enum catc_backend backend[2];
    simple_needs_default_set();
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        test(backend[b]);
    }
    return check_result();
}

#endif /* CATC_TESTS_GEMM_SIMPLE_H */
