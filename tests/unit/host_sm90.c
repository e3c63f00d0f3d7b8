/* SPDX-License-Identifier: Apache-2.0
 *
 * host_sm90.c: the emulator's mbarriers, TMA, wgmma, stmatrix, setmaxnreg and named barriers, used rightly and with
 * planted faults. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "catlass_c/arch/sm90.h"
#include "catlass_c/tile/vector.h"
#include "emulator.h"

#define CATC_W_NAME wgmma_n256
#define CATC_W_N 256
#define CATC_W_TYPE bf16
#define CATC_W_TRANS_A 0
#define CATC_W_TRANS_B 0
#include "catlass_c/arch/wgmma.inst.h"

/* ---- mbarrier -------------------------------------------------------------------------------------------------- */

struct mode_params {
    int mode;
    uint32_t *out;
};
struct ring_shared {
    uint32_t slot[4][32];
    uint64_t full[4], empty[4];
    uint64_t other;
};

/* Warp 0 fills a ring of four slots, warp 1 empties it, by generic accesses: 64 rounds. */
CATC_KERNEL(ring_kernel, struct mode_params, 64, 1)
{
    const struct mode_params *p = CATC_PARAMS;
    struct ring_shared *s = CATC_SHARED(struct ring_shared);
    const int t = catc_thread(), lane = t & 31;
    if (t == 0) {
        for (int i = 0; i < 4; i++) {
            catc_mbar_init(catc_smem_u32(&s->full[i]), 32);
            catc_mbar_init(catc_smem_u32(&s->empty[i]), 32);
        }
        catc_fence_mbar_init();
    }
    CATC_SYNC_BLOCK();
    uint32_t sum = 0;
    for (int i = 0; i < 64; i++) {
        const uint32_t full = catc_smem_u32(&s->full[i % 4]), empty = catc_smem_u32(&s->empty[i % 4]);
        const uint32_t phase = (uint32_t)(i / 4 & 1);
        if (t < 32) {
            CATC_MBAR_WAIT(empty, phase ^ 1);
            s->slot[i % 4][lane] = (uint32_t)(i * 100 + lane);
            catc_mbar_arrive(full);
        } else {
            CATC_MBAR_WAIT(full, phase);
            sum += s->slot[i % 4][31 - lane];
            catc_mbar_arrive(empty);
        }
    }
    if (t >= 32)
        p->out[lane] = sum;
}

CATC_KERNEL(mbar_fault_kernel, struct mode_params, 64, 1)
{
    const struct mode_params *p = CATC_PARAMS;
    struct ring_shared *s = CATC_SHARED(struct ring_shared);
    const int t = catc_thread();
    const uint32_t bar = catc_smem_u32(&s->full[0]), other = catc_smem_u32(&s->other);
    if (t == 0) {
        catc_mbar_init(bar, 2);
        catc_fence_mbar_init();
    }
    CATC_SYNC_BLOCK();
    switch (p->mode) {
    case 0: /* never initialised */
        FAULT_HERE();
        CATC_MBAR_WAIT(other, 1);
        break;
    case 1: /* three arrivals on a count of two, held open by tx bytes */
        if (t == 0) {
            catc_mbar_expect_tx(bar, 64);
            catc_mbar_arrive(bar);
            FAULT_HERE();
            catc_mbar_arrive(bar);
        }
        break;
    case 2: /* bytes that never come: every thread waits */
        if (t < 2)
            catc_mbar_expect_tx(bar, 128);
        FAULT_HERE();
        CATC_MBAR_WAIT(bar, 0);
        break;
    case 3: /* one arrival missing */
        if (t == 0)
            catc_mbar_arrive(bar);
        FAULT_HERE();
        CATC_MBAR_WAIT(bar, 0);
        break;
    case 4: /* left open at the end */
        if (t == 0)
            catc_mbar_expect_tx(bar, 16);
        break;
    case 5:
        if (t == 0) {
            FAULT_HERE();
            catc_mbar_init(bar, 1);
        }
        break;
    case 6:
        if (t == 0) {
            FAULT_HERE();
            catc_mbar_init(other, 0);
        }
        break;
    case 7:
        if (t == 0) {
            FAULT_HERE();
            catc_mbar_init(bar + 4, 1);
        }
        break;
    case 8:
        if (t == 0) {
            FAULT_HERE();
            catc_mbar_arrive(8);
        }
        break;
    case 9: /* two phases pass while thread 63 sleeps in the first */
        if (t == 63) {
            CATC_MBAR_WAIT(bar, 0);
        } else if (t == 0) {
            for (int i = 0; i < 4; i++)
                catc_mbar_arrive(bar);
        }
        break;
    }
}

static void test_mbarrier(void)
{
    FOR_POLICIES(i)
    {
        uint32_t out[32];
        struct mode_params p = {0, out};
        CHECK(LAUNCH(ring_kernel, &p, 2, 64, sizeof(struct ring_shared)) == CATC_OK);
        for (uint32_t l = 0; l < 32; l++)
            CHECK(out[l] == 100 * 63 * 32 + 64 * (31 - l));
        static const char *const sentence[] = {"no mbarrier has been initialised at",
                                               "one arrival too many",
                                               "is in phase 0, 0 of 2 arrivals pending, 256 tx bytes outstanding",
                                               "is in phase 0, 1 of 2 arrivals pending, 0 tx bytes outstanding",
                                               "has 16 tx bytes outstanding",
                                               "is in use since",
                                               "count=0 must be",
                                               "must be a multiple of 8",
                                               "are not within the block's"};
        for (p.mode = 0; p.mode < 9; p.mode++) {
            FAILS(mbar_fault_kernel, &p, 64, sizeof(struct ring_shared), sentence[p.mode]);
            if (p.mode != 4)
                HAS_LINE(fault_line);
        }
        p.mode = 2;
        FAILS(mbar_fault_kernel, &p, 64, sizeof(struct ring_shared), "deadlock");
        CHECK_HAS(report, "warp 0, lanes 0-31: CATC_MBAR_WAIT(0x");
        CHECK_HAS(report, "warp 1, lanes 0-31: CATC_MBAR_WAIT(0x");
    }
    set_policy(
        0); /* round robin: thread 63, the last at the barrier, goes on first and sleeps before thread 0 arrives */
    struct mode_params p = {9, NULL};
    FAILS(mbar_fault_kernel, &p, 64, sizeof(struct ring_shared), "nothing made the barrier wait for this thread");
}

