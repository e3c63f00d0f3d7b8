/* SPDX-License-Identifier: Apache-2.0
 *
 * epilogue_bounds.c: what the headers of operations promise, on every backend: kernels with one operation each
 * (epilogue_bounds.yaml) on all 65536 bf16 values, all 65536 fp16 values and a sample of fp32, against fp64, for each
 * operand of the points that the headers spell out. Prints the worst error of each operation.
 *
 * D = op(alpha * 0 + 1 * C) with A and B zero and alpha -1, since -1 * 0 + C is C, also for -0. */
#include "gemm/simple.h"

const struct catc_registry *epilogue_bounds_registry(void);

enum { SIDE = 512, VALUES = SIDE * SIDE };

/* The inputs of a type of C: bf16 first, by their bits. */
static int inputs(float *x, enum catc_type type)
{
    uint32_t state = 1;
    for (uint32_t u = 0; u < 65536; ++u) {
        x[u] = catc_f32_from_bf16((uint16_t)u);
        x[65536 + u] = catc_f32_from_f16((uint16_t)u);
    }
    for (int i = 131072; i < VALUES; ++i) { /* half of them of a size where the formulas bend, 2^-6 to 2^7 */
        state = state * 1664525u + 1013904223u;
        uint32_t const bits = state ^ state >> 13;
        x[i] = catc_f32_from_bits(i % 2 ? bits : (bits & 0x807fffffu) | (121 + (bits >> 24) % 13) << 23);
    }
    return type == CATC_F32 ? VALUES : 65536;
}

/* y = op(x) by the kernel, `side` columns in a row; the scalars from the host or from device memory. */
static void run(const struct catc_gemm_instance *i, const float *x, float *y, int count, float a, float b,
                bool on_device)
{
    int64_t const side = count == VALUES ? SIDE : 256;
    float const scalars[4] = {-1.0f, 1.0f, a, b};
    struct simple s;
    simple_open_types(&s, i->backend, i->type_a, i->type_d, i->layout, side, side, 1, simple_zero, simple_zero);
    simple_c(&s, 1.0f, simple_zero);
    s.alpha = -1.0f;
    for (int v = 0; v < count; ++v) {
        element_write(i->type_d, s.c.host + s.c.offset, v, (double)x[v]);
    }
    buffer_upload(&s.c);
    simple_push(&s, i->epi[0].name, i->epi[0].kind, simple_zero);
    s.args.epi[0].a = a, s.args.epi[0].b = b;
    if (i->epi[0].kind == CATC_EPI_TILE) {
        for (int v = 0; v < count; ++v) {
            element_write(i->type_d, s.epi[0].host + s.epi[0].offset, v, (double)a);
        }
        buffer_upload(&s.epi[0]);
    }
    struct buffer device = buffer_input(i->backend, sizeof scalars, 0);
    memcpy(device.host + device.offset, scalars, sizeof scalars);
    buffer_upload(&device);
    if (on_device) {
        const float *const first = (const float *)buffer_use(&device);
        s.args.scalars_on_device = 1;
        s.args.alpha = first, s.args.beta = first + 1;
        s.args.epi[0].a = s.args.epi[0].b = NAN; /* not read */
        if (i->epi[0].kind == CATC_EPI_SCALAR || i->epi[0].kind == CATC_EPI_PAIR) {
            s.args.epi[0].ptr = first + 2;
        }
    }
    s.args.registry = epilogue_bounds_registry();
    s.args.instance = i;
    CHECK(simple_run(&s) == CATC_OK);
    for (int v = 0; v < count; ++v) {
        y[v] = (float)element_read(i->type_d, s.d.host + s.d.offset, v);
    }
    buffer_free(&device);
    simple_close(&s);
}

static double worst; /* of an instance, in units of what the header allows */

static void compare(const struct catc_gemm_instance *i, const float *x, const float *y, int count, float a, float b)
{
    const struct formula *const f = formula_find(i->epi[0].name);
    int wrong = 0;
    for (int v = 0; v < count; ++v) {
        double excess = 0.0;
        if (!(i->type_d == CATC_F32 ? formula_holds(f, x[v], a, b, y[v], &excess)
                                    : formula_holds_16(f, i->type_d, x[v], a, b, y[v])) &&
            wrong++ < 5) {
            fprintf(stderr, "  %s on %s: %s(%a; %a, %a) = %a, want %a\n", i->name, catc_backend_name(i->backend),
                    f->name, (double)x[v], (double)a, (double)b, (double)y[v],
                    f->of((double)x[v], (double)a, (double)b));
        }
        worst = fmax(worst, excess);
    }
    CHECK(wrong == 0);
}

