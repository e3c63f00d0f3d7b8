/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-09: row * stride was computed in 32 bits and went negative. Three rows, 2^30 elements apart, in a reserved address
 * range of which only the rows exist: any other address is a fault, and a wrong row is a wrong number. */
#include <sys/mman.h>
#include <unistd.h>

#include "gemm/simple.h"

enum { ROWS = 3, N = 16, K = 16 };
static int64_t const far_apart = (int64_t)1 << 30;

/* ROWS lines of at most one page; on the host only their pages exist, on a GPU all of it does. */
struct sparse {
    enum catc_backend backend;
    unsigned char *base;
    size_t bytes, line;
};

static bool sparse_open(struct sparse *s, enum catc_backend backend, enum catc_type type)
{
    size_t const page = (size_t)sysconf(_SC_PAGESIZE);
    s->backend = backend;
    s->line = (size_t)far_apart * catc_type_size(type);
    s->bytes = (ROWS - 1) * s->line + page;
    if (backend == CATC_HOST) {
        s->base = (unsigned char *)mmap(NULL, s->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (s->base == (unsigned char *)MAP_FAILED) {
            return false;
        }
        for (int row = 0; row < ROWS; ++row) {
            if (mprotect(s->base + (size_t)row * s->line, page, PROT_READ | PROT_WRITE) != 0) {
                return false;
            }
        }
        return true;
    }
#if CATC_WITH_CUDA
    return cudaMalloc((void **)&s->base, s->bytes) == cudaSuccess;
#else
    return false;
#endif
}

static void sparse_close(struct sparse *s)
{
    if (s->backend == CATC_HOST) {
        munmap(s->base, s->bytes);
    } else {
#if CATC_WITH_CUDA
        cudaFree(s->base);
#endif
    }
}

static void sparse_copy(struct sparse *s, int row, void *packed, size_t bytes, bool to)
{
    unsigned char *const line = s->base + (size_t)row * s->line;
    if (s->backend == CATC_HOST) {
        memcpy(to ? line : packed, to ? packed : line, bytes);
    } else {
#if CATC_WITH_CUDA
        CHECK(cudaMemcpy(to ? line : packed, to ? packed : line, bytes, cudaMemcpyDefault) == cudaSuccess);
#endif
    }
}

static double row_value(int64_t i, int64_t j)
{
    (void)j;
    return (double)(i + 1);
}

/* Rows of A (or D, C) far apart: D is 16, 32, 48, plus 1, 2, 3 with C. */
static double product(int64_t row, int64_t column)
{
    (void)column;
    return 16.0 * (double)(row + 1);
}
static double with_c(int64_t row, int64_t column)
{
    return product(row, column) + row_value(row, column);
}

static void far_a(enum catc_backend backend, enum catc_type type)
{
    struct sparse far_rows;
    struct simple s;
    unsigned char line[K * 4];
    simple_open(&s, backend, type, CATC_TN, ROWS, N, K, row_value, simple_one);
    CHECK(sparse_open(&far_rows, backend, type));
    for (int row = 0; row < ROWS; ++row) {
        for (int64_t k = 0; k < K; ++k) {
            element_write(type, line, k, row_value(row, k));
        }
        sparse_copy(&far_rows, row, line, K * catc_type_size(type), true);
    }
    s.args.a = far_rows.base;
    s.args.lda = far_apart;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, product) == 0);
    sparse_close(&far_rows);
    simple_close(&s);
}

/* Layouts with K as the far dimension: A stored [K, M] and B stored [K, N], K = 3 lines. */
static void far_k(enum catc_backend backend)
{
    struct sparse a, b;
    struct simple s;
    float line[N];
    simple_open(&s, backend, CATC_F32, CATC_NT, N, N, ROWS, simple_a, simple_b);
    CHECK(sparse_open(&a, backend, CATC_F32) && sparse_open(&b, backend, CATC_F32));
    for (int k = 0; k < ROWS; ++k) {
        for (int64_t i = 0; i < N; ++i) {
            line[i] = (float)simple_a(i, k);
        }
        sparse_copy(&a, k, line, sizeof line, true);
        for (int64_t j = 0; j < N; ++j) {
            line[j] = (float)simple_b(k, j);
        }
        sparse_copy(&b, k, line, sizeof line, true);
    }
    s.args.a = a.base;
    s.args.b = b.base;
    s.args.lda = s.args.ldb = far_apart;
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
    sparse_close(&a);
    sparse_close(&b);
    simple_close(&s);
}

static void far_d(enum catc_backend backend, enum catc_type type)
{
    struct sparse far_rows;
    struct simple s;
    size_t const row_bytes = N * catc_type_size(type);
    unsigned char line[N * 4];
    simple_open(&s, backend, type, CATC_TN, ROWS, N, K, row_value, simple_one);
    CHECK(sparse_open(&far_rows, backend, type));
    s.args.d = far_rows.base;
    s.args.ldd = far_apart;
    CHECK(catc_gemm(&s.args) == CATC_OK);
    for (int row = 0; row < ROWS; ++row) {
        sparse_copy(&far_rows, row, s.d.host + s.d.offset + (size_t)row * row_bytes, row_bytes, false);
    }
    CHECK(simple_mismatches(&s, product) == 0);

    for (int row = 0; row < ROWS; ++row) { /* in place: C is as far apart */
        for (int64_t j = 0; j < N; ++j) {
            element_write(type, line, j, row_value(row, j));
        }
        sparse_copy(&far_rows, row, line, row_bytes, true);
    }
    s.args.c = s.args.d;
    s.args.ldc = far_apart;
    s.beta = 1.0f;
    CHECK(catc_gemm(&s.args) == CATC_OK);
    for (int row = 0; row < ROWS; ++row) {
        sparse_copy(&far_rows, row, s.d.host + s.d.offset + (size_t)row * row_bytes, row_bytes, false);
    }
    CHECK(simple_mismatches(&s, with_c) == 0);
    sparse_close(&far_rows);
    simple_close(&s);
}

/* A batch whose problems are far apart. */
static void far_batch(enum catc_backend backend)
{
    struct sparse a, d;
    struct simple s;
    unsigned char line[N * K * 4];
    simple_open(&s, backend, CATC_F32, CATC_TN, 1, N, K, row_value, simple_one);
    CHECK(sparse_open(&a, backend, CATC_F32) && sparse_open(&d, backend, CATC_F32));
    for (int p = 0; p < ROWS; ++p) {
        for (int64_t k = 0; k < K; ++k) {
            element_write(CATC_F32, line, k, row_value(p, k));
        }
        sparse_copy(&a, p, line, K * 4, true);
    }
    s.args.batch = ROWS;
    s.args.a = a.base, s.args.d = d.base;
    s.args.stride_a = s.args.stride_d = far_apart;
    CHECK(catc_gemm(&s.args) == CATC_OK);
    for (int p = 0; p < ROWS; ++p) {
        sparse_copy(&d, p, line, N * 4, false);
        for (int64_t j = 0; j < N; ++j) {
            CHECK(element_read(CATC_F32, line, j) == product(p, j));
        }
    }
    sparse_close(&a);
    sparse_close(&d);
    simple_close(&s);
}

static void all(enum catc_backend backend)
{
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        far_a(backend, (enum catc_type)type);
        far_d(backend, (enum catc_type)type);
    }
    far_k(backend);
    far_batch(backend);
}

int main(void)
{
    return simple_main(all);
}
