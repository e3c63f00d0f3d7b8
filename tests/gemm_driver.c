/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_driver.c: runs instances of GEMM through every fixed case and compares with the fp64 reference.
 *
 *   catc_gemm_driver [--backend host|cuda|both] [--case NAME] [--seed S] [--m M --n N --k K] [--list] PATTERN…
 *
 * PATTERN is an instance name or a glob. `both` also compares the two backends bit for bit where the arithmetic is
 * exact. Sizes replace the fixed cases by one random problem. Exit 77: no GPU (gemm/gpu.h). */
#include <fnmatch.h>
#include <signal.h>
#include <unistd.h>

#include "gemm/gpu.h"
#include "gemm/reference.h"

/* The registry under test: the library's, or that of a user's target (TESTS of catc_add_instances). */
#ifdef CATC_DRIVER_REGISTRY
const struct catc_registry *CATC_DRIVER_REGISTRY(void);
#else
#define CATC_DRIVER_REGISTRY catc_library_registry
#endif

struct shape {
    const char *name;
    int64_t m, n, k, batch;
    int pad;      /* extra elements of every leading dimension */
    size_t shift; /* elements by which every base pointer is off a 256-byte boundary */
    float alpha, beta;
    bool exact;    /* small integers: every result is exact in fp32 and in D's type */
    bool special;  /* NaN, Inf, -0 among the inputs */
    bool in_place; /* D is C */
    bool twice;    /* run the same plan again: the same bits */
    bool pointers; /* A, B, C and D by arrays of pointers, to problems in another order and of every alignment */
    bool tight_d;  /* D alone without padding, one element off every alignment */
    bool shared_a; /* one A for all problems: its batch stride is 0 */
    bool shared_b;
    int sms; /* multiprocessors that the plan counts with, 0: all. With one, a persistent block has many tiles */
};

struct operand {
    struct buffer buffer, pointers;
    int64_t ld, stride;
    int64_t turn, batch; /* problem p lies at place (p + turn) % batch */
};

struct run {
    const struct catc_gemm_instance *instance;
    const struct shape *shape;
    struct catc_gemm_args args;
    struct operand a, b, c, d, epi[CATC_EPI_MAX];
    struct catc_device device;
};

static uint64_t seed = 1;

