/* SPDX-License-Identifier: Apache-2.0
 *
 * raster.c: tile/raster.h gives every tile of every problem exactly once, in groups that share L2; tile/divisor.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catlass_c/tile/raster.h"
#include "check.h"

static void fail(const char *what, int m, int n, int batch, int group, int64_t tile)
{
    if (check_failures++ < 20)
        fprintf(stderr, "%s: tiles %d x %d, batch %d, group %d, tile %lld\n", what, m, n, batch, group,
                (long long)tile);
}

static void test_once(int tiles_m, int tiles_n, int batch, int log2_rows)
{
    const struct catc_raster r = catc_raster_of(tiles_m, tiles_n, (uint32_t)log2_rows);
    const int group = 1 << log2_rows;
    static uint8_t seen[64 * 64 * 5];
    const int64_t tiles = (int64_t)tiles_m * tiles_n * batch;
    memset(seen, 0, (size_t)tiles);
    struct catc_tile_index last = {0, 0, 0};
    for (int64_t tile = 0; tile < tiles; tile++) {
        const struct catc_tile_index at = catc_raster(&r, tile);
        if (at.m < 0 || at.m >= tiles_m || at.n < 0 || at.n >= tiles_n || at.batch < 0 || at.batch >= batch) {
            fail("outside", tiles_m, tiles_n, batch, group, tile);
            continue;
        }
        if (seen[(at.batch * tiles_m + at.m) * tiles_n + at.n]++)
            fail("twice", tiles_m, tiles_n, batch, group, tile);
        /* problems in order, inside one the groups of rows in order, inside a group the columns in order */
        if (at.batch < last.batch || (at.batch == last.batch && at.m / group < last.m / group) ||
            (at.batch == last.batch && at.m / group == last.m / group && at.n < last.n))
            fail("order", tiles_m, tiles_n, batch, group, tile);
        last = at;
    }
    for (int64_t i = 0; i < tiles; i++)
        if (seen[i] != 1)
            fail("missing", tiles_m, tiles_n, batch, group, i);
}

/* Sizes whose products pass 2^31 and 2^32: the first, the last, and the first tile of each problem. */
static void test_large(void)
{
    static const int64_t sizes[][3] = {{INT64_C(1) << 24, INT64_C(1) << 24, 1000},
                                       {INT64_C(70000), INT64_C(70001), 65536},
                                       {INT64_C(1) << 31, 1, 3},
                                       {1, INT64_C(1) << 33, 3},
                                       {(INT64_C(1) << 20) + 5, 3, 1}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int64_t m = sizes[s][0], n = sizes[s][1], batch = sizes[s][2];
        for (uint32_t log2_rows = 0; log2_rows <= 4; log2_rows++) {
            const struct catc_raster r = catc_raster_of(m, n, log2_rows);
            const struct catc_tile_index first = catc_raster(&r, 0);
            const struct catc_tile_index last = catc_raster(&r, m * n * batch - 1);
            const struct catc_tile_index next = catc_raster(&r, m * n * (batch - 1));
            CHECK(first.m == 0 && first.n == 0 && first.batch == 0);
            CHECK(last.m == m - 1 && last.n == n - 1 && last.batch == batch - 1);
            CHECK(next.m == 0 && next.n == 0 && next.batch == batch - 1);
        }
    }
}

/* Quotients around every multiple and at both ends. */
static void test_divisor(void)
{
    static const int64_t values[] = {1,
                                     2,
                                     3,
                                     5,
                                     7,
                                     64,
                                     641,
                                     65535,
                                     65536,
                                     65537,
                                     46341,
                                     1000003,
                                     2147483629,
                                     INT64_C(2147483647),
                                     INT64_C(2147483648),
                                     INT64_C(2147483649),
                                     INT64_C(1) << 40};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        const struct catc_divisor d = catc_divisor_of(values[v]);
        const int64_t limit = INT64_C(1) << 31, step = limit / values[v] / 1000 + 1;
        for (int64_t q = 0; q * values[v] < limit + 2 * values[v]; q += step) {
            for (int64_t n = q * values[v] - 1; n <= q * values[v] + 1; n++)
                CHECK(n < 0 || catc_divide(n, &d) == n / values[v]);
        }
        for (int64_t n = limit - 3; n < limit + 3; n++)
            CHECK(catc_divide(n, &d) == n / values[v]);
    }
}

int main(void)
{
    static const int extents[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64};
    static const int groups[] = {0, 1, 2, 3, 4, 7}; /* log2 */
    static const int batches[] = {1, 2, 5};
    enum { EXTENTS = sizeof extents / sizeof extents[0] };
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)
            for (size_t i = 0; i < (size_t)EXTENTS * EXTENTS; i++)
                test_once(extents[i / EXTENTS], extents[i % EXTENTS], batches[b], groups[g]);
    test_large();
    test_divisor();
    return check_result();
}
