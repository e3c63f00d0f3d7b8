/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catlass_c/tile/vector.h"
#include "say.h"

bool bench_cuda(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return true;
    }
    (void)cudaGetLastError(); /* reported here; a later call must not be blamed for it */
    return bench_fail("%s: CUDA says: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

bool bench_cuda_lost(void)
{
    (void)cudaGetLastError();
    bool const lost = cudaDeviceSynchronize() != cudaSuccess && cudaFree(NULL) != cudaSuccess;
    (void)cudaGetLastError();
    return lost;
}

/* splitmix64 (https://prng.di.unimi.it/splitmix64.c) */
static uint64_t random_u64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Box and Muller: two normal numbers from two uniform ones in (0, 1]. */
static void fill_normal(float *out, int count)
{
    uint64_t state = 1;
    for (int i = 0; i < count; i += 2) {
        uint64_t const bits = random_u64(&state);
        float const u = ((float)(bits >> 40) + 1.0f) * 0x1p-24f, v = (float)(bits & 0xffffffu) * 0x1p-24f;
        float const radius = sqrtf(-2.0f * logf(u)), angle = 6.28318530718f * v;
        out[i] = radius * cosf(angle);
        if (i + 1 < count) {
            out[i + 1] = radius * sinf(angle);
        }
    }
}

bool bench_device_open(struct bench_device *d, size_t in_bytes, size_t out_bytes, size_t result_bytes)
{
    int ordinal = 0;
    memset(d, 0, sizeof *d);
    if (catc_device_current(&d->about) != CATC_OK) {
        return bench_fail("%s", catc_last_message());
    }
    d->in_bytes = in_bytes, d->out_bytes = out_bytes, d->result_bytes = result_bytes;
    d->normal = (float *)malloc((size_t)BENCH_NORMAL * sizeof *d->normal);
    if (!d->normal) {
        return bench_fail("random numbers: out of host memory");
    }
    fill_normal(d->normal, BENCH_NORMAL);
    if (!bench_cuda(cudaGetDevice(&ordinal), "cudaGetDevice") ||
        !bench_cuda(cudaGetDeviceProperties(&d->properties, ordinal), "cudaGetDeviceProperties") ||
        !bench_cuda(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "making a stream") ||
        !bench_cuda(cudaEventCreate(&d->begin), "making an event") ||
        !bench_cuda(cudaEventCreate(&d->end), "making an event")) {
        return false;
    }
    if (!bench_cuda(cudaMalloc((void **)&d->in, in_bytes), "device memory for inputs") ||
        !bench_cuda(cudaMalloc((void **)&d->out, out_bytes), "device memory for outputs") ||
        !bench_cuda(cudaMallocHost(&d->want, result_bytes), "host memory for results") ||
        !bench_cuda(cudaMallocHost(&d->got, result_bytes), "host memory for results")) {
        return bench_fail(
            "%s; these shapes need %.1f GiB on the device and %.1f GiB on the host: leave out the largest "
            "(--filter)",
            bench_last(), (double)(in_bytes + out_bytes) * 0x1p-30, (double)result_bytes * 0x1p-29);
    }
    return true;
}

void bench_device_close(struct bench_device *d)
{
    free(d->normal);
    (void)cudaFree(d->in);
    (void)cudaFree(d->out);
    (void)cudaFreeHost(d->want);
    (void)cudaFreeHost(d->got);
    if (d->begin) {
        (void)cudaEventDestroy(d->begin);
    }
    if (d->end) {
        (void)cudaEventDestroy(d->end);
    }
    if (d->stream) {
        (void)cudaStreamDestroy(d->stream);
    }
    memset(d, 0, sizeof *d);
}

bool bench_device_fill(struct bench_device *d, enum catc_type type)
{
    size_t const sequence = (size_t)BENCH_NORMAL * catc_type_size(type);
    if (d->filled == type) {
        return true;
    }
    void *const converted = malloc(sequence);
    if (!converted) {
        return bench_fail("random numbers: out of host memory");
    }
    for (int i = 0; i < BENCH_NORMAL; ++i) {
        switch (type) {
        case CATC_BF16: ((catc_bf16_bits *)converted)[i] = catc_bf16_from_f32(d->normal[i]); break;
        case CATC_F16: ((catc_f16_bits *)converted)[i] = catc_f16_from_f32(d->normal[i]); break;
        default: ((float *)converted)[i] = d->normal[i]; break;
        }
    }
    bool good = true;
    for (size_t at = 0; good && at < d->in_bytes; at += sequence) {
        size_t const bytes = d->in_bytes - at < sequence ? d->in_bytes - at : sequence;
        good = at == 0 ? bench_cuda(cudaMemcpy(d->in, converted, bytes, cudaMemcpyHostToDevice), "uploading inputs")
                       : bench_cuda(cudaMemcpyAsync(d->in + at, d->in, bytes, cudaMemcpyDeviceToDevice, d->stream),
                                    "repeating inputs");
    }
    free(converted);
    d->filled = type;
    return good && bench_cuda(cudaStreamSynchronize(d->stream), "filling inputs");
}

struct catc_gemm_args bench_device_place(const struct bench_device *d, const struct bench_problem *p, int set)
{
    struct catc_gemm_args args =
        bench_problem_place(p, d->in + (size_t)set * p->set_in, d->out + (size_t)set * p->set_out);
    args.stream = d->stream;
    return args;
}

bool bench_device_poison(const struct bench_device *d, const struct bench_problem *p)
{
    return bench_cuda(cudaMemsetAsync(d->out, 0xff, p->set_out, d->stream), "filling D with NaN");
}

bool bench_device_result(const struct bench_device *d, const struct bench_problem *p, void *host)
{
    size_t const bytes = (size_t)p->elements_d * catc_type_size(p->shape.type_d);
    return bench_cuda(cudaMemcpyAsync(host, d->out, bytes, cudaMemcpyDeviceToHost, d->stream), "downloading D") &&
           bench_cuda(cudaStreamSynchronize(d->stream), "running a kernel");
}