/* ---- TMA ------------------------------------------------------------------------------------------------------- */

static void test_map(void)
{
    static CATC_ALIGNAS(16) uint16_t data[64];
    struct catc_tensor_map map;
    char text[256];
    uint64_t dims[5] = {64, 8, 2, 1, 1}, strides[4] = {128, 1024, 2048, 2048};
    uint32_t box[5] = {64, 8, 1, 1, 1};
#define MAP(rank, base, bytes, span) \
    catc_host_tensor_map(&map, rank, base, bytes, dims, strides, box, span, text, sizeof text)
#define REFUSED(set, unset, part) \
    do { \
        set; \
        CHECK(MAP(3, data, 2, 128) != CATC_OK); \
        CHECK_HAS(text, part); \
        unset; \
        CHECK(MAP(3, data, 2, 128) == CATC_OK); \
    } while (0)
    CHECK(MAP(3, data, 2, 128) == CATC_OK);
    CHECK(MAP(0, data, 2, 128) == CATC_INVALID_ARGUMENT && MAP(6, data, 2, 128) == CATC_INVALID_ARGUMENT);
    CHECK(MAP(3, NULL, 2, 128) == CATC_INVALID_ARGUMENT && MAP(3, data, 3, 128) == CATC_INVALID_ARGUMENT);
    CHECK(MAP(3, data, 2, 16) == CATC_INVALID_ARGUMENT && MAP(3, data, 2, 64) == CATC_INVALID_ARGUMENT);
    CHECK(MAP(3, data + 1, 2, 128) == CATC_MISALIGNED);
    REFUSED(dims[1] = 0, dims[1] = 8, "dims[1]=0");
    REFUSED(dims[1] = (1ull << 32) + 1, dims[1] = 1ull << 32, "dims[1]=");
    REFUSED(strides[0] = 136, strides[0] = 128, "stride_bytes[0]=136");
    REFUSED(strides[1] = 1ull << 40, strides[1] = 1024, "stride_bytes[1]=");
    REFUSED(box[1] = 257, box[1] = 256, "box[1]=257");
    REFUSED(box[1] = 0, box[1] = 8, "box[1]=0");
    REFUSED(box[0] = 12, box[0] = 64, "box[0]=12");
    REFUSED(box[0] = 72, box[0] = 64, "swizzle span");
    CHECK(catc_host_tensor_map(NULL, 1, data, 2, dims, NULL, box, 0, NULL, 0) == CATC_INVALID_ARGUMENT);
    CHECK(catc_host_tensor_map(&map, 1, data, 2, dims, NULL, box, 0, NULL, 0) == CATC_OK);
}

struct copy_params {
    struct catc_tensor_map in, out;
    int rank, x, y, z, x_out, bytes, expect, mode;
    unsigned char *seen; /* the box as it lies in shared memory */
};
struct copy_shared {
    CATC_ALIGNAS(1024) unsigned char box[32768];
    uint64_t full;
};

/* Copies a box to shared memory, shows it, and copies it out again. The modes leave something out. */
CATC_KERNEL(copy_kernel, struct copy_params, 64, 1)
{
    const struct copy_params *p = CATC_PARAMS;
    struct copy_shared *s = CATC_SHARED(struct copy_shared);
    const int t = catc_thread();
    const uint32_t bar = catc_smem_u32(&s->full);
    if (t == 0) {
        catc_mbar_init(bar, 1);
        catc_fence_mbar_init();
    }
    CATC_SYNC_BLOCK();
    const uint32_t at = catc_smem_u32(s->box) + (p->mode == 3 ? 128 : 0);
    if (t == 0) {
        if (p->rank == 2) {
            FAULT_HERE();
            catc_tma_load_2d(at, &p->in, bar, p->x, p->y);
        } else {
            FAULT_HERE();
            catc_tma_load_3d(at, &p->in, bar, p->x, p->y, p->z);
        }
        catc_mbar_expect_tx(bar, (uint32_t)p->expect);
    }
    if (p->mode != 1) /* 1: nobody waits for the copy */
        CATC_MBAR_WAIT(bar, 0);
    CATC_SYNC_BLOCK();
    for (int i = t; i < p->bytes; i += 64)
        p->seen[i] = s->box[i];
    CATC_SYNC_BLOCK();
    if (p->mode == 1)
        CATC_MBAR_WAIT(bar, 0);
    if (t == 0) {
        if (p->rank == 2) {
            catc_tma_store_2d(&p->out, at, p->x_out, p->y);
        } else {
            catc_tma_store_3d(&p->out, at, p->x_out, p->y, p->z);
        }
        if (p->mode != 4) /* 4: not committed */
            catc_bulk_commit();
        if (p->mode == 5)
            CATC_BULK_WAIT(0);
        else if (p->mode != 2) /* 2: not waited for */
            CATC_BULK_WAIT_READ(0);
    }
}