static uint32_t random_u32(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* Small integers in exact cases, otherwise uniform in [-1, 1) as the type can hold it. */
static double random_value(uint64_t *state, bool exact, int range)
{
    uint32_t const r = random_u32(state);
    return exact ? (double)(r % (2 * (uint32_t)range + 1)) - range : (double)r / 1073741824.0 - 1.0;
}

/* A matrix of `lines` x `length` with padding between lines and problems; the padding stays NaN. */
static struct operand matrix_make(enum catc_backend backend, enum catc_type type, int64_t lines, int64_t length,
                                  const struct shape *s, bool output, uint64_t *state, int range)
{
    struct operand o;
    memset(&o, 0, sizeof o);
    size_t const size = catc_type_size(type);
    int64_t const per_16 = 16 / (int64_t)size;
    /* padding in whole 16-byte units unless the case is about alignment */
    int64_t const pad = s->shift ? s->pad : (s->pad + per_16 - 1) / per_16 * per_16;
    int64_t const packed = s->shift ? length : (length + per_16 - 1) / per_16 * per_16;
    o.ld = packed + pad;
    o.stride = s->batch > 1 ? o.ld * lines + pad + s->pointers : 0; /* odd with pointers: each its own alignment */
    o.batch = s->batch;
    int64_t const elements = lines > 0 && length > 0 ? (s->batch - 1) * o.stride + (lines - 1) * o.ld + length : 1;
    o.buffer = output ? buffer_output(backend, (size_t)elements * size, s->shift * size)
                      : buffer_input(backend, (size_t)elements * size, s->shift * size);
    for (int64_t p = 0; range > 0 && p < s->batch; ++p) {
        for (int64_t i = 0; i < lines; ++i) {
            for (int64_t j = 0; j < length; ++j) {
                double value = random_value(state, s->exact, range);
                if (s->special) {
                    uint32_t const r = random_u32(state) % 97;
                    value = r == 0 ? NAN : r == 1 ? INFINITY : r == 2 ? -INFINITY : r < 6 ? -0.0 : value;
                }
                element_write(type, o.buffer.host + o.buffer.offset, p * o.stride + i * o.ld + j, value);
            }
        }
    }
    buffer_upload(&o.buffer);
    return o;
}

/* Elements from the first problem's place to that of problem p. */
static int64_t matrix_start(const struct operand *o, int64_t p)
{
    return (p + o->turn) % o->batch * o->stride;
}

static double matrix_at(const struct operand *o, enum catc_type type, int64_t p, int64_t i, int64_t j)
{
    return element_read(type, o->buffer.host + o->buffer.offset, matrix_start(o, p) + i * o->ld + j);
}

/* The array of pointers to an operand's problems, as the kernel sees it. */
static void *matrix_pointers(struct operand *o, enum catc_type type, int64_t turn)
{
    void *entries[8];
    if (o->batch > 8) {
        die("more problems than a case by pointers has room for");
    }
    o->turn = turn;
    for (int64_t p = 0; p < o->batch; ++p) {
        entries[p] = (unsigned char *)buffer_use(&o->buffer) + matrix_start(o, p) * (int64_t)catc_type_size(type);
    }
    o->pointers = buffer_pointers(o->buffer.backend, entries, o->batch);
    return buffer_use(&o->pointers);
}

static bool a_by_rows(enum catc_layout layout)
{
    return layout == CATC_TN || layout == CATC_TT;
}
static bool b_by_columns(enum catc_layout layout)
{
    return layout == CATC_TN || layout == CATC_NN;
}

static enum catc_type position_type(const struct catc_epi_position *position)
{
    return position->type ? position->type : CATC_F32;
}

static void run_make(struct run *r, const struct catc_gemm_instance *i, const struct shape *s)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    struct catc_gemm_args *const g = &r->args;
    int64_t const m = s->m, n = s->n, k = s->k;
    struct shape of_a = *s, of_b = *s;
    of_a.batch = s->shared_a ? 1 : s->batch;
    of_b.batch = s->shared_b ? 1 : s->batch;
    memset(r, 0, sizeof *r);
    r->instance = i;
    r->shape = s;
    r->a = matrix_make(i->backend, i->type_a, a_by_rows(i->layout) ? m : k, a_by_rows(i->layout) ? k : m, &of_a, false,
                       &state, 1);
    r->b = matrix_make(i->backend, i->type_b, b_by_columns(i->layout) ? n : k, b_by_columns(i->layout) ? k : n, &of_b,
                       false, &state, 1);
    bool const reads_c = s->beta != 0.0f;
    struct shape of_d = *s;
    of_d.shift = s->tight_d ? 1 : s->shift;
    r->d = matrix_make(i->backend, i->type_d, m, n, &of_d, true, &state, s->in_place ? 2 : 0);
    r->c = s->in_place ? r->d : matrix_make(i->backend, i->type_d, m, n, s, false, &state, reads_c ? 2 : 0);
    g->m = m, g->n = n, g->k = k, g->batch = s->batch;
    g->layout = i->layout;
    g->type_a = i->type_a, g->type_b = i->type_b, g->type_d = i->type_d, g->type_acc = i->type_acc;
    g->a = buffer_use(&r->a.buffer), g->b = buffer_use(&r->b.buffer), g->d = buffer_use(&r->d.buffer);
    g->c = buffer_use(&r->c.buffer);
    g->lda = r->a.ld, g->ldb = r->b.ld, g->ldc = r->c.ld, g->ldd = r->d.ld;
    g->stride_a = r->a.stride, g->stride_b = r->b.stride, g->stride_c = r->c.stride, g->stride_d = r->d.stride;
    if (s->pointers) {
        g->a_array = (const void *const *)matrix_pointers(&r->a, i->type_a, 0);
        g->b_array = (const void *const *)matrix_pointers(&r->b, i->type_b, 1);
        g->c_array = (const void *const *)matrix_pointers(&r->c, i->type_d, 2);
        g->d_array = (void *const *)matrix_pointers(&r->d, i->type_d, 3);
        g->a = g->b = g->c = g->d = NULL;
        g->stride_a = g->stride_b = g->stride_c = g->stride_d = 0;
    }
    g->alpha = &s->alpha, g->beta = &s->beta;
    g->backend = i->backend;
    g->instance = i;
    if (s->sms > 0) {
        if (i->backend == CATC_HOST) {
            r->device = *catc_device_find("h200");
        } else if (catc_device_current(&r->device) != CATC_OK) {
            die(catc_last_message());
        }
        r->device.sms = s->sms;
        g->device = &r->device;
    }
    g->n_epi = i->n_epi;
    for (int e = 0; e < i->n_epi; ++e) {
        const struct catc_epi_position *const position = &i->epi[e];
        enum catc_epi_kind const kind = position->kind;
        bool const output = kind == CATC_EPI_TAP || kind == CATC_EPI_REDUCE;
        bool const matrix = kind == CATC_EPI_TILE || kind == CATC_EPI_TAP;
        struct shape one = *s;
        int64_t const length = kind == CATC_EPI_ROW ? m : n;
        g->epi[e].op = catc_op_id(position->name);
        g->epi[e].type = position->type;
        if (kind == CATC_EPI_SCALAR) {
            g->epi[e].a = 2.0f;
        } else if (kind == CATC_EPI_PAIR) {
            g->epi[e].a = -1.0f, g->epi[e].b = 3.0f;
        }
        if (!output && !matrix && kind != CATC_EPI_COL && kind != CATC_EPI_ROW) {
            continue;
        }
        one.special = one.pointers = false;
        r->epi[e] = matrix_make(i->backend, position_type(position),
                                kind == CATC_EPI_REDUCE ? 1
                                : matrix                ? m
                                                        : 1,
                                kind == CATC_EPI_REDUCE ? 1 : length, &one, output, &state, output ? 0 : 2);
        if (kind == CATC_EPI_REDUCE) {
            for (int64_t p = 0; p < s->batch; ++p) {
                memset(r->epi[e].buffer.host + r->epi[e].buffer.offset + p * r->epi[e].stride * 4, 0, 4);
            }
            buffer_upload(&r->epi[e].buffer);
        }
        g->epi[e].ptr = output ? NULL : buffer_use(&r->epi[e].buffer);
        g->epi[e].out = output ? buffer_use(&r->epi[e].buffer) : NULL;
        g->epi[e].ld = matrix ? r->epi[e].ld : 0;
        g->epi[e].batch_stride = r->epi[e].stride;
    }
}

