/* SPDX-License-Identifier: Apache-2.0
 *
 * api/pointer_arrays.c: batches by arrays of pointers. Every choice of operands by array, by stride and shared, pointers of
 * every alignment in one batch and other ones for each operand, with and without a chain, gives the bits of the same
 * problems one by one; sizes of 0; plans that get other arrays. */
#include "gemm/simple.h"

enum { PROBLEMS = 5, A = 0, B, C, D, OPERANDS };
enum how { BY_STRIDE, BY_ARRAY, SHARED };

/* One operand of all problems, with the same elements twice: apart by one stride, and scattered. */
struct operand {
    struct buffer regular, scattered, array; /* array: pointers into scattered */
    enum catc_type type;
    int64_t lines, length, ld, stride;
    int64_t at[PROBLEMS]; /* first element of each problem in scattered */
};

struct set {
    struct catc_gemm_args args;
    struct operand o[OPERANDS];
    struct buffer epi[CATC_EPI_MAX];
    float alpha, beta;
};

static const struct catc_device *one_sm; /* the present device with a single SM: its blocks take many tiles */

static int64_t up_to_8(int64_t elements)
{
    return (elements + 7) / 8 * 8;
}

static double fraction(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 16) / 32768.0 - 1.0;
}

/* What a chain operand adds or multiplies stays finite in every type. */
static void fill(const struct buffer *b, enum catc_type type, int64_t elements, uint32_t *state)
{
    for (int64_t i = 0; i < elements; ++i) {
        element_write(type, b->host + b->offset, i, fraction(state));
    }
    buffer_upload(b);
}

static void *element(const struct buffer *b, enum catc_type type, int64_t index)
{
    return (unsigned char *)buffer_use(b) + index * (int64_t)catc_type_size(type);
}

/* Which of the two copies is used, and where its problem p starts. */
static const struct buffer *memory(const struct operand *o, enum how how)
{
    return how == BY_ARRAY ? &o->scattered : &o->regular;
}
static void *start(const struct operand *o, enum how how, int64_t p)
{
    return element(memory(o, how), o->type, how == BY_ARRAY ? o->at[p] : how == BY_STRIDE ? p * o->stride : 0);
}

/* turn: of the alignments and of the order in memory, so that no two operands agree in either. */
static void operand_open(struct operand *o, enum catc_backend backend, enum catc_type type, int64_t lines,
                         int64_t length, int turn)
{
    static const int behind[PROBLEMS] = {0, 4, 2, 1, 7}; /* elements; of 2 bytes: 16, 8, 4, 2 and 2 bytes aligned */
    int64_t const lines_1 = lines > 0 ? lines - 1 : 0;
    uint32_t state = (uint32_t)turn * 977u + 1u;
    void *entries[PROBLEMS];
    int64_t end = 0;
    memset(o, 0, sizeof *o);
    o->type = type, o->lines = lines, o->length = length;
    o->ld = up_to_8(length) + 8;
    o->stride = lines * o->ld + 8;
    for (int64_t place = 0; place < PROBLEMS; ++place) {
        int64_t const p = (2 * place + turn) % PROBLEMS;
        o->at[p] = up_to_8(end) + behind[(p + turn) % PROBLEMS];
        end = o->at[p] + lines_1 * o->ld + length;
    }
    size_t const size = catc_type_size(type);
    size_t const regular = (size_t)((PROBLEMS - 1) * o->stride + lines_1 * o->ld + length) * size;
    o->regular = turn == D ? buffer_output(backend, regular, 0) : buffer_input(backend, regular, 0);
    o->scattered =
        turn == D ? buffer_output(backend, (size_t)end * size, 0) : buffer_input(backend, (size_t)end * size, 0);
    for (int64_t p = 0; p < PROBLEMS; ++p) {
        for (int64_t i = 0; turn != D && i < lines; ++i) {
            for (int64_t j = 0; j < length; ++j) {
                double const x = fraction(&state);
                element_write(type, o->regular.host + o->regular.offset, p * o->stride + i * o->ld + j, x);
                element_write(type, o->scattered.host + o->scattered.offset, o->at[p] + i * o->ld + j, x);
            }
        }
        entries[p] = start(o, BY_ARRAY, p);
    }
    buffer_upload(&o->regular);
    buffer_upload(&o->scattered);
    o->array = buffer_pointers(backend, entries, PROBLEMS);
}

