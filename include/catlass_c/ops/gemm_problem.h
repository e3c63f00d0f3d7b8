/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_problem.h: the caller's arguments with every default filled in, and the rules that hold for every instance.
 * Implementation only. */
#ifndef CATC_OPS_GEMM_PROBLEM_H
#define CATC_OPS_GEMM_PROBLEM_H

#include "catlass_c/detail/message.h"
#include "catlass_c/ops/gemm.h"
#include "catlass_c/ops/gemm_overlap.h"

/* Arguments after defaults: no field is 0 for "default" any more, but type fields of chain positions (only an instance
 * knows whether its operation has an operand). */
struct catc_gemm_problem {
    struct catc_gemm_args args;
    bool empty;        /* nothing to do: m, n or batch is 0 */
    float alpha, beta; /* values, if scalars_on_device is 0 */
    bool reads_c;      /* beta is or may be non-zero */
};

/* The leading dimension of a matrix in memory, 0 meaning packed. */
static enum catc_status catc_leading_(int64_t *ld, int64_t line, const char *name, struct catc_text *text)
{
    int64_t const least = line > 0 ? line : 1;
    if (*ld == 0) {
        *ld = least;
    }
    if (*ld < least) {
        return catc_say(text, CATC_INVALID_ARGUMENT,
                        "%s: %s=%lld must be at least %lld (elements of one line); pass 0 for a packed matrix", name,
                        name, (long long)*ld, (long long)least);
    }
    return CATC_OK;
}

static enum catc_status catc_element_aligned_(const void *pointer, enum catc_type type, const char *name,
                                              struct catc_text *text)
{
    size_t const size = catc_type_size(type);
    if ((uintptr_t)pointer % size) {
        return catc_say(text, CATC_MISALIGNED,
                        "%s: address=%p must be a multiple of %d bytes (one %s element); pass a pointer to an element",
                        name, pointer, (int)size, catc_type_name(type));
    }
    return CATC_OK;
}

/* Copy what the caller's struct holds; fields that its version did not have are 0. */
static enum catc_status catc_gemm_receive_(struct catc_gemm_args *out, const struct catc_gemm_args *args, size_t size,
                                           struct catc_text *text)
{
    if (!args) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "args: args=NULL must point at a struct catc_gemm_args");
    }
    memset(out, 0, sizeof *out);
    memcpy(out, args, size < sizeof *out ? size : sizeof *out);
    for (size_t i = sizeof *out; i < size; ++i) {
        if (((const unsigned char *)args)[i]) {
            return catc_say(
                text, CATC_INVALID_ARGUMENT,
                "args: size=%zu must not carry fields that version %s of the library does not know (byte %zu "
                "is set); link the newer library",
                size, CATC_VERSION_STRING, i);
        }
    }
    return CATC_OK;
}

static enum catc_status catc_in_list_(int value, int end, const char *name, bool required, struct catc_text *text)
{
    if (value < 0 || value >= end || (required && value == 0)) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=%d must be one of the enumerators 1 … %d%s", name, name,
                        value, end - 1, value == 0 ? "; it has no default" : "");
    }
    return CATC_OK;
}

#define CATC_TRY(call) \
    do { \
        enum catc_status const status_ = (call); \
        if (status_ != CATC_OK) { \
            return status_; \
        } \
    } while (0)