static void run_free(struct run *r)
{
    struct operand *const matrix[] = {&r->a, &r->b, &r->d, &r->c};
    for (int o = 0; o < (r->shape->in_place ? 3 : 4); ++o) {
        buffer_free(&matrix[o]->buffer);
        if (matrix[o]->pointers.host) {
            buffer_free(&matrix[o]->pointers);
        }
    }
    for (int e = 0; e < r->instance->n_epi; ++e) {
        if (r->epi[e].buffer.host) {
            buffer_free(&r->epi[e].buffer);
        }
    }
}

static int mismatches;

static void mismatch(const struct run *r, const char *what, int64_t p, int64_t row, int64_t column, double got,
                     struct bounded want)
{
    const struct catc_gemm_instance *const i = r->instance;
    int64_t const tile_r = i->swap ? i->tile_n : i->tile_m, tile_c = i->swap ? i->tile_m : i->tile_n;
    if (mismatches++ < 5) {
        fprintf(stderr, "  %s: batch %lld row %lld column %lld (tile %lld, %lld): got %.9g, want %.9g +- %.3g\n", what,
                (long long)p, (long long)row, (long long)column, (long long)(row / tile_r),
                (long long)(column / tile_c), got, want.value, want.error);
    }
}

/* Bytes of an output outside its m x n elements are as they were: 0xff. Counts and prints a mismatch if not. */
static void compare_padding(const char *what, const struct operand *o, enum catc_type type, int64_t lines,
                            int64_t length, int64_t batch)
{
    size_t const size = catc_type_size(type);
    unsigned char *const used = (unsigned char *)calloc(1, o->buffer.total);
    int64_t outside = 0;
    for (int64_t p = 0; p < batch; ++p) {
        for (int64_t i = 0; i < lines; ++i) {
            memset(used + o->buffer.offset + (size_t)(p * o->stride + i * o->ld) * size, 1, (size_t)length * size);
        }
    }
    for (size_t byte = 0; byte < o->buffer.total; ++byte) {
        if (!used[byte] && o->buffer.host[byte] != 0xff && outside++ == 0) {
            int64_t const element = ((int64_t)byte - (int64_t)o->buffer.offset) / (int64_t)size;
            fprintf(stderr, "  %s: byte %zu was written, outside its elements (near row %lld column %lld of %lld)\n",
                    what, byte, (long long)(element / o->ld), (long long)(element % o->ld), (long long)length);
        }
    }
    mismatches += outside != 0;
    free(used);
}