/* Problems of an instance, each with its own operands of the chain. */
static void set_open(struct set *s, const struct catc_gemm_instance *i, int64_t m, int64_t n, int64_t k)
{
    struct catc_gemm_args *const g = &s->args;
    bool const a_rows = simple_a_by_rows(i->layout), b_rows = simple_b_by_rows(i->layout);
    uint32_t state = 4711;
    memset(s, 0, sizeof *s);
    operand_open(&s->o[A], i->backend, i->type_a, a_rows ? m : k, a_rows ? k : m, A);
    operand_open(&s->o[B], i->backend, i->type_b, b_rows ? k : n, b_rows ? n : k, B);
    operand_open(&s->o[C], i->backend, i->type_d, m, n, C);
    operand_open(&s->o[D], i->backend, i->type_d, m, n, D);
    s->alpha = 0.75f, s->beta = -1.5f;
    g->m = m, g->n = n, g->k = k;
    g->layout = i->layout;
    g->type_a = i->type_a, g->type_b = i->type_b, g->type_d = i->type_d, g->type_acc = i->type_acc;
    g->lda = s->o[A].ld, g->ldb = s->o[B].ld, g->ldc = s->o[C].ld, g->ldd = s->o[D].ld;
    g->alpha = &s->alpha, g->beta = &s->beta;
    g->backend = i->backend;
    g->instance = i;
    g->n_epi = i->n_epi;
    for (int e = 0; e < i->n_epi; ++e) {
        struct catc_epi *const epi = &g->epi[e];
        enum catc_epi_kind const kind = i->epi[e].kind;
        bool const output = kind == CATC_EPI_TAP || kind == CATC_EPI_REDUCE;
        enum catc_type const type = i->epi[e].type ? i->epi[e].type : CATC_F32;
        epi->op = catc_op_id(i->epi[e].name);
        epi->type = i->epi[e].type;
        epi->a = -0.5f, epi->b = 0.5f;
        epi->batch_stride = kind == CATC_EPI_REDUCE                         ? 1
                            : kind == CATC_EPI_TAP || kind == CATC_EPI_TILE ? m * n + 3
                            : kind == CATC_EPI_COL                          ? n + 3
                            : kind == CATC_EPI_ROW                          ? m + 3
                                                                            : 0;
        if (epi->batch_stride) {
            int64_t const elements = PROBLEMS * epi->batch_stride;
            size_t const bytes = (size_t)elements * catc_type_size(type);
            s->epi[e] = output ? buffer_output(i->backend, bytes, 0) : buffer_input(i->backend, bytes, 0);
            fill(&s->epi[e], type, output ? 0 : elements, &state);
            epi->ptr = output ? NULL : buffer_use(&s->epi[e]);
            epi->out = output ? buffer_use(&s->epi[e]) : NULL;
        }
    }
}

static void set_close(struct set *s)
{
    for (int o = 0; o < OPERANDS; ++o) {
        buffer_free(&s->o[o].regular);
        buffer_free(&s->o[o].scattered);
        buffer_free(&s->o[o].array);
    }
    for (int e = 0; e < s->args.n_epi; ++e) {
        if (s->epi[e].host) {
            buffer_free(&s->epi[e]);
        }
    }
}

/* Outputs as they were before: NaN, and 0 for what a reduction folds into. */
static void set_clear(struct set *s, enum how how)
{
    const struct buffer *const d = memory(&s->o[D], how);
    memset(d->host, 0xff, d->total);
    buffer_upload(d);
    for (int e = 0; e < s->args.n_epi; ++e) {
        const struct buffer *const b = &s->epi[e];
        if (s->args.epi[e].out) {
            memset(b->host, 0xff, b->total);
            if (s->args.instance->epi[e].kind == CATC_EPI_REDUCE) {
                memset(b->host + b->offset, 0, b->bytes);
            }
            buffer_upload(b);
        }
    }
}