/* One case: a tensor of rows x columns x depth elements of 2 bytes inside guarded memory, and a box of it. */
static void copy_case(int columns, int rows, int depth, int box_x, int box_y, int box_z, int span, int x, int y, int z)
{
    const size_t row = (size_t)(columns * 2 + 15) / 16 * 16, slice = row * (size_t)rows;
    /* The last row ends where the tensor does, not at the stride. */
    const size_t bytes = slice * (size_t)depth - row + (size_t)columns * 2, aligned = (bytes + 15) / 16 * 16;
    unsigned char *in = (unsigned char *)catc_host_alloc(aligned, 1),
                  *out = (unsigned char *)catc_host_alloc(aligned, 1);
    CHECK(in && out);
    if (!in || !out)
        return;
    for (size_t i = 0; i < aligned; i++)
        in[i] = (unsigned char)random_u32();
    memset(out, 0xee, aligned);
    static unsigned char seen[32768];
    const int pitch = span ? span : box_x * 2, box_bytes = pitch * box_y * box_z;
    struct copy_params p;
    memset(&p, 0, sizeof p);
    const uint64_t dims[3] = {(uint64_t)columns, (uint64_t)rows, (uint64_t)depth}, strides[2] = {row, slice};
    const uint32_t box[3] = {(uint32_t)box_x, (uint32_t)box_y, (uint32_t)box_z};
    p.rank = depth > 1 ? 3 : 2;
    CHECK(catc_host_tensor_map(&p.in, p.rank, in, 2, dims, strides, box, span, report, sizeof report) == CATC_OK);
    CHECK(catc_host_tensor_map(&p.out, p.rank, out, 2, dims, strides, box, span, report, sizeof report) == CATC_OK);
    p.x = p.x_out = x;
    p.y = y;
    p.z = z;
    p.bytes = box_bytes;
    p.expect = box_x * 2 * box_y * box_z;
    p.seen = seen;
    CHECK(LAUNCH(copy_kernel, &p, 1, 64, sizeof(struct copy_shared)) == CATC_OK);
    if (report[0])
        fprintf(stderr, "%s\n", report);
    int wrong = 0;
    for (int k = 0; k < box_z; k++) {
        for (int j = 0; j < box_y; j++) {
            for (int i = 0; i < box_x * 2; i++) {
                const int gx = x * 2 + i, gy = y + j, gz = z + k;
                const int inside = gx >= 0 && gx < columns * 2 && gy >= 0 && gy < rows && gz >= 0 && gz < depth;
                int at = (k * box_y + j) * pitch + i;
                if (span == 128)
                    at = (at & ~0x70) | (((at >> 4 & 7) ^ (at >> 7 & 7)) << 4);
                if (span == 64)
                    at = (at & ~0x30) | (((at >> 4 & 3) ^ (at >> 7 & 3)) << 4);
                if (span == 32)
                    at = (at & ~0x10) | (((at >> 4 & 1) ^ (at >> 7 & 1)) << 4);
                const size_t source = (size_t)gz * slice + (size_t)gy * row + (size_t)gx;
                wrong += seen[at] != (inside ? in[source] : 0);
                wrong += inside && out[source] != in[source];
            }
        }
    }
    /* Nothing outside the box was written. */
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns * 2; i++)
                if (k < z || k >= z + box_z || j < y || j >= y + box_y || i < 2 * x || i >= 2 * (x + box_x))
                    wrong += out[(size_t)k * slice + (size_t)j * row + (size_t)i] != 0xee;
    CHECK(wrong == 0);
    catc_host_free(in);
    catc_host_free(out);
}

static void test_tma(void)
{
    FOR_POLICIES(i)
    {
        static const int spans[] = {0, 32, 64, 128};
        for (int s = 0; s < 4; s++) {
            const int wide = spans[s] ? spans[s] / 2 : 64;
            copy_case(256, 64, 1, wide, 32, 1, spans[s], 64, 16, 0);
            copy_case(200, 60, 1, wide, 32, 1, spans[s], 192, 40, 0); /* corner */
            copy_case(201, 60, 1, wide, 32, 1, spans[s], 192, 40, 0); /* an edge within 16 bytes */
            copy_case(200, 60, 1, wide, 32, 1, spans[s], -8, -5, 0);
            copy_case(200, 60, 1, wide, 32, 1, spans[s], 4096, 5, 0); /* wholly outside */
            copy_case(8, 1, 1, wide, 32, 1, spans[s], 0, 0, 0);       /* 16 bytes in all */
            copy_case(64, 20, 5, wide, 8, 4, spans[s], 0, 16, 3);
            if (spans[s])
                copy_case(64, 64, 1, wide / 2, 32, 1, spans[s], 16, 3, 0); /* narrower than the span */
        }
    }
}

