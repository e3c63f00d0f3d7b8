/* SPDX-License-Identifier: Apache-2.0
 *
 * operand_sm80.c: where tile/operand_sm80.inst.h puts the chunks of an operand, and from where it reads them: every chunk
 * once, fragments as arch/sm80.h defines them, and no two of 8 accesses that go together in one bank. */
#include <stdint.h>

#include "catlass_c/arch/sm80.h"
#include "catlass_c/tile/swizzle.h"
#include "catlass_c/tile/vector.h"
#include "emulator.h"

/* Instead of memory, the instructions' operands. A kernel without barriers runs thread after thread. */
enum { THREADS_MAX = 256, PASSES_MAX = 32, LD = 264 };
struct copy {
    uint32_t at;
    const uint8_t *source;
    int bytes;
};
struct log {
    struct copy copy[PASSES_MAX][THREADS_MAX]; /* of each thread in order */
    int count[THREADS_MAX];
};
static struct log fast, slow, *log_of;
static int not_fast, rows, step_of; /* first row and k step of the fragments that are read */
struct row {
    uint32_t at;
    int transposed, first, step;
};
static struct row row_of[1024][32]; /* of lane 0 … 31 of warp 0 */
static int row_count[32];

static void note_copy(uint32_t at, const uint8_t *source, int bytes)
{
    const int thread = catc_thread();
    if (log_of->count[thread] < PASSES_MAX)
        log_of->copy[log_of->count[thread]][thread] = (struct copy){at, source, bytes};
    log_of->count[thread]++;
}

static void note_row(uint32_t at, int transposed)
{
    const int lane = catc_thread();
    if (lane < 32 && row_count[lane] < 1024)
        row_of[row_count[lane]++][lane] = (struct row){at, transposed, rows, step_of};
    rows += 16; /* the next one of a warp's tile */
}

#undef CATC_CP_ASYNC_16
#undef CATC_CP_ASYNC_PART
#undef CATC_LDMATRIX_X4
#undef CATC_LDMATRIX_X4_TRANS
#define CATC_CP_ASYNC_16(dst, src, valid) note_copy(dst, src, (valid) ? 16 : 0)
#define CATC_CP_ASYNC_PART(size, dst, src, n) note_copy(dst, src, n)
#define CATC_LDMATRIX_X4(r, addr) ((void)(r), note_row(addr, 0))
#define CATC_LDMATRIX_X4_TRANS(r, addr) ((void)(r), note_row(addr, 1))
#include "catlass_c/tile/chunk.h"

struct source {
    const uint8_t *matrix;
    int64_t ld, first, end;
};
struct shape {
    const char *name;
    int extent, depth, kcontig, left, threads, bytes;
};

/* The 8 addresses are 16 bytes each in 8 different groups of 4 banks, of the 32 banks of 4 bytes. */
static int in_different_banks(const uint32_t *at)
{
    unsigned groups = 0;
    for (int i = 0; i < 8; i++)
        groups |= 1u << at[i] / 16 % 8;
    return groups == 0xff;
}

static struct copy copy_at[65536 / 16]; /* of each chunk of a stage: what is copied there */

/* Every chunk of the stage once, from the tile, with zeros outside the matrix; groups of 8 neighbours in different banks. */
static void test_copies(const struct shape *s, const struct source *p, const struct log *log)
{
    memset(copy_at, 0, sizeof copy_at);
    int chunks = 0, wrong = 0, conflicts = 0;
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        for (int thread = 0; thread < s->threads && pass < log->count[thread]; thread++) {
            const struct copy *const c = &log->copy[pass][thread];
            const uint32_t offset = c->at - CATC_HOST_SMEM_BASE;
            wrong += offset % 16 != 0 || offset >= (uint32_t)s->bytes || copy_at[offset / 16].source != NULL;
            copy_at[offset / 16 % 4096] = *c;
            chunks++;
            const int64_t place = (c->source - p->matrix) / 2, line = place / LD, column = place % LD;
            const int64_t row = s->kcontig ? line : column, k = s->kcontig ? column : line;
            wrong += row < p->first || row >= p->first + s->extent || k < 0 || k >= s->depth;
            wrong += c->bytes != (row < p->end ? 16 : 0);
        }
        for (int thread = 0; thread + 8 <= s->threads; thread += 8) {
            uint32_t at[8];
            for (int i = 0; i < 8; i++)
                at[i] = log->copy[pass][thread + i].at;
            conflicts += log->count[thread + 7] > pass && !in_different_banks(at);
        }
    }
    for (int thread = 0; thread < s->threads; thread++)
        wrong += log->count[thread] > PASSES_MAX;
    if (chunks * 16 != s->bytes || wrong || conflicts) {
        fprintf(stderr, "%s: %d chunks of %d bytes, %d wrong, %d groups with bank conflicts\n", s->name, chunks,
                s->bytes, wrong, conflicts);
        check_failures++;
    }
}