/* What D and the outputs of the chain hold; the caller frees. */
static unsigned char *set_image(struct set *s, enum how how, size_t *bytes)
{
    const struct buffer *part[1 + CATC_EPI_MAX] = {memory(&s->o[D], how)};
    int parts = 1;
    for (int e = 0; e < s->args.n_epi; ++e) {
        if (s->args.epi[e].out) {
            part[parts++] = &s->epi[e];
        }
    }
    return buffers_image(part, parts, bytes);
}

static void set_one_by_one(struct set *s, const enum how *how)
{
    for (int64_t p = 0; p < PROBLEMS; ++p) {
        struct catc_gemm_args g = s->args;
        g.a = start(&s->o[A], how[A], p), g.b = start(&s->o[B], how[B], p);
        g.c = start(&s->o[C], how[C], p), g.d = start(&s->o[D], how[D], p);
        for (int e = 0; e < g.n_epi; ++e) {
            enum catc_type const type = g.epi[e].type ? g.epi[e].type : CATC_F32;
            int64_t const at = p * g.epi[e].batch_stride;
            g.epi[e].ptr = g.epi[e].ptr ? element(&s->epi[e], type, at) : NULL;
            g.epi[e].out = g.epi[e].out ? element(&s->epi[e], type, at) : NULL;
        }
        CHECK(catc_gemm(&g) == CATC_OK);
    }
}

/* The batch's arguments. What an array replaces is not a pointer and not a stride. */
static struct catc_gemm_args set_batch(const struct set *s, const enum how *how)
{
    void *const none = (void *)(uintptr_t)1;
    struct catc_gemm_args g = s->args;
    const void *base[OPERANDS];
    void *array[OPERANDS];
    int64_t stride[OPERANDS];
    for (int o = 0; o < OPERANDS; ++o) {
        base[o] = how[o] == BY_ARRAY ? none : start(&s->o[o], how[o], 0);
        array[o] = how[o] == BY_ARRAY ? buffer_use(&s->o[o].array) : NULL;
        stride[o] = how[o] == BY_ARRAY ? -1 : how[o] == BY_STRIDE ? s->o[o].stride : 0;
    }
    g.batch = PROBLEMS;
    g.a = base[A], g.b = base[B], g.c = base[C], g.d = (void *)(uintptr_t)base[D];
    g.stride_a = stride[A], g.stride_b = stride[B], g.stride_c = stride[C], g.stride_d = stride[D];
    g.a_array = (const void *const *)array[A], g.b_array = (const void *const *)array[B];
    g.c_array = (const void *const *)array[C], g.d_array = (void *const *)array[D];
    return g;
}

/* The batch gives the bits that the problems gave one by one, and leaves the rest of the memory alone. */
static void as_one_by_one(struct set *s, const enum how *how)
{
    struct catc_gemm_args g = set_batch(s, how);
    const struct catc_device *const device[] = {NULL, one_sm};
    size_t bytes = 0, got_bytes = 0;
    set_clear(s, how[D]);
    set_one_by_one(s, how);
    unsigned char *const want = set_image(s, how[D], &bytes);
    for (int d = 0; d < (how[D] == BY_ARRAY ? 2 : 1); ++d) {
        set_clear(s, how[D]);
        g.device = device[d];
        if (catc_gemm(&g) != CATC_OK) {
            fprintf(stderr, "  %s\n", catc_last_message());
            ++check_failures;
        }
        unsigned char *const got = set_image(s, how[D], &got_bytes);
        if (bytes != got_bytes || memcmp(got, want, bytes) != 0) {
            fprintf(stderr, "  %s: A %d B %d C %d D %d (0 stride, 1 array, 2 shared)%s: the batch has other bits\n",
                    g.instance->name, how[A], how[B], how[C], how[D], d ? ", one SM" : "");
            ++check_failures;
        }
        free(got);
    }
    free(want);
}