static void test_tma_faults(void)
{
    set_policy(0);
    unsigned char *memory = (unsigned char *)catc_host_alloc(64 * 256, 1), seen[4096];
    const uint64_t dims[2] = {128, 64}, strides[1] = {256};
    const uint32_t box[2] = {64, 16};
    struct copy_params p;
    memset(&p, 0, sizeof p);
    memset(memory, 1, 64 * 256);
    CHECK(catc_host_tensor_map(&p.in, 2, memory, 2, dims, strides, box, 128, report, sizeof report) == CATC_OK);
    p.out = p.in;
    p.rank = 2;
    p.seen = seen;
    p.bytes = p.expect = 2048;
    const int threads = 64, smem = (int)sizeof(struct copy_shared);
    CHECK(LAUNCH(copy_kernel, &p, 1, threads, smem) == CATC_OK);
    CHECK(seen[0] == 1);
    p.mode = 1; /* read before the wait: NaN under late landing, and no failure */
    CHECK(LAUNCH(copy_kernel, &p, 1, threads, smem) == CATC_OK);
    CHECK(seen[0] == 0xff && seen[2047] == 0xff);
    p.mode = 2;
    FAILS(copy_kernel, &p, threads, smem, "may still read shared memory; its group was not waited for");
    p.mode = 4;
    FAILS(copy_kernel, &p, threads, smem, "it was not committed");
    p.mode = 5;
    CHECK(LAUNCH(copy_kernel, &p, 1, threads, smem) == CATC_OK);
    p.mode = 3;
    FAILS(copy_kernel, &p, threads, smem, "must be a multiple of 1024");
    HAS_LINE(fault_line);
    p.mode = 0;
    p.x = 13;
    FAILS(copy_kernel, &p, threads, smem, "inner coordinate x=13 is byte 26 of a row; must be a multiple of 16 bytes");
    HAS_LINE(fault_line);
    p.x = 0;
    p.x_out = -3;
    FAILS(copy_kernel, &p, threads, smem, "inner coordinate x=-3");
    p.x_out = 0;
    p.expect = 1024;
    FAILS(copy_kernel, &p, threads, smem, "tx underflow");
    HAS_LINE(fault_line);
    p.expect = 4096;
    FAILS(copy_kernel, &p, threads, smem, "2048 tx bytes outstanding");
    CHECK_HAS(report, "deadlock");
    p.expect = 2048;
    p.rank = 3;
    FAILS(copy_kernel, &p, threads, smem, "the tensor map has rank 2, the instruction 3");
    p.rank = 2;
    memset(&p.in, 0, sizeof p.in);
    FAILS(copy_kernel, &p, threads, smem, "is not a tensor map");
#if !defined(__SANITIZE_THREAD__) /* faults are not caught under it */
    /* A map that promises more rows than the buffer has: the copy runs into the guard page. */
    const uint64_t more[2] = {128, 80};
    CHECK(catc_host_tensor_map(&p.in, 2, memory, 2, more, strides, box, 128, report, sizeof report) == CATC_OK);
    p.y = 60;
    FAILS(copy_kernel, &p, threads, smem, "illegal access: byte 163");
#endif
    catc_host_free(memory);
}

/* ---- wgmma ----------------------------------------------------------------------------------------------------- */

struct wgmma_params {
    int n, type, span, trans_a, trans_b, mode;
    const float *a, *b; /* 64 x 32 and n x 32: two multiplies along K, row-major; of the last only k < 2 * step */
    float *d;           /* 64 x n, in: the initial accumulators */
};
struct wgmma_shared {
    CATC_ALIGNAS(1024) unsigned char a[65536];
    CATC_ALIGNAS(1024) unsigned char b[131072];
};

/* Where element (row, k) of an operand of `rows` rows lies, from the text of the PTX ISA, and the descriptor of a step.
 * K tile: `span` bytes (32 without a swizzle) for K-major, 32 elements for the others. */
static uint32_t place(int rows, int row, int k, int span, int transposed, int size)
{
    uint32_t at;
    if (!transposed) {
        const int byte = k * size;
        if (!span)
            return (uint32_t)(row / 8 * 128 + byte / 16 * rows * 16 + row % 8 * 16 + byte % 16);
        at = (uint32_t)(row / 8 * 8 * span + row % 8 * span + byte % span + byte / span * rows * span);
    } else {
        if (!span) /* atoms of 8 rows x 8 k follow each other along k */
            return (uint32_t)(row / 8 * 32 * 16 + k / 8 * 128 + k % 8 * 16 + row % 8 * 2);
        at = (uint32_t)(row / (span / 2) * 32 * span + k * span + row % (span / 2) * 2);
    }
    return at ^ ((at >> 7 & (uint32_t)(span / 16 - 1)) << 4);
}
static uint64_t descriptor(uint32_t base, int rows, int step, int span, int transposed)
{
    const uint32_t mode = span == 128  ? CATC_SWIZZLE_128B
                          : span == 64 ? CATC_SWIZZLE_64B
                          : span == 32 ? CATC_SWIZZLE_32B
                                       : 0;
    const uint32_t s = (uint32_t)span, r = (uint32_t)rows, k = (uint32_t)step;
    if (!transposed && !span)
        return catc_wgmma_desc(base + k * 2 * r * 16, r * 16, 128, mode);
    if (!transposed)
        return catc_wgmma_desc(base + k * 32 % s + k * 32 / s * r * s, 16, 8 * s, mode);
    if (!span)
        return catc_wgmma_desc(base + k * 256, 128, 32 * 16, mode);
    return catc_wgmma_desc(base + k * 16 * s, 32 * s, 8 * s, mode);
}
static void put(unsigned char *at, float x, int type)
{
    const uint16_t half = type == CATC_BF16 ? catc_bf16_from_f32(x) : catc_f16_from_f32(x);
    if (type == CATC_F32)
        memcpy(at, &x, 4);
    else
        memcpy(at, &half, 2);
}

