/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/device_cuda.h: the current GPU, asked of the CUDA runtime once per device. Implementation only. */
#ifndef CATC_DETAIL_DEVICE_CUDA_H
#define CATC_DETAIL_DEVICE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdlib.h>

enum { CATC_DEVICES_MAX = 64 };

/* Written once per device behind a flag with release order: an idempotent cache, safe from any number of threads. */
static struct catc_device_slot_ {
    struct catc_device device;
    char name[16];
    int state; /* 0 empty, 1 being written, 2 valid */
} catc_device_slots_[CATC_DEVICES_MAX];

/* How CUDA's name of each known GPU contains its model, as a word ("NVIDIA H200" but not "NVIDIA GH200 480GB"). */
static const char *const catc_known_names_[CATC_KNOWN_DEVICES] = {"A100", "H100", "H200", "L40S", "4090", "B200"};

static bool catc_device_is_(const char *name, const char *model)
{
    const char *const at = strstr(name, model);
    return at && (at == name || at[-1] == ' ');
}

static enum catc_status catc_device_ask_(int ordinal, struct catc_device *out, char *name, struct catc_text *text)
{
    static const struct {
        enum cudaDeviceAttr attribute;
        size_t offset;
    } wanted[] = {
        {cudaDevAttrMultiProcessorCount, offsetof(struct catc_device, sms)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, offsetof(struct catc_device, smem_per_block)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, offsetof(struct catc_device, smem_per_sm)},
        {cudaDevAttrMaxRegistersPerMultiprocessor, offsetof(struct catc_device, regs_per_sm)},
        {cudaDevAttrMaxThreadsPerMultiProcessor, offsetof(struct catc_device, threads_per_sm)},
    };
    int major = 0, minor = 0, l2 = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, ordinal);
    }
    /* rates that CUDA does not tell come from the known GPU of that capability with the nearest number of SMs */
    memset(out, 0, sizeof *out);
    for (size_t i = 0; error == cudaSuccess && i < sizeof wanted / sizeof wanted[0]; ++i) {
        error = cudaDeviceGetAttribute((int *)((char *)out + wanted[i].offset), wanted[i].attribute, ordinal);
    }
    if (error != cudaSuccess) {
        return catc_say(text, CATC_CUDA_FAILURE,
                        "device: ordinal=%d must answer cudaDeviceGetAttribute (%s); check the driver", ordinal,
                        cudaGetErrorString(error));
    }
    int const cc = 10 * major + minor;
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        properties.name[0] = '\0';
    }
    /* clock and rates, which CUDA does not tell, come from the most similar known GPU: same capability, else same major
     * version, else the first; then the nearest number of SMs */
    const struct catc_device *like = NULL;
    int least = 0;
    for (int i = 0; i < CATC_KNOWN_DEVICES; ++i) {
        const struct catc_device *const known = &catc_known_devices_[i];
        int const apart = (known->cc == cc             ? 0
                           : known->cc / 10 == cc / 10 ? 10000
                                                       : 20000) +
                          abs(known->sms - out->sms);
        if (!like || apart < least) {
            like = known;
            least = apart;
        }
        if (known->cc == cc && known->sms == out->sms && catc_device_is_(properties.name, catc_known_names_[i])) {
            snprintf(name, 16, "%s", known->name);
            like = known;
            break;
        }
    }
    if (!name[0]) {
        snprintf(name, 16, "sm_%d", cc);
    }
    out->name = name;
    out->cc = cc;
    out->l2_bytes = l2;
    out->clock_mhz = like->clock_mhz;
    out->dram_gbs = like->dram_gbs;
    out->fp32_flop_clk_sm = like->fp32_flop_clk_sm;
    out->tensor_flop_clk_sm = like->tensor_flop_clk_sm;
    out->mma_sync_share = like->mma_sync_share;
    out->l2_bytes_clk = like->l2_bytes_clk;
    return CATC_OK;
}

int catc_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError(); /* no driver is an answer here, not an error to leave behind */
        return 0;
    }
    return count;
}

/* The current device's ordinal and description. */
static enum catc_status catc_device_current_(struct catc_device *out, int *ordinal, struct catc_text *text)
{
    cudaError_t const error = cudaGetDevice(ordinal);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return catc_say(text, CATC_NO_DEVICE,
                        "device: backend=cuda must have a usable GPU and driver (CUDA says: %s); set .backend = "
                        "CATC_HOST to run on the CPU",
                        cudaGetErrorString(error));
    }
    if (*ordinal >= CATC_DEVICES_MAX) {
        return catc_say(text, CATC_NOT_SUPPORTED,
                        "device: ordinal=%d must be below %d; hide the others with CUDA_VISIBLE_DEVICES", *ordinal,
                        CATC_DEVICES_MAX);
    }
    struct catc_device_slot_ *const slot = &catc_device_slots_[*ordinal];
    if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == 2) {
        *out = slot->device;
        return CATC_OK;
    }
    char name[16] = "";
    struct catc_device device;
    enum catc_status const status = catc_device_ask_(*ordinal, &device, name, text);
    if (status != CATC_OK) {
        return status;
    }
    int empty = 0;
    if (__atomic_compare_exchange_n(&slot->state, &empty, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        memcpy(slot->name, name, sizeof slot->name);
        device.name = slot->name;
        slot->device = device;
        __atomic_store_n(&slot->state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != 2) { /* another thread is copying a few words */
    }
    *out = slot->device;
    return CATC_OK;
}

enum catc_status catc_device_current(struct catc_device *out)
{
    struct catc_text text = catc_text_last_();
    int ordinal;
    return catc_device_current_(out, &ordinal, &text);
}

#endif /* CATC_DETAIL_DEVICE_CUDA_H */
