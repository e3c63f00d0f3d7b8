/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_problem.h: the caller's arguments with every default filled in, and the rules that hold for every instance.
 * Implementation only. */
#ifndef CATC_OPS_GEMM_PROBLEM_H
#define CATC_OPS_GEMM_PROBLEM_H

#include "catlass_c/detail/message.h"
#include "catlass_c/ops/gemm.h"

/* Arguments after defaults: no field is 0 for "default" any more, but type fields of chain positions (only an instance
 * knows whether its operation has an operand). */
struct catc_gemm_problem {
    struct catc_gemm_args args;
    bool empty;        /* nothing to do: m, n or batch is 0 */
    float alpha, beta; /* values, if scalars_on_device is 0 */
    bool reads_c;      /* beta is or may be non-zero */
};

/* Do two row-major views meet? 1 yes, 0 no, -1 not decidable here. Exact for equal leading dimensions (in bytes): view X
 * starts q rows and r columns after D; a part of X that runs past the line's end continues in the next row. */
static int catc_views_meet_(const void *d, int64_t d_rows, int64_t d_columns, int64_t d_line, const void *x,
                            int64_t x_rows, int64_t x_columns, int64_t x_line)
{
    if (d == x) {
        return 1;
    }
    intptr_t const d0 = (intptr_t)d, x0 = (intptr_t)x; /* columns and lines are in bytes */
    intptr_t const d1 = d0 + (intptr_t)((d_rows - 1) * d_line + d_columns);
    intptr_t const x1 = x0 + (intptr_t)((x_rows - 1) * x_line + x_columns);
    if (d1 <= x0 || x1 <= d0) {
        return 0;
    }
    if (d_line != x_line) {
        return -1;
    }
    int64_t const delta = x0 - d0;
    int64_t const q = delta >= 0 ? delta / d_line : -((-delta + d_line - 1) / d_line), r = delta - q * d_line;
    int64_t const spill = r + x_columns - d_line; /* bytes of each row of X that lie on the next line */
    bool const here = r < d_columns && q < d_rows && q + x_rows > 0;
    bool const next = spill > 0 && q + 1 < d_rows && q + 1 + x_rows > 0;
    return here || next;
}

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
        return catc_say(text, CATC_MISALIGNED, "%s: address=%p must be a multiple of %d bytes (one %s element)", name,
                        pointer, (int)size, catc_type_name(type));
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
            return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=%lld must not be negative", size[i].name, size[i].name,
                            (long long)size[i].value);
        }
    }
    if (g->n_epi > CATC_EPI_MAX) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "n_epi: n_epi=%d must be at most %d", g->n_epi, CATC_EPI_MAX);
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
    if (g->batch == 0 && g->stride_d == 0) {
        g->batch = 1;
    }
    problem->empty = g->m == 0 || g->n == 0 || g->batch == 0;
    return CATC_OK;
}

static enum catc_status catc_gemm_memory_(struct catc_gemm_problem *problem, struct catc_text *text)
{
    struct catc_gemm_args *const g = &problem->args;
    bool const a_kcontig = g->layout == CATC_TN || g->layout == CATC_TT;
    bool const b_kcontig = g->layout == CATC_TN || g->layout == CATC_NN;
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
            return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=%lld must not be negative", stride[i].name,
                            stride[i].name, (long long)stride[i].value);
        }
    }
    if (g->batch > 1 && g->stride_d < g->n) {
        return catc_say(
            text, CATC_INVALID_ARGUMENT,
            "stride_d: stride_d=%lld must be at least n=%lld with batch=%lld (the problems would write the same "
            "elements); pass the elements between two problems' D",
            (long long)g->stride_d, (long long)g->n, (long long)g->batch);
    }
    problem->alpha = 1.0f;
    problem->beta = 0.0f;
    if (g->scalars_on_device) {
        problem->reads_c = g->beta != NULL;
    } else {
        problem->alpha = g->alpha ? *g->alpha : 1.0f;
        problem->beta = g->beta ? *g->beta : 0.0f;
        problem->reads_c = problem->beta != 0.0f; /* NaN counts as non-zero */
    }
    if (problem->empty) {
        return CATC_OK;
    }
    const struct {
        const char *name;
        const void *pointer;
        enum catc_type type;
        bool needed;
    } matrix[] = {{"d", g->d, g->type_d, true},
                  {"a", g->a, g->type_a, g->k > 0},
                  {"b", g->b, g->type_b, g->k > 0},
                  {"c", g->c, g->type_d, problem->reads_c}};
    for (int i = 0; i < 4; ++i) {
        if (matrix[i].needed && !matrix[i].pointer) {
            return catc_say(text, CATC_INVALID_ARGUMENT, "%s: %s=NULL must point at a matrix%s", matrix[i].name,
                            matrix[i].name, i == 3 ? " because beta is not 0" : "");
        }
    }
    for (int i = 0; i < 4; ++i) {
        if (matrix[i].needed) {
            CATC_TRY(catc_element_aligned_(matrix[i].pointer, matrix[i].type, matrix[i].name, text));
        }
    }
    int64_t const size_a = (int64_t)catc_type_size(g->type_a), size_b = (int64_t)catc_type_size(g->type_b);
    int64_t const size_d = (int64_t)catc_type_size(g->type_d);
    int64_t const d_columns = g->n * size_d, d_line = g->ldd * size_d;
    if (g->k > 0 && catc_views_meet_(g->d, g->m, d_columns, d_line, g->a, a_kcontig ? g->m : g->k,
                                     (a_kcontig ? g->k : g->m) * size_a, g->lda * size_a) == 1) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "d: d=%p must not share elements with A (%p); use another buffer",
                        g->d, g->a);
    }
    if (g->k > 0 && catc_views_meet_(g->d, g->m, d_columns, d_line, g->b, b_kcontig ? g->n : g->k,
                                     (b_kcontig ? g->k : g->n) * size_b, g->ldb * size_b) == 1) {
        return catc_say(text, CATC_INVALID_ARGUMENT, "d: d=%p must not share elements with B (%p); use another buffer",
                        g->d, g->b);
    }
    bool const in_place = g->c == g->d && g->ldc == g->ldd && (g->batch == 1 || g->stride_c == g->stride_d);
    if (problem->reads_c && !in_place &&
        catc_views_meet_(g->d, g->m, d_columns, d_line, g->c, g->m, d_columns, g->ldc * size_d) == 1) {
        return catc_say(
            text, CATC_INVALID_ARGUMENT,
            "d: d=%p must be C itself (same address, leading dimension and stride) or share no element with it", g->d);
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