/* The points of the headers with these operands. */
static int compare_points(const struct catc_gemm_instance *i, const float *y, float a, float b)
{
    int compared = 0;
    for (int p = 0; p < POINTS; ++p) {
        if (strcmp(points[p].name, i->epi[0].name) == 0 && same_bits(points[p].a, a) && same_bits(points[p].b, b)) {
            float const got = y[catc_bf16_from_f32(points[p].x)];
            float const want =
                i->type_d == CATC_F32 ? points[p].want : catc_f32_from_bf16(catc_bf16_from_f32(points[p].want));
            if (isnan(want) ? !isnan(got) : !same_bits(got, want)) {
                fprintf(stderr, "  %s on %s: %s(%a; %a, %a) = %a, want %a\n", i->name, catc_backend_name(i->backend),
                        points[p].name, (double)points[p].x, (double)a, (double)b, (double)got, (double)want);
                ++check_failures;
            }
            ++compared;
        }
    }
    return compared;
}

/* Equal bits; a NaN may have any payload. */
static void compare_backends(const struct catc_gemm_instance *i, const float *x, const float *y, const float *z,
                             int count)
{
    for (int v = 0; v < count; ++v) {
        if (!same_bits(y[v], z[v]) && !(isnan(y[v]) && isnan(z[v]))) {
            fprintf(stderr, "  %s(%a): %a on one backend, %a on the other\n", i->name, (double)x[v], (double)y[v],
                    (double)z[v]);
            ++check_failures;
            return;
        }
    }
}

/* A backend's instance and, on cuda, its twin on the host. */
static int test(const struct catc_gemm_instance *i, const struct catc_gemm_instance *twin)
{
    static float x[VALUES], y[VALUES], z[VALUES];
    int const count = inputs(x, i->type_d);
    bool const scalars = i->epi[0].kind == CATC_EPI_SCALAR || i->epi[0].kind == CATC_EPI_PAIR;
    int compared = 0;
    worst = 0.0;
    for (int p = 0; p < POINTS; ++p) {
        float a = points[p].a, b = points[p].b;
        bool seen = strcmp(points[p].name, i->epi[0].name) != 0;
        for (int q = 0; q < p; ++q) {
            seen = seen || (strcmp(points[p].name, points[q].name) == 0 && same_bits(a, points[q].a) &&
                            same_bits(b, points[q].b));
        }
        for (int on_device = 0; !seen && on_device <= scalars; ++on_device) {
            run(i, x, y, count, a, b, on_device != 0);
            /* an operand in memory has D's type */
            float const stored = i->epi[0].kind == CATC_EPI_TILE && i->type_d == CATC_BF16
                                     ? catc_f32_from_bf16(catc_bf16_from_f32(a))
                                     : a;
            compare(i, x, y, count, stored, b);
            compared += compare_points(i, y, a, b);
            if (twin && accuracy_of(i->epi[0].name) >= SAME_BITS) {
                run(twin, x, z, count, a, b, on_device != 0);
                compare_backends(i, x, y, z, count);
            }
        }
    }
    printf("%-5s %-5s %-12s %3d points, worst error %.0f%% of the bound\n", catc_backend_name(i->backend),
           catc_type_name(i->type_d), i->epi[0].name, compared, 100 * worst);
    return compared / (scalars ? 2 : 1);
}

int main(void)
{
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        const struct catc_gemm_table *const own = &epilogue_bounds_registry()->gemm[backend[b]];
        int compared = 0;
        for (int at = 0; at < own->n_instances; ++at) {
            const char *const name = own->instances[at]->name;
            compared +=
                test(own->instances[at],
                     backend[b] == CATC_CUDA ? catc_gemm_find_in(epilogue_bounds_registry(), CATC_HOST, name) : NULL);
        }
        CHECK(compared == 2 * POINTS); /* fp32 and bf16 output */
    }
    return check_result();
}