static enum catc_status catc_gemm_sizes_(struct catc_gemm_problem *problem, struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    const struct {
        const char *name;
        int64_t value;
    } size[] = {{"m", g->m}, {"n", g->n}, {"k", g->k}, {"batch", g->batch}, {"n_epi", g->n_epi}};
    for (int i = 0; i < 5; ++i) {
        if (size[i].value < 0) {
            return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=%lld must not be negative; pass a size", size[i].name,
                            size[i].name, (long long)size[i].value);
        }
    }
    if (g->n_epi > CATC_EPI_MAX) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "n_epi: n_epi=%d must be at most %d; make the chain shorter",
                        g->n_epi, CATC_EPI_MAX);
    }
    CATC_TRY(catc_in_list_((int)g->layout, CATC_LAYOUT_END, "layout", true, text));
    CATC_TRY(catc_in_list_((int)g->type_a, CATC_TYPE_END, "type_a", true, text));
    CATC_TRY(catc_in_list_((int)g->type_b, CATC_TYPE_END, "type_b", false, text));
    CATC_TRY(catc_in_list_((int)g->type_d, CATC_TYPE_END, "type_d", false, text));
    CATC_TRY(catc_in_list_((int)g->type_acc, CATC_TYPE_END, "type_acc", false, text));
    CATC_TRY(catc_in_list_((int)g->backend, CATC_BACKEND_END, "backend", false, text));
    g->type_b = g->type_b ? g->type_b : g->type_a;
    g->type_d = g->type_d ? g->type_d : g->type_a;
    g->type_acc = g->type_acc ? g->type_acc : CATC_F32;
    g->backend = g->backend ? g->backend : CATC_WITH_CUDA ? CATC_CUDA : CATC_HOST;
    g->registry = g->registry ? g->registry : catc_library_registry();
    for (int i = 0; i < g->n_epi; ++i) {
        if (g->epi[i].op == 0) {
            return catc_say(text, CATC_INVALID_ARGUMENT,
                            "epi[%d]: op=0 must be the id of an operation (catc_op_id(\"bias\"), CATC_OP_BIAS, …)", i);
        }
        CATC_TRY(catc_in_list_((int)g->epi[i].type, CATC_TYPE_END, "epi type", false, text));
    }
    if (g->batch == 0 && g->stride_d == 0 && !g->d_array) {
        g->batch = 1;
    }
    problem->empty = g->m == 0 || g->n == 0 || g->batch == 0;
    return CATC_OK;
}

/* Where a matrix of `type` lies, as bytes: `lines` of `length` elements, ld apart. Refuses what no address space holds,
 * so that no offset computed later can overflow. */
static enum catc_status catc_view_(struct catc_view *view, const char *name, const void *base, enum catc_type type,
                                   int64_t lines, int64_t length, int64_t ld, int64_t stride, int64_t batch,
                                   struct catc_text *text)
{
    int64_t const size = (int64_t)catc_type_size(type);
    int64_t rows_bytes, batch_bytes, all;
    view->name = name;
    view->base = base;
    view->rows = lines;
    view->written = view->hidden = false;
    if (__builtin_mul_overflow(length, size, &view->columns) || __builtin_mul_overflow(ld, size, &view->line) ||
        __builtin_mul_overflow(stride, size, &view->stride) || __builtin_mul_overflow(lines, view->line, &rows_bytes) ||
        __builtin_mul_overflow(batch, view->stride, &batch_bytes) ||
        __builtin_add_overflow(rows_bytes, batch_bytes, &all) || all > INT64_MAX / 4) {
        return catc_say(
            text, CATC_INVALID_ARGUMENT,
            "%s: %lld lines of %lld elements, ld=%lld, batch stride=%lld, batch=%lld must span at most 2^61 bytes; "
            "check the sizes",
            name, (long long)lines, (long long)length, (long long)ld, (long long)stride, (long long)batch);
    }
    return CATC_OK;
}

/* A, B, C (only what is read: k > 0, beta not 0) and D as views; returns how many precede D, which is last. */
static enum catc_status catc_gemm_views_(const struct catc_gemm_problem *problem, struct catc_view *views, int *inputs,
                                         struct catc_text *text)
{
    const struct catc_gemm_args *const g = &problem->args;
    bool const a_kcontig = g->layout == CATC_TN || g->layout == CATC_TT;
    bool const b_kcontig = g->layout == CATC_TN || g->layout == CATC_NN;
    int count = 0;
    if (g->k > 0) {
        CATC_TRY(catc_view_(&views[count++], "A", g->a, g->type_a, a_kcontig ? g->m : g->k, a_kcontig ? g->k : g->m,
                            g->lda, g->stride_a, g->batch, text));
        views[count - 1].hidden = g->a_array != NULL;
        CATC_TRY(catc_view_(&views[count++], "B", g->b, g->type_b, b_kcontig ? g->n : g->k, b_kcontig ? g->k : g->n,
                            g->ldb, g->stride_b, g->batch, text));
        views[count - 1].hidden = g->b_array != NULL;
    }
    if (problem->reads_c) {
        CATC_TRY(catc_view_(&views[count++], "C", g->c, g->type_d, g->m, g->n, g->ldc, g->stride_c, g->batch, text));
        views[count - 1].hidden = g->c_array != NULL;
    }
    CATC_TRY(catc_view_(&views[count], "D", g->d, g->type_d, g->m, g->n, g->ldd, g->stride_d, g->batch, text));
    views[count].hidden = g->d_array != NULL;
    *inputs = count;
    return CATC_OK;
}