/* Compare D, taps and reductions with the reference; c_before is C as it was. */
static void run_compare(struct run *r, const unsigned char *c_before)
{
    const struct catc_gemm_instance *const i = r->instance;
    const struct shape *const s = r->shape;
    double const unit = 0x1p-24 * (sqrt((double)s->k) + 4) * 2;
    double amax[CATC_EPI_MAX];
    double amax_error[CATC_EPI_MAX];
    for (int64_t p = 0; p < s->batch; ++p) {
        memset(amax, 0, sizeof amax);
        memset(amax_error, 0, sizeof amax_error);
        for (int64_t row = 0; row < s->m; ++row) {
            for (int64_t column = 0; column < s->n; ++column) {
                double sum = 0, magnitude = 0;
                for (int64_t k = 0; k < s->k; ++k) {
                    double const a = a_by_rows(i->layout) ? matrix_at(&r->a, i->type_a, p, row, k)
                                                          : matrix_at(&r->a, i->type_a, p, k, row);
                    double const b = b_by_columns(i->layout) ? matrix_at(&r->b, i->type_b, p, column, k)
                                                             : matrix_at(&r->b, i->type_b, p, k, column);
                    sum += a * b;
                    magnitude += fabs(a * b);
                }
                struct bounded x =
                    after(s->k == 0 ? 0.0 : s->alpha * sum, s->exact ? 0.0 : unit * fabs(s->alpha) * magnitude);
                if (s->beta != 0.0f) {
                    double const c = element_read(i->type_d, c_before + r->c.buffer.offset,
                                                  matrix_start(&r->c, p) + row * r->c.ld + column);
                    x = after(x.value + s->beta * c, x.error);
                }
                for (int e = 0; e < i->n_epi; ++e) {
                    enum catc_epi_kind const kind = i->epi[e].kind;
                    enum catc_type const type = position_type(&i->epi[e]);
                    double const operand[2] = {kind == CATC_EPI_COL    ? matrix_at(&r->epi[e], type, p, 0, column)
                                               : kind == CATC_EPI_ROW  ? matrix_at(&r->epi[e], type, p, 0, row)
                                               : kind == CATC_EPI_TILE ? matrix_at(&r->epi[e], type, p, row, column)
                                                                       : r->args.epi[e].a,
                                               r->args.epi[e].b};
                    x = apply(i->epi[e].name, kind, x, operand, row, column);
                    if (kind == CATC_EPI_TAP) {
                        double const got = matrix_at(&r->epi[e], type, p, row, column);
                        if (!acceptable(type, got, x)) {
                            mismatch(r, "tap", p, row, column, got, x);
                        }
                    } else if (kind == CATC_EPI_REDUCE) {
                        amax[e] = isnan(x.value) || isnan(amax[e]) ? NAN : fmax(amax[e], fabs(x.value));
                        amax_error[e] = fmax(amax_error[e], x.error);
                    }
                }
                double const got = matrix_at(&r->d, i->type_d, p, row, column);
                if (s->exact && i->n_epi == 0 ? got != x.value : !acceptable(i->type_d, got, x)) {
                    mismatch(r, "D", p, row, column, got, x);
                }
            }
        }
        for (int e = 0; e < i->n_epi; ++e) {
            if (i->epi[e].kind == CATC_EPI_REDUCE) {
                struct bounded const want = {amax[e], amax_error[e]};
                double const got = matrix_at(&r->epi[e], CATC_F32, p, 0, 0);
                if (!acceptable(CATC_F32, got, want)) {
                    mismatch(r, "amax", p, 0, 0, got, want);
                }
            }
        }
    }
    compare_padding("D", &r->d, i->type_d, s->m, s->n, s->batch);
    for (int e = 0; e < i->n_epi; ++e) {
        if (i->epi[e].kind == CATC_EPI_TAP) {
            compare_padding("tap", &r->epi[e], position_type(&i->epi[e]), s->m, s->n, s->batch);
        }
    }
}