static float wgmma_early; /* what a thread sees in its accumulator before the wait */
CATC_KERNEL(wgmma_kernel, struct wgmma_params, 128, 1)
{
    const struct wgmma_params *p = CATC_PARAMS;
    struct wgmma_shared *s = CATC_SHARED(struct wgmma_shared);
    const int t = catc_thread(), size = p->type == CATC_F32 ? 4 : 2, step = 32 / size;
    for (int i = t; i < (64 + p->n) * 2 * step; i += 128) {
        const int row = i / (2 * step), k = i % (2 * step);
        if (row < 64)
            put(s->a + place(64, row, k, p->span, p->trans_a, size), p->a[row * 32 + k], p->type);
        else
            put(s->b + place(p->n, row - 64, k, p->span, p->trans_b, size), p->b[(row - 64) * 32 + k], p->type);
    }
    catc_fence_proxy_async();
    CATC_SYNC_BLOCK();
    float acc[128], spare[128];
    const int row = 16 * (t / 32) + t % 32 / 4, column = 2 * (t % 4);
    for (int i = 0; i < p->n / 2; i++)
        acc[i] = p->d[(row + (i / 2 & 1) * 8) * p->n + i / 4 * 8 + column + (i & 1)];
    if (p->mode != 9) {
        FAULT_HERE();
        catc_wgmma_fence();
    }
    for (int k = 0; k < 2; k++) {
        uint64_t da = descriptor(catc_smem_u32(s->a), 64, k, p->span, p->trans_a);
        uint64_t db = descriptor(catc_smem_u32(s->b), p->n, k, p->span, p->trans_b);
        if (p->mode == 2 && t == 100)
            db += 2;
        if (p->mode == 5)
            da += (uint64_t)12288; /* 192 KB */
        if (p->mode == 6 && t == 127 && k == 1)
            break;
        catc_host_wgmma(p->mode == 7 && k && t == 5 ? spare : acc, p->n, p->type, da, db, p->mode == 8 ? k : 1,
                        p->trans_a, p->trans_b, __LINE__);
    }
    catc_wgmma_commit();
    wgmma_early = acc[t % 4];
    if (p->mode == 3)
        acc[1] = 0;
    if (p->mode == 1) /* one wait with the group still allowed to be pending */
        CATC_WGMMA_WAIT(1, acc, p->n / 2);
    else if (p->mode != 4)
        CATC_WGMMA_WAIT(0, acc, p->n / 2);
    for (int i = 0; i < p->n / 2; i++)
        p->d[(row + (i / 2 & 1) * 8) * p->n + i / 4 * 8 + column + (i & 1)] = acc[i];
    if (p->mode == 1)
        CATC_WGMMA_WAIT(0, acc, p->n / 2);
}

static float a_values[64 * 32], b_values[256 * 32], d_values[64 * 256], d_want[64 * 256];
static int wgmma_case(struct wgmma_params *p)
{
    const int ks = p->type == CATC_F32 ? 16 : 32;
    for (int i = 0; i < 64 * 32; i++)
        a_values[i] = (float)(int)(random_u32() % 17) - 8;
    for (int i = 0; i < p->n * 32; i++)
        b_values[i] = (float)(int)(random_u32() % 17) - 8;
    for (int r = 0; r < 64; r++) {
        for (int c = 0; c < p->n; c++) {
            float sum = d_values[r * p->n + c] = (float)(int)(random_u32() % 100);
            if (p->mode == 8)
                sum = 0; /* the first multiply ignores the accumulators */
            for (int k = 0; k < ks; k++)
                sum += a_values[r * 32 + k] * b_values[c * 32 + k];
            d_want[r * p->n + c] = sum;
        }
    }
    p->a = a_values;
    p->b = b_values;
    p->d = d_values;
    if (LAUNCH(wgmma_kernel, p, 1, 128, sizeof(struct wgmma_shared)) != CATC_OK)
        return -1;
    int wrong = 0;
    for (int i = 0; i < 64 * p->n; i++)
        wrong += !(d_values[i] == d_want[i]);
    return wrong;
}

static void test_wgmma(void)
{
    static const int ns[] = {8, 24, 64, 128, 256}, spans[] = {0, 32, 64, 128};
    FOR_POLICIES(i)
    {
        for (int n = 0; n < 5; n++) {
            for (int s = 0; s < 4; s++) {
                for (int v = 0; v < 9; v++) {
                    struct wgmma_params p;
                    memset(&p, 0, sizeof p);
                    p.n = ns[n];
                    p.type = v == 8 ? CATC_F32 : v & 4 ? CATC_F16 : CATC_BF16;
                    p.span = spans[s];
                    p.trans_a = v != 8 && (v & 1);
                    p.trans_b = v != 8 && (v & 2);
                    if (i > 1 && v % 3) /* all layouts under two policies, some under the others */
                        continue;
                    const int wrong = wgmma_case(&p);
                    CHECK(wrong == 0);
                    if (wrong)
                        fprintf(stderr, "n %d span %d type %d trans %d %d: %d wrong %s\n", p.n, p.span, p.type,
                                p.trans_a, p.trans_b, wrong, report);
                }
            }
        }
    }
    set_policy(0);
    struct wgmma_params p;
    memset(&p, 0, sizeof p);
    p.n = 64;
    p.type = CATC_BF16;
    p.span = 128;
    p.mode = 8;
    CHECK(wgmma_case(&p) == 0);
    p.mode = 0;
    CHECK(wgmma_case(&p) == 0);
    CHECK(wgmma_early != wgmma_early); /* NaN before the wait */
    p.mode = 1;
    CHECK(wgmma_case(&p) == 64 * 64);
    p.mode = 2;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "the threads of warpgroup 0 differ");
    p.mode = 3;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "accumulator 1 was written while a wgmma on it was pending");
    p.mode = 4;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "was not waited for");
    p.mode = 5;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "outside the block's");
    p.mode = 6;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "have committed different wgmmas");
    p.mode = 7;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "use different accumulators");
    p.mode = 9;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "no catc_wgmma_fence since");
    p.mode = 4;
    CHECK(wgmma_case(&p) == -1);
    HAS_LINE(fault_line); /* of the fence before it */
    p.mode = 0;
    p.n = 12;
    CHECK(wgmma_case(&p) == -1);
    CHECK_HAS(report, "n=12");
    FAILS(wgmma_kernel, &p, 96, sizeof(struct wgmma_shared), "is not in a whole warpgroup");
}