/* An output must not write an element twice: neither two problems of a batch, nor with a stride that is too small. */
static enum catc_status catc_output_apart_(const struct catc_view *view, const char *name, int64_t stride,
                                           int64_t batch, struct catc_text *text)
{
    if (batch > 1 && !view->hidden && (view->stride < view->columns || catc_view_meets_itself_(view, batch))) {
        return catc_say(
            text, CATC_INVALID_ARGUMENT,
            "%s: %s=%lld must keep the %lld problems of the batch apart (they would write the same elements); pass "
            "the elements between two problems' %s",
            name, name, (long long)stride, (long long)batch, view->name);
    }
    return CATC_OK;
}

static bool catc_same_view_(const struct catc_view *x, const struct catc_view *y, int64_t batch)
{
    return x->base == y->base && x->line == y->line && x->columns == y->columns &&
           (batch == 1 || x->stride == y->stride);
}

static enum catc_status catc_gemm_pointers_(const struct catc_gemm_problem *problem, struct catc_text *text)
{
    const struct catc_gemm_args *const g = &problem->args;
    const struct {
        const char *name;
        const void *pointer;
        enum catc_type type;
        bool needed, optional;
    } memory[] = {{"d", g->d, g->type_d, !g->d_array, false},
                  {"a", g->a, g->type_a, g->k > 0 && !g->a_array, false},
                  {"b", g->b, g->type_b, g->k > 0 && !g->b_array, false},
                  {"c", g->c, g->type_d, problem->reads_c && !g->c_array, false},
                  {"alpha", g->alpha, CATC_F32, g->scalars_on_device != 0, true},
                  {"beta", g->beta, CATC_F32, g->scalars_on_device != 0, true}};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i) {
        if (memory[i].needed && !memory[i].optional && !memory[i].pointer) {
            return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=NULL must point at a matrix%s; pass its address",
                            memory[i].name, memory[i].name, i == 3 ? " because beta is not 0" : "");
        }
    }
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i) {
        if (memory[i].needed) {
            CATC_TRY(catc_element_aligned_(memory[i].pointer, memory[i].type, memory[i].name, text));
        }
    }
    return CATC_OK;
}

/* Arrays of pointers. Those of the host backend are host memory: what a GPU would fault on is told here. */
static enum catc_status catc_gemm_arrays_(const struct catc_gemm_args *g, struct catc_text *text)
{
    const struct {
        const char *name;
        const void *const *array;
        enum catc_type type;
    } arrays[] = {{"a_array", g->a_array, g->type_a},
                  {"b_array", g->b_array, g->type_b},
                  {"c_array", g->c_array, g->type_d},
                  {"d_array", (const void *const *)g->d_array, g->type_d}};
    for (int i = 0; i < 4; ++i) {
        const void *const *const array = arrays[i].array;
        if ((uintptr_t)array % sizeof *array) {
            return catc_say(text, CATC_MISALIGNED,
                            "%s: address=%p must be a multiple of %d bytes (one pointer); pass an array of pointers",
                            arrays[i].name, (const void *)array, (int)sizeof *array);
        }
        for (int64_t p = 0; g->backend == CATC_HOST && array && p < g->batch; ++p) {
            char name[32];
            snprintf(name, sizeof name, "%s[%lld]", arrays[i].name, (long long)p);
            if (!array[p]) {
                return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=NULL must point at a matrix; pass its address",
                                name, name);
            }
            CATC_TRY(catc_element_aligned_(array[p], arrays[i].type, name, text));
        }
    }
    return CATC_OK;
}

/* What will not be read: whatever describes it does not matter. */
static void catc_gemm_forget_(struct catc_gemm_problem *problem)
{
    struct catc_gemm_args *const g = &problem->args;
    if (g->k == 0) {
        g->lda = g->ldb = 0;
        g->a_array = g->b_array = NULL;
    }
    if (!problem->reads_c) {
        g->ldc = 0;
        g->c_array = NULL;
    }
    if (g->k == 0 || g->a_array) {
        g->a = NULL, g->stride_a = 0;
    }
    if (g->k == 0 || g->b_array) {
        g->b = NULL, g->stride_b = 0;
    }
    if (!problem->reads_c || g->c_array) {
        g->c = NULL, g->stride_c = 0;
    }
    if (g->d_array) {
        g->d = NULL, g->stride_d = 0;
    }
}

