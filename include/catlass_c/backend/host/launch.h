/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/launch.h: the emulator's interface for host programs: launching a kernel, guarded memory, how threads
 * are scheduled, and the seam of the checker. */
#ifndef CATC_BACKEND_HOST_LAUNCH_H
#define CATC_BACKEND_HOST_LAUNCH_H

#include "catlass_c/base.h"
#include "catlass_c/ops/gemm_params.h"
#include "catlass_c/registry.h"
#include "catlass_c/status.h"

CATC_EXTERN_C_BEGIN

struct catc_host_launch {
    catc_kernel_fn kernel; /* defined by CATC_KERNEL */
    const char *name;      /* for reports */
    const void *params;    /* the kernel's parameter struct; read in place until the launch returns */
    int64_t blocks;        /* run one after another, in order */
    int threads;           /* per block, 1 to 1024 */
    int smem_bytes;        /* dynamic shared memory, up to 232448 (227 KB) */
};

/* Runs a kernel to its end on the calling OS thread. Launches from several OS threads at once are independent.
 * CATC_HOST_FAILURE: the kernel is wrong; `sentence` (may be NULL) gets the report, cut to `size` bytes: what happened,
 * in which block and thread, at which line; for a deadlock what every warp waits for. What the kernel has already
 * written stays written. */
CATC_API enum catc_status catc_host_launch(const struct catc_host_launch *launch, char *sentence, size_t size);

/* Memory with an inaccessible page at both ends, filled with 0xFF bytes (NaN in every float type). align_end 1: the
 * last byte touches the page behind; 0: the first byte touches the page in front. While such memory exists, an access
 * of a kernel to one of these pages is reported by the launch. NULL if there is no memory left or bytes is 0. */
CATC_API void *catc_host_alloc(size_t bytes, size_t align_end);
CATC_API void catc_host_free(void *memory); /* NULL is allowed */

/* The order in which threads that can run are picked, and when asynchronous copies land (late: a cp.async in the wait
 * that covers it, a TMA load when no thread can run; early: when issued). They hold for launches of the calling OS
 * thread. The default comes from the environment: CATC_HOST_SCHEDULE=roundrobin|reverse|random:<seed>,
 * CATC_HOST_LANDING=late|early|random. Reports print both and the seed. */
enum catc_host_schedule { CATC_HOST_ROUNDROBIN = 1, CATC_HOST_REVERSE, CATC_HOST_RANDOM };
enum catc_host_landing { CATC_HOST_LATE = 1, CATC_HOST_EARLY, CATC_HOST_ANY_TIME };
CATC_API void catc_host_set_schedule(enum catc_host_schedule schedule, uint64_t seed);
CATC_API void catc_host_set_landing(enum catc_host_landing landing);

/* Describes a tensor for the TMA functions of arch/sm90.h. Dimension 0 is the contiguous one; stride_bytes has rank - 1
 * entries, of dimensions 1 and up; swizzle_span_bytes is 0, 32, 64 or 128. Refuses what cuTensorMapEncodeTiled
 * refuses. */
CATC_API enum catc_status catc_host_tensor_map(struct catc_tensor_map *map, int rank, const void *base, int elem_bytes,
                                               const uint64_t *dims, const uint64_t *stride_bytes, const uint32_t *box,
                                               int swizzle_span_bytes, char *sentence, size_t size);

/* The seam of the checker. Any member may be NULL. Called on the OS thread of the launch, on the running fibre
 * (catc_host_self in simt.h tells which), at the moment that the emulator performs the step. Plain loads and stores of
 * kernels do not pass through here: the checker gets those from compiler instrumentation. `site` is "file:line". */
enum catc_host_event {
    CATC_HOST_BARRIER_ARRIVE = 1, /* object: the barrier's number as a pointer; value: threads expected, 0 = all */
    CATC_HOST_BARRIER_LEAVE,
    CATC_HOST_WARP_ARRIVE, /* value: 0 */
    CATC_HOST_WARP_LEAVE,
    CATC_HOST_MBAR_INIT,   /* object: the barrier in shared memory; value: arrivals per phase */
    CATC_HOST_MBAR_ARRIVE, /* value: bytes expected in addition */
    CATC_HOST_MBAR_WAITED, /* value: number of the phase whose completion was seen */
    CATC_HOST_FENCE_MBAR_INIT,
    CATC_HOST_FENCE_PROXY_ASYNC,
    CATC_HOST_FENCE_WGMMA,
    CATC_HOST_BULK_COMMIT,      /* value: groups committed so far by this thread */
    CATC_HOST_BULK_WAITED_READ, /* value: groups of this thread whose shared memory has been read */
    CATC_HOST_BULK_WAITED,      /* value: groups of this thread that are complete */
    CATC_HOST_WGMMA_COMMIT,     /* value: groups committed so far by this thread */
    CATC_HOST_WGMMA_WAITED,     /* value: groups of this thread that are complete */
    CATC_HOST_CP_ASYNC_COMMIT,  /* value: groups committed so far by this thread */
    CATC_HOST_CP_ASYNC_WAITED,  /* value: groups of this thread that are complete */
    CATC_HOST_LOAD_ISSUED,      /* from here on: async events; object of loads: the mbarrier */
    CATC_HOST_LOAD_LANDED,
    CATC_HOST_STORE_ISSUED,
    CATC_HOST_STORE_READ,
    CATC_HOST_STORE_WRITTEN,
    CATC_HOST_WGMMA_ISSUED,    /* every 16 bytes of the operands, in the first thread to issue */
    CATC_HOST_WGMMA_READ,      /* the same, when they are read */
    CATC_HOST_CP_ASYNC_ISSUED, /* object: the source; landing may happen on another thread's fibre */
    CATC_HOST_CP_ASYNC_LANDED
};
struct catc_host_hooks {
    void (*block_begin)(int64_t block, int threads, const void *shared, size_t shared_bytes);
    void (*block_end)(int64_t block);
    void (*read)(const void *address, size_t bytes, const char *site); /* by an emulated instruction, generic proxy */
    void (*write)(const void *address, size_t bytes, const char *site);
    void (*sync)(enum catc_host_event event, const void *object, uint64_t value, const char *site);
    void (*async)(enum catc_host_event event, const void *address, size_t bytes, const void *object, const char *site);
};
/* Process-wide; set while nothing is launched. NULL removes the hooks. The table must outlive its use. */
CATC_API void catc_host_set_hooks(const struct catc_host_hooks *hooks);

CATC_EXTERN_C_END

#endif /* CATC_BACKEND_HOST_LAUNCH_H */
