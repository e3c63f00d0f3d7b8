/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h: the GPU that is measured: stream, operands in rotation, results that are compared. */
#ifndef BENCH_GEMM_DEVICE_H
#define BENCH_GEMM_DEVICE_H

#include <cuda_runtime_api.h>

#include "problem.h"

/* Operands lie in two arenas: inputs hold random numbers and are never written, outputs are. A set is one problem's
 * operands; set i of a problem begins i times its size into each arena. */
struct bench_device {
    struct catc_device about; /* as the library's selection sees it */
    struct cudaDeviceProp properties;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    char *in, *out; /* device memory */
    size_t in_bytes, out_bytes;
    enum catc_type filled; /* type of the random numbers in `in`; 0: none yet */
    float *normal;         /* host: BENCH_NORMAL standard normal numbers */
    void *want, *got;      /* pinned host memory, out_bytes of the largest D */
    size_t result_bytes;
};

/* Length of the random sequence, which repeats: a prime, so that no two rows of a matrix begin at the same number. */
enum { BENCH_NORMAL = 16777213 };

/* True if `error` is success; else a sentence with `what` was being done. */
bool bench_cuda(cudaError_t error, const char *what);
/* A kernel faulted and CUDA refuses everything from now on, until the process ends. */
bool bench_cuda_lost(void);

/* Opens the current GPU with room for the given sets. */
bool bench_device_open(struct bench_device *device, size_t in_bytes, size_t out_bytes, size_t result_bytes);
void bench_device_close(struct bench_device *device);
/* Standard normal numbers of `type` in the whole input arena; nothing to do if they are there. */
bool bench_device_fill(struct bench_device *device, enum catc_type type);
/* The problem's arguments with the addresses of a set, and the stream. */
struct catc_gemm_args bench_device_place(const struct bench_device *device, const struct bench_problem *problem,
                                         int set);
/* Fills the outputs of set 0 with NaN. */
bool bench_device_poison(const struct bench_device *device, const struct bench_problem *problem);
/* D of set 0 into host memory, when the stream is done. */
bool bench_device_result(const struct bench_device *device, const struct bench_problem *problem, void *host);

#endif /* BENCH_GEMM_DEVICE_H */