static enum catc_status catc_gemm_memory_(struct catc_gemm_problem *problem, struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    bool const a_kcontig = g->layout == CATC_TN || g->layout == CATC_TT;
    bool const b_kcontig = g->layout == CATC_TN || g->layout == CATC_NN;
    struct catc_view views[4];
    int inputs = 0;
    problem->alpha = 1.0f;
    problem->beta = 0.0f;
    if (g->scalars_on_device) {
        problem->reads_c = g->beta != NULL;
    } else {
        problem->alpha = g->alpha ? *g->alpha : 1.0f;
        problem->beta = g->beta ? *g->beta : 0.0f;
        problem->reads_c = problem->beta != 0.0f; /* NaN counts as non-zero */
    }
    catc_gemm_forget_(problem);
    CATC_TRY(catc_leading_(&g->lda, a_kcontig ? g->k : g->m, "lda", text));
    CATC_TRY(catc_leading_(&g->ldb, b_kcontig ? g->k : g->n, "ldb", text));
    CATC_TRY(catc_leading_(&g->ldc, g->n, "ldc", text));
    CATC_TRY(catc_leading_(&g->ldd, g->n, "ldd", text));
    const struct {
        const char *name;
        int64_t value;
    } stride[] = {
        {"stride_a", g->stride_a}, {"stride_b", g->stride_b}, {"stride_c", g->stride_c}, {"stride_d", g->stride_d}};
    for (int i = 0; i < 4; ++i) {
        if (stride[i].value < 0) {
            return catc_say(text, CATC_INVALID_ARGUMENT,
                            "%s: %s=%lld must not be negative; pass the elements between two "
                            "problems",
                            stride[i].name, stride[i].name, (long long)stride[i].value);
        }
    }
    if (problem->empty) {
        return CATC_OK;
    }
    CATC_TRY(catc_gemm_pointers_(problem, text));
    CATC_TRY(catc_gemm_arrays_(g, text));
    CATC_TRY(catc_gemm_views_(problem, views, &inputs, text));
    const struct catc_view *const d = &views[inputs];
    CATC_TRY(catc_output_apart_(d, "stride_d", g->stride_d, g->batch, text));
    for (int i = 0; i < inputs; ++i) {
        bool const is_c = problem->reads_c && i == inputs - 1;
        if (catc_views_meet_(d, &views[i], g->batch) && !(is_c && catc_same_view_(d, &views[i], g->batch))) {
            return catc_say(text, CATC_INVALID_ARGUMENT,
                            "d: d=%p must not share elements with %s (%p)%s; use another buffer", g->d, views[i].name,
                            views[i].base,
                            is_c ? " unless it is C itself, with the same leading dimension and stride" : "");
        }
    }
    return CATC_OK;
}

/* Fill `problem` from the caller's arguments; everything that does not depend on the instance is checked here. */
static enum catc_status catc_gemm_problem_(struct catc_gemm_problem *problem, const struct catc_gemm_args *args,
                                           size_t size, struct catc_text *text)
{
    CATC_TRY(catc_gemm_receive_(&problem->args, args, size, text));
    CATC_TRY(catc_gemm_sizes_(problem, text));
    return catc_gemm_memory_(problem, text);
}

static enum catc_status catc_backend_built_(enum catc_backend backend, struct catc_text *text)
{
    if ((backend == CATC_CUDA && !CATC_WITH_CUDA) || (backend == CATC_HOST && !CATC_WITH_HOST)) {
        return catc_say(text, CATC_BACKEND_NOT_BUILT, "backend: backend=%s must be one this library was built with; %s",
                        catc_backend_name(backend),
                        backend == CATC_CUDA ? "configure with CATC_CUDA=ON and a CUDA toolkit"
                                             : "define CATC_WITH_HOST=1");
    }
    return CATC_OK;
}

#endif /* CATC_OPS_GEMM_PROBLEM_H */