static void run_download(struct run *r)
{
    buffer_download(&r->d.buffer);
    for (int e = 0; e < r->instance->n_epi; ++e) {
        if (r->args.epi[e].out) {
            buffer_download(&r->epi[e].buffer);
        }
    }
}

enum verdict { PASSED, FAILED, REFUSED };

/* The bytes in use of every output, one after another; the caller frees. */
static unsigned char *run_outputs(const struct run *r, size_t *bytes)
{
    const struct buffer *part[1 + CATC_EPI_MAX] = {&r->d.buffer};
    int parts = 1;
    *bytes = r->d.buffer.bytes;
    for (int e = 0; e < r->instance->n_epi; ++e) {
        if (r->args.epi[e].out) {
            part[parts++] = &r->epi[e].buffer;
            *bytes += r->epi[e].buffer.bytes;
        }
    }
    unsigned char *const all = (unsigned char *)malloc(*bytes);
    size_t at = 0;
    for (int i = 0; all && i < parts; at += part[i++]->bytes) {
        memcpy(all + at, part[i]->host + part[i]->offset, part[i]->bytes);
    }
    return all;
}

/* One case of one instance; bits and bytes: what it left in its outputs (run_outputs). */
static enum verdict run_case(const struct catc_gemm_instance *instance, const struct shape *s, unsigned char **bits,
                             size_t *bytes)
{
    struct run r;
    char sentence[1024];
    run_make(&r, instance, s);
    unsigned char *const c_before = (unsigned char *)malloc(r.c.buffer.total);
    memcpy(c_before, r.c.buffer.host, r.c.buffer.total);
    mismatches = 0;
    enum verdict verdict = FAILED;
    enum catc_status status = catc_gemm_check(instance, &r.args, sentence, sizeof sentence);
    if (status == CATC_MISALIGNED && s->shift) {
        verdict = strstr(sentence, "alignment of") ? REFUSED : FAILED; /* refused, as its stricter needs demand */
    } else if (status == CATC_NOT_SUPPORTED && s->pointers && instance->skeleton == CATC_GEMM_SM90) {
        verdict = strstr(sentence, "a_array must be NULL") ? REFUSED : FAILED; /* no tensor map holds pointers */
    } else {
        struct catc_gemm_plan plan;
        status = status == CATC_OK ? catc_gemm_make_plan(&plan, &r.args) : status;
        status = status == CATC_OK ? catc_gemm_launch(&plan, NULL, NULL) : status;
        if (status != CATC_OK) {
            fprintf(stderr, "  %s: %s\n", catc_status_name(status), sentence[0] ? sentence : catc_last_message());
            ++mismatches;
        } else {
            run_download(&r);
            run_compare(&r, c_before);
            if (s->twice && mismatches == 0 && !s->in_place) {
                unsigned char *const first = (unsigned char *)malloc(r.d.buffer.total);
                memcpy(first, r.d.buffer.host, r.d.buffer.total);
                memset(r.d.buffer.host, 0xff, r.d.buffer.total);
                buffer_upload(&r.d.buffer);
                if (catc_gemm_launch(&plan, NULL, NULL) != CATC_OK) {
                    fprintf(stderr, "  second launch: %s\n", catc_last_message());
                    ++mismatches;
                }
                buffer_download(&r.d.buffer);
                if (memcmp(first, r.d.buffer.host, r.d.buffer.total)) {
                    fprintf(stderr, "  D: the second launch gave other bits\n");
                    ++mismatches;
                }
                free(first);
            }
        }
        verdict = mismatches ? FAILED : PASSED;
    }
    *bits = run_outputs(&r, bytes);
    free(c_before);
    run_free(&r);
    return verdict;
}