/* ---- named barriers, setmaxnreg, stmatrix ---------------------------------------------------------------------- */

CATC_KERNEL(special_kernel, struct mode_params, 384, 1)
{
    const struct mode_params *p = CATC_PARAMS;
    struct copy_shared *s = CATC_SHARED(struct copy_shared);
    const int t = catc_thread(), lane = t & 31, warpgroup = catc_warp_uniform(t / 128);
    switch (p->mode) {
    case 0: /* the usual: one warpgroup gives, two take; 40 + 2 * 232 = 504 = 3 * 168 */
        if (warpgroup == 0) {
            CATC_SETMAXNREG_DEC(40);
        } else {
            CATC_SETMAXNREG_INC(232);
            CATC_NAMED_BARRIER(1, 256);
            CATC_NAMED_BARRIER(1 + warpgroup, 128);
        }
        p->out[t] = (uint32_t)warpgroup;
        break;
    case 1: /* 8 registers too many */
        if (warpgroup == 0) {
            CATC_SETMAXNREG_DEC(40);
        } else {
            CATC_SETMAXNREG_INC(240);
        }
        break;
    case 2:
        FAULT_HERE();
        CATC_SETMAXNREG_DEC(36);
        break;
    case 3:
        FAULT_HERE();
        CATC_SETMAXNREG_INC(160); /* has 168 */
        break;
    case 4:
        FAULT_HERE();
        CATC_NAMED_BARRIER(16, 128);
        break;
    case 5:
        FAULT_HERE();
        CATC_NAMED_BARRIER(1, 100);
        break;
    case 6: /* one warp expects another number */ CATC_NAMED_BARRIER(1, t / 32 == 1 ? 64 : 128); break;
    case 7: /* a named barrier does not forget a warp that has exited */
        if (t < 32)
            return;
        if (t < 128)
            CATC_NAMED_BARRIER(1, 128);
        break;
    case 8:
    case 10: { /* 10: transposed */
        uint32_t r[4];
        for (int m = 0; m < 4; m++) {
            const uint32_t low = (uint32_t)(m * 1000 + lane / 4 * 100 + 2 * (lane % 4));
            r[m] = low | (low + 1) << 16;
        }
        /* Matrix m to rows of 16 bytes, 64 bytes apart. */
        const uint32_t base = catc_smem_u32(s->box) + (uint32_t)(t / 32) * 2048;
        if (p->mode == 8) {
            CATC_STMATRIX_X4(base + (uint32_t)(lane % 8 * 64 + lane / 8 * 16), r[0], r[1], r[2], r[3]);
        } else {
            CATC_STMATRIX_X4_TRANS(base + (uint32_t)(lane % 8 * 64 + lane / 8 * 16), r[0], r[1], r[2], r[3]);
        }
        CATC_SYNC_WARP();
        uint32_t wrong = 0;
        for (int i = lane; i < 8 * 32; i += 32) {
            uint16_t half;
            memcpy(&half, s->box + t / 32 * 2048 + i / 32 * 64 + i % 32 * 2, 2);
            const int row = p->mode == 8 ? i / 32 : i % 8, column = p->mode == 8 ? i % 8 : i / 32;
            wrong += half != i % 32 / 8 * 1000 + row * 100 + column;
        }
        p->out[t] = wrong;
        break;
    }
    case 9:
        FAULT_HERE();
        CATC_STMATRIX_X4(catc_smem_u32(s->box) + 8, 0, 0, 0, 0);
        break;
    }
}

static void test_special(void)
{
    FOR_POLICIES(i)
    {
        uint32_t out[384];
        struct mode_params p = {0, out};
        const int smem = (int)sizeof(struct copy_shared);
        CHECK(LAUNCH(special_kernel, &p, 2, 384, smem) == CATC_OK);
        CHECK(out[0] == 0 && out[128] == 1 && out[383] == 2);
        p.mode = 1;
        FAILS(special_kernel, &p, 384, smem, "deadlock");
        CHECK_HAS(report, "wants 240 registers per thread");
        p.mode = 2;
        FAILS(special_kernel, &p, 384, smem, "registers=36 must be a multiple of 8 in 24 to 256");
        HAS_LINE(fault_line);
        p.mode = 3;
        FAILS(special_kernel, &p, 384, smem, "registers=160 must not be below the 168");
        HAS_LINE(fault_line);
        p.mode = 4;
        FAILS(special_kernel, &p, 384, smem, "id=16 must be 1 to 15");
        HAS_LINE(fault_line);
        p.mode = 5;
        FAILS(special_kernel, &p, 384, smem, "threads=100 must be a multiple of 32");
        p.mode = 6;
        FAILS(special_kernel, &p, 128, smem, "threads already wait at this barrier for");
        p.mode = 7;
        FAILS(special_kernel, &p, 384, smem, "96 of 128 threads have arrived");
        for (p.mode = 8; p.mode <= 10; p.mode += 2) {
            memset(out, 0xff, sizeof out);
            CHECK(LAUNCH(special_kernel, &p, 1, 384, smem) == CATC_OK);
            for (int t = 0; t < 384; t++)
                CHECK(out[t] == 0);
        }
        p.mode = 9;
        FAILS(special_kernel, &p, 384, smem, "must be a multiple of 16");
        HAS_LINE(fault_line);
    }
}

/* ---- all of it: a warp-specialised GEMM, 128 x 256 x 64, two consumers ----------------------------------------- */

