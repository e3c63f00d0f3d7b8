/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/device_impl.h: known GPUs and the current one. Implementation only.
 *
 * Sources of the table: NVIDIA's architecture white papers (A100, H100, Ada, Blackwell) and data sheets; shared memory,
 * registers and threads from the CUDA programming guide's table of compute capabilities. mma.sync on Hopper: CUTLASS's
 * sm_80 kernels reach 476 TFLOP/s at 4096^3 where cuBLASLt reaches 779 (measured, H200); on b200 an estimate, the rate
 * of sm_80. L2: a100 from its white paper, h100 and h200 from DeepGEMM's model, the others are estimates. */
#ifndef CATC_DETAIL_DEVICE_IMPL_H
#define CATC_DETAIL_DEVICE_IMPL_H

#include "catlass_c/detail/message.h"
#include "catlass_c/device.h"

static const struct catc_device catc_known_devices_[] = {
    /* name, cc, SMs, smem/block, smem/SM, regs/SM, threads/SM, MHz, L2, GB/s, fp32 and tensor FLOP/clk/SM, mma.sync, L2 B/clk */
    {"a100", 80, 108, 166912, 167936, 65536, 2048, 1410, 40 << 20, 2039, 128, 2048, 1.0, 5120},
    {"h100", 90, 132, 232448, 233472, 65536, 2048, 1830, 50 << 20, 3350, 256, 4096, 0.61, 6150},
    {"h200", 90, 132, 232448, 233472, 65536, 2048, 1830, 50 << 20, 4800, 256, 4096, 0.61, 6150},
    {"l40s", 89, 142, 101376, 102400, 65536, 1536, 2520, 96 << 20, 864, 256, 1024, 1.0, 2300},
    {"rtx4090", 89, 128, 101376, 102400, 65536, 1536, 2520, 72 << 20, 1008, 256, 1024, 1.0, 2050},
    {"b200", 100, 148, 232448, 233472, 65536, 2048, 1965, 126 << 20, 8000, 256, 8192, 0.25, 8000},
};
enum { CATC_KNOWN_DEVICES = sizeof catc_known_devices_ / sizeof catc_known_devices_[0] };

const struct catc_device *catc_device_at(int i)
{
    return i >= 0 && i < CATC_KNOWN_DEVICES ? &catc_known_devices_[i] : NULL;
}

const struct catc_device *catc_device_find(const char *name)
{
    for (int i = 0; name && i < CATC_KNOWN_DEVICES; ++i) {
        if (strcmp(name, catc_known_devices_[i].name) == 0) {
            return &catc_known_devices_[i];
        }
    }
    return NULL;
}

#if CATC_WITH_CUDA
#include "catlass_c/detail/device_cuda.h"
#else
int catc_device_count(void)
{
    return 0;
}

enum catc_status catc_device_current(struct catc_device *out)
{
    struct catc_text text = catc_text_last_();
    (void)out;
    return catc_say(&text, CATC_NO_DEVICE,
                    "device: this library was built without CUDA; configure with CATC_CUDA=ON to use a GPU");
}
#endif

#endif /* CATC_DETAIL_DEVICE_IMPL_H */