/* The fixed cases, around the instance's own tile. */
enum { CASES = 21 };
static int cases_make(struct shape *out, const struct catc_gemm_instance *i)
{
    int64_t const m = i->swap ? i->tile_n : i->tile_m, n = i->swap ? i->tile_m : i->tile_n, k = i->tile_k;
    int64_t const deep = k * (i->stages + 2);
    int64_t const k_exact = deep < 96 ? deep : 96; /* sums of +-1 and +-2 stay below 256: exact in bf16 */
    const struct shape list[] = {
        {"exact", m, n, k_exact, 1, 0, 0, 1.0f, 0.0f, true, false, false, true, false, false, false, false, 0},
        {"ragged", m + 1, n + 1, k + 1, 1, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"random", m / 2 + 3, n / 2 + 5, deep + 3, 1, 0, 0, 0.75f, 0.0f, false, false, false, true, false, false, false,
         false, 0},
        {"k_tail", 17, 33, 3, 1, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"strided", 9, 20, k + 5, 3, 8, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"pitched", 21, 24 + n, k, 1, 16, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"edge", 1, 1, 1, 1, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"edge_n", 1, n + 3, k, 1, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, false, 0},
        {"k0", 5, 7, 0, 1, 0, 0, 1.0f, 2.0f, true, false, false, false, false, false, false, false, 0},
        {"special", 31, 29, k + 1, 1, 0, 0, 1.0f, 0.0f, false, true, false, false, false, false, false, false, 0},
        {"beta", m / 2 + 1, n / 2 + 1, k, 1, 0, 0, 2.0f, -1.0f, true, false, false, false, false, false, false, false,
         0},
        {"in_place", 33, 17, k, 1, 0, 0, 1.0f, 1.0f, true, false, true, false, false, false, false, false, 0},
        {"unaligned", 19, 21, k + 3, 1, 1, 1, 1.0f, 2.0f, true, false, false, false, false, false, false, false, 0},
        {"pointers", 19, 21, 2 * k + 5, 5, 0, 0, 1.0f, 2.0f, true, false, false, true, true, false, false, false, 0},
        {"persistent", 2 * m + 5, 2 * n + 8, k + k / 2, 2, 0, 0, 1.0f, 1.0f, true, false, false, true, false, false,
         false, false, 1},
        {"persistent_k0", 2 * m + 5, n + 8, 0, 2, 0, 0, 1.0f, 2.0f, true, false, false, true, false, false, false,
         false, 1},
        {"laps", 5, 2 * n + 3, k * (i->stages + 1), 2, 0, 0, 1.0f, 0.0f, false, false, false, true, false, false, false,
         false, 1},
        {"tight_d", m + 3, n + n / 2 + 1, k, 2, 0, 0, 1.0f, 0.0f, true, false, false, true, false, true, false, false,
         1},
        {"tight_d_beta", m + 3, n + 9, k, 2, 0, 0, 1.0f, 1.0f, true, false, false, true, false, true, false, false, 1},
        {"shared_a", m + 1, n + 8, k + 8, 3, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, true, false, 0},
        {"shared_b", m + 1, n + 8, k + 8, 3, 0, 0, 1.0f, 0.0f, true, false, false, false, false, false, false, true, 1},
    };
    CATC_STATIC_ASSERT(sizeof list / sizeof list[0] == CASES, "CASES must be the number of fixed cases");
    memcpy(out, list, sizeof list);
    return CASES;
}

