/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/divisor.h: division by a number that the host knows, without the division that a GPU lacks: some 10 cycles
 * instead of 100 and more (64 bits, H200), on the way of every tile to its first byte. */
#ifndef CATC_TILE_DIVISOR_H
#define CATC_TILE_DIVISOR_H

#include "catlass_c/base.h"

struct catc_divisor {
    int64_t value;       /* at least 1 */
    uint32_t multiplier; /* 2^shift / value, rounded up; 0 for a value of 2^31 and more, which no small n reaches */
    uint32_t shift;      /* 31 + bits of value - 1 */
};

static inline struct catc_divisor catc_divisor_of(int64_t value)
{
    struct catc_divisor d = {value, 0, 31};
    if (value < INT64_C(1) << 31) {
        while (INT64_C(1) << (d.shift - 31) < value) {
            d.shift += 1;
        }
        d.multiplier = (uint32_t)((((uint64_t)1 << d.shift) + (uint64_t)value - 1) / (uint64_t)value);
    }
    return d;
}

/* n / value, n at least 0. With value in (2^(l-1), 2^l], shift 31 + l and n below 2^31 the error of the rounded multiplier
 * stays below 1 / value (Granlund and Montgomery, Division by invariant integers using multiplication, theorem 4.2). */
CATC_HOST_DEVICE int64_t catc_divide(int64_t n, const struct catc_divisor *d)
{
    return n < INT64_C(1) << 31 ? (int64_t)((uint64_t)(uint32_t)n * d->multiplier >> d->shift) : n / d->value;
}

#endif /* CATC_TILE_DIVISOR_H */