/* The bits of a problem do not depend on the alignment of its operands either. Both copies of D hold results. */
static void same_elements(const struct operand *d)
{
    size_t const size = catc_type_size(d->type);
    int wrong = 0;
    for (int64_t p = 0; p < PROBLEMS; ++p) {
        for (int64_t i = 0; i < d->lines; ++i) {
            const unsigned char *const x =
                d->regular.host + d->regular.offset + (p * d->stride + i * d->ld) * (int64_t)size;
            const unsigned char *const y =
                d->scattered.host + d->scattered.offset + (d->at[p] + i * d->ld) * (int64_t)size;
            wrong += memcmp(x, y, (size_t)d->length * size) != 0;
            for (int64_t j = 0; j < d->length; ++j) {
                wrong += isnan(element_read(d->type, x, j));
            }
        }
    }
    CHECK(wrong == 0);
}

static void every_choice(struct set *s)
{
    static const enum how with_shared[][OPERANDS] = {{BY_ARRAY, SHARED, SHARED, BY_ARRAY},
                                                     {SHARED, BY_ARRAY, BY_ARRAY, BY_STRIDE},
                                                     {BY_ARRAY, SHARED, BY_STRIDE, BY_STRIDE}};
    for (int mask = 0; mask < 1 << OPERANDS; ++mask) {
        enum how how[OPERANDS];
        for (int o = 0; o < OPERANDS; ++o) {
            how[o] = mask >> o & 1 ? BY_ARRAY : BY_STRIDE;
        }
        as_one_by_one(s, how);
    }
    same_elements(&s->o[D]);
    for (size_t i = 0; i < sizeof with_shared / sizeof with_shared[0]; ++i) {
        as_one_by_one(s, with_shared[i]);
    }
}

/* C by array is D by array: D holds C, and is overwritten. */
static void in_place(struct set *s)
{
    enum how const how[OPERANDS] = {BY_ARRAY, BY_ARRAY, BY_ARRAY, BY_ARRAY};
    const struct operand *const c = &s->o[C], *const d = &s->o[D];
    struct catc_gemm_args g = set_batch(s, how);
    size_t const line = (size_t)c->length * catc_type_size(c->type);
    size_t bytes = 0, got_bytes = 0;
    set_clear(s, BY_ARRAY);
    CHECK(catc_gemm(&g) == CATC_OK);
    unsigned char *const want = set_image(s, BY_ARRAY, &bytes);
    set_clear(s, BY_ARRAY);
    for (int64_t p = 0; p < PROBLEMS; ++p) {
        for (int64_t i = 0; i < c->lines; ++i) {
            int64_t const size = (int64_t)catc_type_size(c->type);
            memcpy(d->scattered.host + d->scattered.offset + (d->at[p] + i * d->ld) * size,
                   c->scattered.host + c->scattered.offset + (c->at[p] + i * c->ld) * size, line);
        }
    }
    buffer_upload(&d->scattered);
    g.c_array = (const void *const *)g.d_array;
    CHECK(catc_gemm(&g) == CATC_OK);
    unsigned char *const got = set_image(s, BY_ARRAY, &got_bytes);
    CHECK(bytes == got_bytes && memcmp(got, want, bytes) == 0);
    free(got);
    free(want);
}

/* Every instance that takes arrays; one of each skeleton and layout in all choices of operands. */
static void instances(enum catc_backend backend)
{
    static const enum how all[OPERANDS] = {BY_ARRAY, BY_ARRAY, BY_ARRAY, BY_ARRAY};
    bool seen[CATC_SKELETON_END][CATC_LAYOUT_END] = {{false}};
    bool chain[CATC_SKELETON_END] = {false};
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = simple_next_any(backend, &at));) {
        if (i->skeleton == CATC_GEMM_SM90) {
            continue;
        }
        struct set s;
        set_open(&s, i, 70, 45, 2 * i->tile_k + 3);
        if (i->n_epi == 0 && !seen[i->skeleton][i->layout]) {
            every_choice(&s);
            in_place(&s);
            seen[i->skeleton][i->layout] = true;
        } else {
            as_one_by_one(&s, all);
            chain[i->skeleton] = chain[i->skeleton] || i->n_epi > 0;
        }
        set_close(&s);
    }
    for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) {
        CHECK(seen[CATC_GEMM_SIMT][layout] && seen[CATC_GEMM_SM80][layout]);
    }
    CHECK(chain[CATC_GEMM_SIMT] && chain[CATC_GEMM_SM80]);
}

