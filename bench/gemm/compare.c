/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "catlass_c/tile/vector.h"

enum { CHUNK = 4096 };

struct bench_tolerance bench_tolerance_of(enum catc_type type, int64_t k, bool chain, bool approximate)
{
    double const depth = (double)k;
    struct bench_tolerance tolerance;
    tolerance.relative = type == CATC_BF16 ? 0x1p-6 : type == CATC_F16 ? 0x1p-9 : 0x1p-18;
    tolerance.absolute = 64 * 0x1p-24 * depth * (chain ? 8 : 1) + (chain ? 0x1p-9 : 0) + (approximate ? 1e-3 : 0);
    return tolerance;
}

static void to_floats(enum catc_type type, const void *values, int64_t first, int count, float *out)
{
    static float f16[65536]; /* a conversion by arithmetic takes longer than the comparison */
    if (type == CATC_BF16) {
        const catc_bf16_bits *const bits = (const catc_bf16_bits *)values + first;
        for (int i = 0; i < count; ++i) {
            out[i] = catc_f32_from_bf16(bits[i]);
        }
    } else if (type == CATC_F16) {
        const catc_f16_bits *const bits = (const catc_f16_bits *)values + first;
        if (f16[0x3c00] == 0) {
            for (int i = 0; i < 65536; ++i) {
                f16[i] = catc_f32_from_f16((catc_f16_bits)i);
            }
        }
        for (int i = 0; i < count; ++i) {
            out[i] = f16[bits[i]];
        }
    } else {
        memcpy(out, (const float *)values + first, (size_t)count * sizeof *out);
    }
}

int64_t bench_count_nan(enum catc_type type, const void *values, int64_t count)
{
    float x[CHUNK];
    int64_t nan = 0;
    for (int64_t first = 0; first < count; first += CHUNK) {
        int const length = count - first < CHUNK ? (int)(count - first) : CHUNK;
        to_floats(type, values, first, length, x);
        for (int i = 0; i < length; ++i) {
            nan += isnan(x[i]) != 0;
        }
    }
    return nan;
}

/* Equal infinities are: both overflowed. A difference that is infinite is none that a tolerance covers. */
static bool near(float x, float y, float absolute, float relative)
{
    float const apart = fabsf(x - y);
    return ((apart <= absolute + relative * fabsf(y)) & (apart < INFINITY)) | (x == y);
}

bool bench_compare(enum catc_type type, const void *got, const void *want, int64_t count, int64_t k,
                   struct bench_tolerance tolerance, struct bench_difference *difference)
{
    float x[CHUNK], y[CHUNK];
    float const relative = (float)tolerance.relative, absolute = (float)tolerance.absolute;
    float largest = 0;
    memset(difference, 0, sizeof *difference);
    if (memcmp(got, want, (size_t)count * catc_type_size(type)) == 0) {
        return true; /* the caller has looked for NaN in `want` */
    }
    for (int64_t first = 0; first < count; first += CHUNK) {
        int const length = count - first < CHUNK ? (int)(count - first) : CHUNK;
        int outside = 0;
        to_floats(type, got, first, length, x);
        to_floats(type, want, first, length, y);
        for (int i = 0; i < length; ++i) {
            float const apart = fabsf(x[i] - y[i]);
            outside += !near(x[i], y[i], absolute, relative);
            largest = apart > largest ? apart : largest;
        }
        for (int i = 0; outside && difference->wrong == 0 && i < length; ++i) {
            if (!near(x[i], y[i], absolute, relative)) {
                difference->first = first + i;
                difference->got = (double)x[i], difference->want = (double)y[i];
                break;
            }
        }
        difference->wrong += outside;
    }
    difference->largest = (double)largest / sqrt((double)k);
    return difference->wrong == 0;
}