struct gemm_params {
    struct catc_tensor_map a, b, d;
    int k, mode;
};
enum { STAGES = 3 };
struct gemm_shared {
    CATC_ALIGNAS(1024) unsigned char a[STAGES][128 * 128];
    CATC_ALIGNAS(1024) unsigned char b[STAGES][256 * 128];
    CATC_ALIGNAS(1024) unsigned char d[2][64 * 128];
    uint64_t full[STAGES], empty[STAGES];
};
CATC_KERNEL(gemm_kernel, struct gemm_params, 384, 1)
{
    const struct gemm_params *p = CATC_PARAMS;
    struct gemm_shared *s = CATC_SHARED(struct gemm_shared);
    const int t = catc_thread(), warpgroup = catc_warp_uniform(t / 128), tiles = p->k / 64;
    const int row = (int)catc_block() * 128;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            catc_mbar_init(catc_smem_u32(&s->full[i]), 1);
            catc_mbar_init(catc_smem_u32(&s->empty[i]), 8);
        }
        catc_fence_mbar_init();
    }
    CATC_SYNC_BLOCK();
    if (warpgroup == 0) {
        CATC_SETMAXNREG_DEC(40);
        if (t)
            return;
        for (int i = 0; i < tiles; i++) {
            const int stage = i % STAGES;
            const uint32_t full = catc_smem_u32(&s->full[stage]), phase = (uint32_t)(i / STAGES & 1);
            CATC_MBAR_WAIT(catc_smem_u32(&s->empty[stage]), phase ^ 1);
            catc_mbar_expect_tx(full, 128 * 128 + 256 * 128 - (p->mode == 1 ? 64 : 0) + (p->mode == 2 ? 64 : 0));
            catc_tma_load_2d(catc_smem_u32(s->a[stage]), &p->a, full, i * 64, row);
            catc_tma_load_2d(catc_smem_u32(s->b[stage]), &p->b, full, i * 64, 0);
        }
        return;
    }
    CATC_SETMAXNREG_INC(232);
    const int consumer = warpgroup - 1;
    float acc[128];
    for (int i = 0; i < tiles; i++) {
        const int stage = i % STAGES;
        if (p->mode != 3)
            CATC_MBAR_WAIT(catc_smem_u32(&s->full[stage]), i / STAGES & 1);
        catc_wgmma_fence();
        for (uint32_t k = 0; k < 4; k++)
            wgmma_n256(
                acc,
                catc_wgmma_desc(catc_smem_u32(s->a[stage] + consumer * 8192) + 32 * k, 16, 1024, CATC_SWIZZLE_128B),
                catc_wgmma_desc(catc_smem_u32(s->b[stage]) + 32 * k, 16, 1024, CATC_SWIZZLE_128B), i + (int)k > 0);
        catc_wgmma_commit();
        CATC_WGMMA_WAIT(1, acc, 0);
        if (i > 0 && t % 32 == 0)
            catc_mbar_arrive(catc_smem_u32(&s->empty[(i - 1) % STAGES]));
    }
    if (p->mode != 4)
        CATC_WGMMA_WAIT(0, acc, 128);
    if (t % 32 == 0)
        catc_mbar_arrive(catc_smem_u32(&s->empty[(tiles - 1) % STAGES]));
    const int warp = t / 32 % 4, lane = t % 32;
    for (int strip = 0; strip < 4; strip++) {
        if (t % 128 == 0)
            CATC_BULK_WAIT_READ(0);
        CATC_NAMED_BARRIER(1 + consumer, 128);
        for (int half = 0; half < 4; half++) {
            uint32_t r[4];
            for (int m = 0; m < 4; m++) {
                const float *v = acc + strip * 32 + half * 8 + m / 2 * 4 + m % 2 * 2;
                r[m] = catc_pack_bf16(v);
            }
            uint32_t at = (uint32_t)((16 * warp + lane % 16) * 128 + half * 32 + lane / 16 * 16);
            at ^= (at >> 7 & 7) << 4;
            CATC_STMATRIX_X4(catc_smem_u32(s->d[consumer]) + at, r[0], r[1], r[2], r[3]);
        }
        catc_fence_proxy_async();
        CATC_NAMED_BARRIER(1 + consumer, 128);
        if (t % 128 == 0) {
            catc_tma_store_2d(&p->d, catc_smem_u32(s->d[consumer]), strip * 64, row + consumer * 64);
            catc_bulk_commit();
        }
    }
    if (t % 128 == 0 && p->mode != 5)
        CATC_BULK_WAIT_READ(0);
}

static void map_2d(struct catc_tensor_map *map, const void *base, int columns, int rows, int box_y)
{
    const uint64_t dims[2] = {(uint64_t)columns, (uint64_t)rows}, strides[1] = {(uint64_t)columns * 2};
    const uint32_t box[2] = {64, (uint32_t)box_y};
    CHECK(catc_host_tensor_map(map, 2, base, 2, dims, strides, box, 128, report, sizeof report) == CATC_OK);
}

