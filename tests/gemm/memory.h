/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/gemm/memory.h: one buffer that a kernel of either backend can use, with its copy on the host. */
#ifndef CATC_TESTS_GEMM_MEMORY_H
#define CATC_TESTS_GEMM_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catlass_c/backend/host/launch.h"
#include "catlass_c/catlass_c.h"
#if CATC_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

enum { CATC_GUARD = 256 }; /* bytes before and after the part in use, checked after every run */

struct buffer {
    size_t bytes;          /* in use */
    size_t offset;         /* of the first byte in use, from the start of `host` and of `device` */
    size_t total;          /* bytes of `host` and of `device` */
    unsigned char *host;   /* what was sent and what came back */
    unsigned char *device; /* what the kernel sees */
    enum catc_backend backend;
};

static void die(const char *what)
{
    fprintf(stderr, "FAIL: %s\n", what);
    exit(1);
}

static void *device_alloc(enum catc_backend backend, size_t bytes, size_t align_end)
{
    void *memory = NULL;
    if (backend == CATC_HOST) {
        memory = catc_host_alloc(bytes, align_end);
    } else {
#if CATC_WITH_CUDA
        if (cudaMalloc(&memory, bytes) != cudaSuccess) {
            memory = NULL;
        }
#endif
    }
    if (!memory) {
        die("out of memory on the backend");
    }
    return memory;
}

static struct buffer buffer_allocate(enum catc_backend backend, size_t front, size_t bytes, size_t back,
                                     size_t align_end)
{
    struct buffer const b = {bytes,
                             front,
                             front + bytes + back,
                             (unsigned char *)malloc(front + bytes + back),
                             (unsigned char *)device_alloc(backend, front + bytes + back, align_end),
                             backend};
    if (!b.host) {
        die("out of host memory");
    }
    memset(b.host, 0xff, b.total);
    return b;
}

/* An output: guard bytes on both sides; the first byte lies `misalign` bytes after a 256-byte boundary. */
static struct buffer buffer_output(enum catc_backend backend, size_t bytes, size_t misalign)
{
    return buffer_allocate(backend, CATC_GUARD + misalign, bytes, CATC_GUARD, 0);
}

/* An input: on the host backend its end touches an inaccessible page (up to the bytes that keep address % 16 equal to
 * `misalign`), so that reading past it is caught. */
static struct buffer buffer_input(enum catc_backend backend, size_t bytes, size_t misalign)
{
    if (backend != CATC_HOST) {
        return buffer_allocate(backend, misalign, bytes, 0, 0);
    }
    return buffer_allocate(backend, 0, bytes, (32 - bytes % 16 - misalign % 16) % 16, 1);
}

static void buffer_free(struct buffer *b)
{
    free(b->host);
    if (b->backend == CATC_HOST) {
        catc_host_free(b->device);
    } else {
#if CATC_WITH_CUDA
        cudaFree(b->device);
#endif
    }
    memset(b, 0, sizeof *b);
}

static void buffer_upload(const struct buffer *b)
{
    if (b->backend == CATC_HOST) {
        memcpy(b->device, b->host, b->total);
    } else {
#if CATC_WITH_CUDA
        /* the copy may still be under way when cudaMemcpy returns, and streams that do not block do not wait for it */
        if (cudaMemcpy(b->device, b->host, b->total, cudaMemcpyHostToDevice) != cudaSuccess ||
            cudaStreamSynchronize(NULL) != cudaSuccess) {
            die("cudaMemcpy to the device failed");
        }
#endif
    }
}

static void buffer_download(const struct buffer *b)
{
    if (b->backend == CATC_HOST) {
        memcpy(b->host, b->device, b->total);
    } else {
#if CATC_WITH_CUDA
        cudaError_t const error = cudaMemcpy(b->host, b->device, b->total, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            fprintf(stderr, "FAIL: the kernel or the copy back failed: %s\n", cudaGetErrorString(error));
            exit(1);
        }
#endif
    }
}

static void *buffer_use(const struct buffer *b)
{
    return b->device + b->offset;
}

/* All bytes of some buffers as the kernel left them, guards included, one after another; the caller frees. */
static CATC_UNUSED unsigned char *buffers_image(const struct buffer *const *part, int parts, size_t *bytes)
{
    size_t at = 0;
    *bytes = 0;
    for (int i = 0; i < parts; ++i) {
        *bytes += part[i]->total;
    }
    unsigned char *const image = (unsigned char *)malloc(*bytes);
    if (!image) {
        die("out of host memory");
    }
    for (int i = 0; i < parts; at += part[i++]->total) {
        buffer_download(part[i]);
        memcpy(image + at, part[i]->host, part[i]->total);
    }
    return image;
}

/* An array of pointers that the kernel reads. */
static CATC_UNUSED struct buffer buffer_pointers(enum catc_backend backend, void *const *entries, int64_t count)
{
    struct buffer const b = buffer_input(backend, (size_t)count * sizeof *entries, 0);
    memcpy(b.host + b.offset, entries, (size_t)count * sizeof *entries);
    buffer_upload(&b);
    return b;
}

#endif /* CATC_TESTS_GEMM_MEMORY_H */