static bool unchanged(struct set *s)
{
    size_t bytes = 0;
    unsigned char *const image = set_image(s, BY_ARRAY, &bytes);
    int const changed = simple_bytes_that_changed(image, bytes);
    free(image);
    return changed == 0;
}

/* beta * C, elementwise: what k = 0 leaves. Stored bits. */
static bool is_scaled_c(struct set *s, int64_t problems)
{
    const struct operand *const c = &s->o[C], *const d = &s->o[D];
    bool same = true;
    buffer_download(&d->scattered);
    for (int64_t p = 0; p < PROBLEMS; ++p) {
        for (int64_t i = 0; i < c->lines; ++i) {
            for (int64_t j = 0; j < c->length; ++j) {
                double const x =
                    element_read(c->type, c->scattered.host + c->scattered.offset, c->at[p] + i * c->ld + j);
                double const y =
                    element_read(d->type, d->scattered.host + d->scattered.offset, d->at[p] + i * d->ld + j);
                struct bounded const want = {(double)s->beta * x, 0.0};
                same = same && (p < problems ? acceptable(d->type, y, want) : isnan(y));
            }
        }
    }
    return same;
}

static void sizes_of_0(enum catc_backend backend, const struct catc_gemm_instance *i)
{
    static const enum how all[OPERANDS] = {BY_ARRAY, BY_ARRAY, BY_ARRAY, BY_ARRAY};
    const void *const *const nowhere = (const void *const *)(uintptr_t)4096; /* would fault, on the host too */
    struct set s;
    set_open(&s, i, 24, 16, 40);
    CHECK(s.args.backend == backend);
    struct catc_gemm_args const good = set_batch(&s, all);
    struct catc_gemm_args g;
    set_clear(&s, BY_ARRAY);
    for (int zero = 0; zero < 3; ++zero) { /* nothing to do, and nothing is looked at */
        g = good;
        g.a_array = g.b_array = g.c_array = nowhere;
        *(zero == 0 ? &g.m : zero == 1 ? &g.n : &g.batch) = 0;
        CHECK(catc_gemm(&g) == CATC_OK && unchanged(&s));
    }
    g = good;
    g.batch = 1;
    CHECK(catc_gemm(&g) == CATC_OK && !unchanged(&s));

    set_clear(&s, BY_ARRAY);
    g = good;
    g.k = 0; /* A and B are not read */
    g.a_array = g.b_array = NULL;
    g.a = g.b = NULL;
    g.stride_a = g.stride_b = 0;
    CHECK(catc_gemm(&g) == CATC_OK && is_scaled_c(&s, PROBLEMS));
    set_clear(&s, BY_ARRAY);
    g.a_array = g.b_array = nowhere;
    g.batch = 1;
    CHECK(catc_gemm(&g) == CATC_OK && is_scaled_c(&s, 1));

    set_clear(&s, BY_ARRAY);
    s.beta = 0.0f;
    g = good; /* C is not read */
    g.c_array = nowhere;
    CHECK(catc_gemm(&g) == CATC_OK);
    size_t bytes = 0, got_bytes = 0;
    unsigned char *const want = set_image(&s, BY_ARRAY, &bytes);
    g.c_array = NULL, g.c = NULL, g.stride_c = 0;
    set_clear(&s, BY_ARRAY);
    CHECK(catc_gemm(&g) == CATC_OK);
    unsigned char *const got = set_image(&s, BY_ARRAY, &got_bytes);
    CHECK(bytes == got_bytes && memcmp(got, want, bytes) == 0);
    free(got);
    free(want);

    /* without d_array an unset batch is one problem, also with an array for A: its first entry */
    enum how const a_only[OPERANDS] = {BY_ARRAY, SHARED, SHARED, SHARED};
    g = set_batch(&s, a_only);
    g.batch = 0;
    set_clear(&s, BY_STRIDE);
    CHECK(catc_gemm(&g) == CATC_OK);
    buffer_download(&s.o[D].regular);
    CHECK(!isnan(element_read(g.type_d, s.o[D].regular.host + s.o[D].regular.offset, 0)));
    set_close(&s);
}