static void test_gemm(void)
{
    enum { M = 256, N = 256, K = 256 };
    uint16_t *a = (uint16_t *)catc_host_alloc(M * K * 2, 1), *b = (uint16_t *)catc_host_alloc(N * K * 2, 1);
    uint16_t *d = (uint16_t *)catc_host_alloc(M * N * 2, 1), *want = (uint16_t *)malloc(M * N * 2);
    for (int i = 0; i < M * K; i++)
        a[i] = catc_bf16_from_f32((float)(int)(random_u32() % 5) - 2);
    for (int i = 0; i < N * K; i++)
        b[i] = catc_bf16_from_f32((float)(int)(random_u32() % 5) - 2);
    for (int m = 0; m < M; m++) {
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += catc_f32_from_bf16(a[m * K + k]) * catc_f32_from_bf16(b[n * K + k]);
            want[m * N + n] = catc_bf16_from_f32(sum);
        }
    }
    struct gemm_params p;
    memset(&p, 0, sizeof p);
    map_2d(&p.a, a, K, M, 128);
    map_2d(&p.b, b, K, N, 256);
    map_2d(&p.d, d, N, M, 64);
    p.k = K;
    const int smem = (int)sizeof(struct gemm_shared);
    FOR_POLICIES(i)
    {
        memset(d, 0xff, M * N * 2);
        p.mode = 0;
        CHECK(LAUNCH(gemm_kernel, &p, 2, 384, smem) == CATC_OK);
        if (report[0])
            fprintf(stderr, "%s\n", report);
        CHECK(memcmp(d, want, M * N * 2) == 0);
        p.mode = 1;
        FAILS(gemm_kernel, &p, 384, smem, "tx underflow");
        p.mode = 2;
        FAILS(gemm_kernel, &p, 384, smem, "64 tx bytes outstanding");
        if (policies[i].landing == CATC_HOST_LATE && policies[i].schedule != CATC_HOST_RANDOM) {
            p.mode = 3; /* no wait for the data: NaN, or the copies run into something else that is wrong */
            memset(d, 0, M * N * 2);
            const int failed = LAUNCH(gemm_kernel, &p, 2, 384, smem) != CATC_OK;
            CHECK(failed || memcmp(d, want, M * N * 2) != 0);
        }
        p.mode = 4;
        FAILS(gemm_kernel, &p, 384, smem, "was not waited for");
        p.mode = 5;
        FAILS(gemm_kernel, &p, 384, smem, "its group was not waited for");
    }
    set_policy(0);
    p.mode = 0;
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        CHECK(LAUNCH(gemm_kernel, &p, 2, 384, smem) == CATC_OK);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6;
        best = ms < best ? ms : best;
    }
    printf("256^3 bf16, 128x256x64: %.2f ms\n", best);
    catc_host_free(a);
    catc_host_free(b);
    catc_host_free(d);
    free(want);
}

/* ---- the checker's seam ---------------------------------------------------------------------------------------- */

static long event_count[64], event_blocks, event_writes;
static size_t event_bytes[64];
static void on_begin(int64_t block, int threads, const void *shared, size_t bytes)
{
    CHECK(threads == 384 && shared && bytes == sizeof(struct gemm_shared) && block == event_blocks);
}
static void on_end(int64_t block)
{
    CHECK(block == event_blocks++);
}
static void on_write(const void *address, size_t bytes, const char *site)
{
    event_writes += address && bytes == 16 && strstr(site, "host_sm90.c:");
}
static void on_sync(enum catc_host_event event, const void *object, uint64_t value, const char *site)
{
    (void)object;
    (void)value;
    event_count[event] += site && strchr(site, ':');
}
static void on_async(enum catc_host_event event, const void *address, size_t bytes, const void *object,
                     const char *site)
{
    (void)object;
    event_count[event] += address && site;
    event_bytes[event] += bytes;
}

static void test_hooks(void)
{
    enum { M = 128, N = 256, K = 256 };
    uint16_t *memory = (uint16_t *)calloc((M + N) * K + M * N, 2);
    struct gemm_params p;
    memset(&p, 0, sizeof p);
    map_2d(&p.a, memory, K, M, 128);
    map_2d(&p.b, memory + M * K, K, N, 256);
    map_2d(&p.d, memory + (M + N) * K, N, M, 64);
    p.k = K;
    static const struct catc_host_hooks hooks = {on_begin, on_end, NULL, on_write, on_sync, on_async};
    set_policy(0);
    catc_host_set_hooks(&hooks);
    CHECK(LAUNCH(gemm_kernel, &p, 1, 384, sizeof(struct gemm_shared)) == CATC_OK);
    catc_host_set_hooks(NULL);
    const long tiles = K / 64;
    CHECK(event_blocks == 1 && event_writes == 256 * 4 * 4);
    CHECK(event_count[CATC_HOST_LOAD_ISSUED] == 2 * tiles && event_count[CATC_HOST_LOAD_LANDED] == 2 * tiles);
    CHECK(event_bytes[CATC_HOST_LOAD_LANDED] == (size_t)(M + N) * K * 2);
    CHECK(event_count[CATC_HOST_MBAR_INIT] == 2 * STAGES && event_count[CATC_HOST_MBAR_ARRIVE] == 9 * tiles);
    CHECK(event_count[CATC_HOST_STORE_ISSUED] == 8 && event_count[CATC_HOST_STORE_WRITTEN] == 8);
    CHECK(event_bytes[CATC_HOST_STORE_READ] == (size_t)M * N * 2);
    CHECK(event_bytes[CATC_HOST_WGMMA_ISSUED] == (size_t)(2 * (64 + 256) * K * 2));
    CHECK(event_bytes[CATC_HOST_WGMMA_READ] == event_bytes[CATC_HOST_WGMMA_ISSUED]);
    CHECK(event_count[CATC_HOST_WGMMA_COMMIT] == 256 * tiles && event_count[CATC_HOST_FENCE_WGMMA] == 256 * tiles);
    CHECK(event_count[CATC_HOST_BARRIER_ARRIVE] == 384 + 256 * 8);
    CHECK(event_count[CATC_HOST_BARRIER_LEAVE] == event_count[CATC_HOST_BARRIER_ARRIVE]);
    free(memory);
}

int main(void)
{
    test_mbarrier();
    test_map();
    test_tma();
    test_tma_faults();
    test_wgmma();
    test_special();
    test_gemm();
    test_hooks();
    return check_result();
}