/* Every address of ldmatrix is where the chunk of its row lies; the 8 of a matrix are in different banks. */
static void test_fragments(const struct shape *s, const struct source *p)
{
    int wrong = 0, conflicts = 0;
    for (int i = 0; i < row_count[0]; i++) {
        for (int m = 0; m < 4; m++) {
            uint32_t at[8];
            for (int j = 0; j < 8; j++) {
                const struct row *const x = &row_of[i][8 * m + j];
                /* arch/sm80.h: a[0 … 3] go on along the rows first, b[0], b[1] along k; a second b follows */
                const int row8 = s->left ? m % 2 : m / 2, k8 = s->left ? m / 2 : m % 2;
                const int64_t row = p->first + x->first + row8 * 8 + (s->kcontig ? j : 0);
                const int64_t k = x->step * 16 + k8 * 8 + (s->kcontig ? 0 : j);
                const uint32_t offset = x->at - CATC_HOST_SMEM_BASE;
                const uint8_t *const source = p->matrix + 2 * (s->kcontig ? row * LD + k : k * LD + row);
                at[j] = x->at;
                wrong += x->transposed == s->kcontig;
                wrong += offset >= (uint32_t)s->bytes || copy_at[offset / 16 % 4096].source != source;
            }
            conflicts += !in_different_banks(at);
        }
    }
    if (row_count[0] != s->extent / 16 * (s->depth / 16) || wrong || conflicts) {
        fprintf(stderr, "%s: %d ldmatrix, %d rows wrong, %d matrices with bank conflicts\n", s->name, row_count[0],
                wrong, conflicts);
        check_failures++;
    }
}

static void test(const struct shape *s, void (*kernel)(const void *))
{
    static uint8_t matrix[2 * LD * LD];
    static const int before_end[] = {512, 0, 8, 40}; /* how much of the tile the matrix holds */
    for (int i = 0; i < 4; i++) {
        const int64_t first = 8;
        struct source p = {matrix, LD, first, first + (before_end[i] < s->extent ? before_end[i] : s->extent)};
        memset(&fast, 0, sizeof fast);
        memset(&slow, 0, sizeof slow);
        memset(row_count, 0, sizeof row_count);
        not_fast = 0;
        CHECK(launch(kernel, s->name, &p, 1, s->threads, s->bytes) == CATC_OK);
        CHECK(not_fast == 0);
        test_copies(s, &p, &slow);
        test_copies(s, &p, &fast);
        test_fragments(s, &p);
    }
}

/* K contiguous: 128 bytes with one warp (passes of 512 bytes), 64, 32 in a block smaller than the threads, three warps. */
#define CASE k_span_128
#define CATC_I_EXTENT 64
#define CATC_I_WARP 64
#define CATC_I_DEPTH 128
#define CATC_I_KCONTIG 1
#define CATC_I_SPAN 128
#define CATC_I_LEFT 1
#define CATC_I_THREADS 32
#include "operand_case.inst.h"

#define CASE k_span_64
#define CATC_I_EXTENT 96
#define CATC_I_WARP 48
#define CATC_I_DEPTH 32
#define CATC_I_KCONTIG 1
#define CATC_I_SPAN 64
#define CATC_I_LEFT 0
#define CATC_I_THREADS 128
#include "operand_case.inst.h"

#define CASE k_span_32
#define CATC_I_EXTENT 64
#define CATC_I_WARP 64
#define CATC_I_DEPTH 16
#define CATC_I_KCONTIG 1
#define CATC_I_SPAN 32
#define CATC_I_LEFT 1
#define CATC_I_THREADS 256
#include "operand_case.inst.h"

#define CASE k_three_blocks
#define CATC_I_EXTENT 48
#define CATC_I_WARP 16
#define CATC_I_DEPTH 48
#define CATC_I_KCONTIG 1
#define CATC_I_SPAN 32
#define CATC_I_LEFT 0
#define CATC_I_THREADS 96
#include "operand_case.inst.h"

/* The rows contiguous: two blocks of 128 bytes, three of 64 that the threads take two at a time, three of 32. */
#define CASE m_span_128
#define CATC_I_EXTENT 128
#define CATC_I_WARP 64
#define CATC_I_DEPTH 32
#define CATC_I_KCONTIG 0
#define CATC_I_SPAN 128
#define CATC_I_LEFT 1
#define CATC_I_THREADS 128
#include "operand_case.inst.h"

#define CASE m_span_64
#define CATC_I_EXTENT 96
#define CATC_I_WARP 32
#define CATC_I_DEPTH 16
#define CATC_I_KCONTIG 0
#define CATC_I_SPAN 64
#define CATC_I_LEFT 0
#define CATC_I_THREADS 128
#include "operand_case.inst.h"

#define CASE m_span_32
#define CATC_I_EXTENT 48
#define CATC_I_WARP 48
#define CATC_I_DEPTH 32
#define CATC_I_KCONTIG 0
#define CATC_I_SPAN 32
#define CATC_I_LEFT 1
#define CATC_I_THREADS 32
#include "operand_case.inst.h"

int main(void)
{
    catc_host_set_schedule(CATC_HOST_ROUNDROBIN, 1);
    k_span_128_test();
    k_span_64_test();
    k_span_32_test();
    k_three_blocks_test();
    m_span_128_test();
    m_span_64_test();
    m_span_32_test();
    return check_result();
}