/* A launch of `plan` gives what `s` gave one by one. */
static void launches(const struct catc_gemm_plan *plan, struct set *s, const enum how *how)
{
    size_t bytes = 0, got_bytes = 0;
    set_clear(s, how[D]);
    set_one_by_one(s, how);
    unsigned char *const want = set_image(s, how[D], &bytes);
    set_clear(s, how[D]);
    CHECK(catc_gemm_launch(plan, NULL, NULL) == CATC_OK);
    unsigned char *const got = set_image(s, how[D], &got_bytes);
    CHECK(bytes == got_bytes && memcmp(got, want, bytes) == 0);
    free(got);
    free(want);
}

static void plans(const struct catc_gemm_instance *i)
{
    static const enum how all[OPERANDS] = {BY_ARRAY, BY_ARRAY, BY_ARRAY, BY_ARRAY};
    static const enum how none[OPERANDS] = {BY_STRIDE, BY_STRIDE, BY_STRIDE, BY_STRIDE};
    struct set x, y;
    struct catc_gemm_plan plan, before;
    set_open(&x, i, 70, 45, 40);
    set_open(&y, i, 33, 80, 24);
    struct catc_gemm_args g = set_batch(&x, all);
    /* The kernel reads the arrays: what is in them at launch counts. */
    struct buffer const *const array = &x.o[A].array;
    unsigned char keep[PROBLEMS * sizeof(void *)];
    memcpy(keep, array->host + array->offset, sizeof keep);
    for (int p = 1; p < PROBLEMS; ++p) {
        memcpy(array->host + array->offset + (size_t)p * sizeof(void *), keep, sizeof(void *));
    }
    buffer_upload(array);
    CHECK(catc_gemm_make_plan(&plan, &g) == CATC_OK);
    memcpy(array->host + array->offset, keep, sizeof keep);
    buffer_upload(array);
    launches(&plan, &x, all);
    launches(&plan, &x, all);

    g = set_batch(&y, all);
    CHECK(catc_gemm_plan_update(&plan, &g) == CATC_OK && catc_gemm_plan_instance(&plan) == i);
    launches(&plan, &y, all);
    before = plan;
    g.d_array = (void *const *)((const char *)g.d_array + 4);
    CHECK(catc_gemm_plan_update(&plan, &g) == CATC_MISALIGNED && memcmp(&plan, &before, sizeof plan) == 0);
    CHECK_HAS(catc_last_message(), "d_array: address=");
    launches(&plan, &y, all);
    g = set_batch(&x, none);
    CHECK(catc_gemm_plan_update(&plan, &g) == CATC_OK);
    launches(&plan, &x, none);
    g = set_batch(&x, all);
    CHECK(catc_gemm_plan_update(&plan, &g) == CATC_OK);
    launches(&plan, &x, all);
    set_close(&x);
    set_close(&y);
}

static const struct catc_gemm_instance *plain_sm80(enum catc_backend backend)
{
    const struct catc_gemm_instance *i;
    int at = 0;
    while ((i = simple_next_any(backend, &at)) && (i->skeleton != CATC_GEMM_SM80 || i->n_epi > 0)) {
    }
    return i;
}

static void test(enum catc_backend backend)
{
    static struct catc_device device;
    const struct catc_gemm_instance *const fixed[] = {simple_plain(backend, CATC_F32, CATC_TN), plain_sm80(backend)};
    if (backend == CATC_HOST) {
        device = *catc_device_find("h200");
    } else {
        CHECK(catc_device_current(&device) == CATC_OK);
    }
    device.sms = 1;
    one_sm = &device;
    instances(backend);
    for (int f = 0; f < 2; ++f) {
        CHECK(fixed[f] != NULL);
        if (fixed[f]) {
            sizes_of_0(backend, fixed[f]);
            plans(fixed[f]);
        }
    }
}

int main(void)
{
    unsetenv("CATC_HOST_DEVICE");
    return simple_main(test);
}