/* Every operation of the chain gives the same bits on every backend. */
static bool chain_same_bits(const struct catc_gemm_instance *i)
{
    bool same = true;
    for (int e = 0; e < i->n_epi; ++e) {
        same = same && accuracy_of(i->epi[e].name) >= SAME_BITS;
    }
    return same;
}

/* The command that repeats the case that is running: printed when it fails, and when it takes this program with it. */
static char repeat[512];

static void on_crash(int number)
{
    ssize_t const written = write(STDERR_FILENO, repeat, strlen(repeat));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

static void repeat_prepare(const struct catc_gemm_instance *instance, const char *backend, const struct shape *s)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM};
    if (strcmp(s->name, "custom") == 0) {
        snprintf(repeat, sizeof repeat,
                 "  repeat: catlass-c run %s --backend %s --seed %llu --m %lld --n %lld --k %lld\n", instance->name,
                 backend, (unsigned long long)seed, (long long)s->m, (long long)s->n, (long long)s->k);
    } else {
        snprintf(repeat, sizeof repeat, "  repeat: catlass-c run %s --backend %s --seed %llu --case %s\n",
                 instance->name, backend, (unsigned long long)seed, s->name);
    }
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; ++i) {
        signal(crashes[i], on_crash);
    }
}

static int test_instance(const struct catc_gemm_instance *instance, const struct catc_gemm_instance *twin,
                         const struct shape *cases, int count, const char *only)
{
    int failed = 0, ran = 0, refused = 0;
    for (int c = 0; c < count; ++c) {
        unsigned char *bits = NULL, *twin_bits = NULL;
        size_t bytes = 0, twin_bytes = 0;
        if (only && strcmp(only, cases[c].name)) {
            continue;
        }
        repeat_prepare(instance, twin ? "both" : catc_backend_name(instance->backend), &cases[c]);
        enum verdict verdict = run_case(instance, &cases[c], &bits, &bytes);
        if (twin && verdict == PASSED) {
            verdict = run_case(twin, &cases[c], &twin_bits, &twin_bytes);
            /* fused multiply-adds in k order have the same bits everywhere; the tensor cores' order is their own. NaNs
             * have a payload that IEEE 754 leaves open */
            bool const comparable = cases[c].exact || (instance->skeleton == CATC_GEMM_SIMT && !cases[c].special);
            if (verdict == PASSED && comparable && chain_same_bits(instance) &&
                (bytes != twin_bytes || memcmp(bits, twin_bits, bytes))) {
                fprintf(stderr, "  the backends differ in bits\n");
                verdict = FAILED;
            }
        }
        ++ran;
        refused += verdict == REFUSED;
        if (verdict == FAILED) {
            ++failed;
            const struct shape *const failing = &cases[c];
            fprintf(stderr, "FAIL %s case %s: %lldx%lldx%lld batch %lld, %d mismatches\n", instance->name,
                    failing->name, (long long)failing->m, (long long)failing->n, (long long)failing->k,
                    (long long)failing->batch, mismatches);
            fputs(repeat, stderr);
        }
        free(bits);
        free(twin_bits);
    }
    printf("%s %s %s: %d cases, %d failed, %d refused by their rules\n", failed ? "FAIL" : "ok  ",
           twin ? "both" : catc_backend_name(instance->backend), instance->name, ran, failed, refused);
    if (ran == 0) {
        fprintf(stderr, "catc_gemm_driver: there is no case %s; the cases are", only);
        for (int c = 0; c < count; ++c) {
            fprintf(stderr, " %s", cases[c].name);
        }
        fprintf(stderr, "\n");
    }
    return ran == 0 ? 1 : failed;
}

