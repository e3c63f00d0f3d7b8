/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h: what selection knows of a GPU. Descriptions of well-known GPUs are built in, so that selection for any of
 * them can be asked and tested on any machine, with no GPU. */
#ifndef CATC_DEVICE_H
#define CATC_DEVICE_H

#include "catlass_c/base.h"
#include "catlass_c/status.h"

CATC_EXTERN_C_BEGIN

/* Every field is required in a description of your own; start from a copy of a built-in one. */
struct catc_device {
    const char *name;       /* short name, "h200"; a current GPU that is not in the list: "sm_90" and so on */
    int cc;                 /* compute capability x 10: 90 for 9.0 */
    int sms;                /* multiprocessors */
    int smem_per_block;     /* bytes of shared memory a block may opt in to */
    int smem_per_sm;        /* bytes of shared memory per multiprocessor */
    int regs_per_sm;        /* 32-bit registers per multiprocessor */
    int threads_per_sm;     /* resident threads per multiprocessor */
    int clock_mhz;          /* boost clock, MHz */
    int64_t l2_bytes;       /* L2 capacity */
    double dram_gbs;        /* device memory, 1e9 bytes/s */
    int fp32_flop_clk_sm;   /* fp32 FLOP per clock and SM on the CUDA cores (an fma counts 2) */
    int tensor_flop_clk_sm; /* dense bf16/fp16 FLOP per clock and SM on the tensor cores, by their fastest instruction */
    double mma_sync_share;  /* of that rate, what mma.sync reaches; 1 where there is nothing faster */
    int l2_bytes_clk;       /* L2 reads of all SMs together, bytes per clock */
};

/* A built-in description by its short name (a100, h100, h200, l40s, rtx4090, b200); NULL if there is none. */
CATC_API const struct catc_device *catc_device_find(const char *name);
/* The built-in descriptions, for listing: the i-th, NULL past the end. */
CATC_API const struct catc_device *catc_device_at(int i);
/* GPUs that the cuda backend of this library can use now; 0 without a driver, without a GPU, or in a build without CUDA.
 * Never fails and prints nothing. */
CATC_API int catc_device_count(void);
/* The calling thread's current GPU. CATC_NO_DEVICE (with the driver's reason) if there is none. */
CATC_API enum catc_status catc_device_current(struct catc_device *out);

CATC_EXTERN_C_END

#endif /* CATC_DEVICE_H */
