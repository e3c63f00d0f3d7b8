/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/driver_entry.h: a function of the driver, without linking libcuda: the runtime finds it. Implementation only. */
#ifndef CATC_DETAIL_DRIVER_ENTRY_H
#define CATC_DETAIL_DRIVER_ENTRY_H

#include <cuda_runtime_api.h>

/* NULL if the driver has no `name` of ABI `version` (12000: as of CUDA 12.0); *error tells why, cudaSuccess: not found.
 * cache: one static pointer for each name; whoever comes first fills it, with the same value as everybody else. */
static void *catc_driver_entry_(const char *name, unsigned version, void **cache, cudaError_t *error)
{
    void *found = __atomic_load_n(cache, __ATOMIC_ACQUIRE);
    *error = cudaSuccess;
    if (!found) {
        enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
        *error = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
        if (*error != cudaSuccess || result != cudaDriverEntryPointSuccess) {
            (void)cudaGetLastError();
            return NULL;
        }
        __atomic_store_n(cache, found, __ATOMIC_RELEASE);
    }
    return found;
}

#endif /* CATC_DETAIL_DRIVER_ENTRY_H */