static int usage(const char *complaint, const char *value)
{
    fprintf(stderr,
            "catc_gemm_driver: %s%s\nusage: catc_gemm_driver [--backend host|cuda|both] [--case NAME] [--seed S] [--m "
            "M --n N "
            "--k K] [--list] PATTERN…\n",
            complaint, value);
    return 2;
}

/* A whole number from 0 to 2^31; false for anything else. */
static bool parse_number(const char *text, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *value >= 0 && *value <= (int64_t)1 << 31;
}

int main(int argc, char **argv)
{
    const char *backend_name = "host", *only = NULL, *patterns[64];
    int n_patterns = 0, n_sizes = 0;
    bool list = false;
    struct shape custom = {"custom", 0,     0,     0,    1,     0,     0,     1.0f,  0.0f,
                           false,    false, false, true, false, false, false, false, 0};
    for (int a = 1; a < argc; ++a) {
        const char *const option = argv[a];
        if (strcmp(option, "--list") == 0) {
            list = true;
        } else if (option[0] == '-') {
            if (a + 1 == argc) {
                return usage("a value is missing after ", option);
            }
            const char *const value = argv[++a];
            if (strcmp(option, "--backend") == 0) {
                backend_name = value;
            } else if (strcmp(option, "--case") == 0) {
                only = value;
            } else if (strcmp(option, "--seed") == 0 || strcmp(option, "--m") == 0 || strcmp(option, "--n") == 0 ||
                       strcmp(option, "--k") == 0) {
                int64_t number;
                if (!parse_number(value, &number)) {
                    return usage("not a whole number from 0 to 2^31: ", value);
                }
                n_sizes += option[3] == '\0';
                switch (option[2]) {
                case 'm': custom.m = number; break;
                case 'n': custom.n = number; break;
                case 'k': custom.k = number; break;
                default: seed = (uint64_t)number;
                }
            } else {
                return usage("unknown option ", option);
            }
        } else if (n_patterns < 64) {
            patterns[n_patterns++] = option;
        }
    }
    bool const both = strcmp(backend_name, "both") == 0, cuda = strcmp(backend_name, "cuda") == 0;
    if (!both && !cuda && strcmp(backend_name, "host")) {
        return usage("unknown backend ", backend_name);
    }
    if (n_sizes != 0 && (n_sizes != 3 || only)) {
        return usage("--m, --n and --k go together, and not with --case", "");
    }
    if (n_patterns == 0) {
        patterns[n_patterns++] = "*";
    }
    if ((both || cuda) && !list) {
        int const status = gpu_status();
        if (status != 0) {
            return status;
        }
    }
    enum catc_backend const backend = cuda || both ? CATC_CUDA : CATC_HOST;
    int tested = 0, failed = 0, total = 0;
    for (const struct catc_gemm_instance *i; (i = catc_gemm_at(CATC_DRIVER_REGISTRY(), backend, total)); ++total) {
        for (int p = 0; p < n_patterns; ++p) {
            if (fnmatch(patterns[p], i->name, 0)) {
                continue;
            }
            ++tested;
            if (list) {
                printf("%s\n", i->name);
            } else {
                struct shape cases[CASES];
                int const count = n_sizes ? 1 : cases_make(cases, i);
                if (n_sizes) {
                    cases[0] = custom;
                }
                const struct catc_gemm_instance *const other =
                    both ? catc_gemm_find_in(CATC_DRIVER_REGISTRY(), CATC_HOST, i->name) : NULL;
                failed += test_instance(i, other, cases, count, only) != 0;
            }
            break;
        }
    }
    if (tested == 0) {
        fprintf(stderr, "catc_gemm_driver: 0 of %d instances match; try --list\n", total);
        return 1;
    }
    if (tested > 1 && !list) {
        printf("%d instances, %d failed\n", tested, failed);
    }
    return failed ? 1 : 0;
}
