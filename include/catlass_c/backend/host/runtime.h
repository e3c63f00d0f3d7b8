/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/runtime.h: the emulator. Nothing here is seen by instances. The bodies are compiled in the one
 * translation unit that defines CATC_HOST_IMPLEMENTATION (lib/host_runtime.c; in a single-file build catlass_c.h does),
 * best at -O3 and as GNU C (sigaction, mmap); elsewhere this header is backend/host/launch.h.
 *
 *   report.h      sentences of failures, the list of what every warp waits for
 *   memory.h      guarded allocations, the shared arena, the handler that turns a fault into a report
 *   fibre.h       stacks and the switch between them
 *   scheduler.h   which thread runs next; threads that end
 *   collective.h  block and named barriers, warp collectives, setmaxnreg
 *   async.h       cp.async: groups of each thread and the moments at which they land
 *   panels.h      the sum of products that all matrix instructions end in
 *   mma.h         ldmatrix and mma.sync
 *   mbarrier.h    phases, arrivals, transaction bytes
 *   tma.h         tensor maps, copies and the moments at which they land
 *   wgmma.h       descriptors, deferred matrix multiplies
 *   grid.h        the launch
 *
 * All state of a launch hangs from one `struct catc_host` per OS thread, kept between launches and freed when the OS
 * thread ends. Fibres never move to another OS thread. */
#ifndef CATC_BACKEND_HOST_RUNTIME_H
#define CATC_BACKEND_HOST_RUNTIME_H

#include "catlass_c/backend/host/launch.h"

#if defined(CATC_HOST_IMPLEMENTATION)

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catlass_c/arch/sm90.h"

#if defined(__SANITIZE_THREAD__)
#define CATC_HOST_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CATC_HOST_ASAN 1
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CATC_HOST_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define CATC_HOST_ASAN 1
#endif
#endif

/* The asm switch is for x86-64 and aarch64; CATC_HOST_UCONTEXT forces the portable one (about 20 times slower). */
#if !defined(CATC_HOST_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define CATC_HOST_UCONTEXT 1
#endif
#if defined(CATC_HOST_UCONTEXT)
#include <ucontext.h>
#endif

enum {
    CATC_HOST_THREADS_MAX = 1024,
    CATC_HOST_WARPS_MAX = CATC_HOST_THREADS_MAX / 32,
    CATC_HOST_WARPGROUPS_MAX = CATC_HOST_THREADS_MAX / 128,
    CATC_HOST_SMEM_MAX = 227 * 1024,
    CATC_HOST_MBARS_MAX = 256,
    CATC_HOST_REGISTERS = 65536,
    CATC_HOST_REPORT_MAX = 16384,
#if defined(__x86_64__)
    CATC_HOST_PAGE = 4096, /* guard below each stack: a multiple of the page size of any system of this kind */
#else
    CATC_HOST_PAGE = 65536,
#endif
#if defined(CATC_HOST_ASAN) || defined(CATC_HOST_TSAN)
    CATC_HOST_STACK = 256 * 1024 /* red zones make frames large */
#else
    CATC_HOST_STACK = 64 * 1024
#endif
};

/* What a thread waits for; also what the lanes of a warp must agree on. */
enum catc_host_op {
    CATC_HOST_OP_RUN,
    CATC_HOST_OP_SYNC_BLOCK,
    CATC_HOST_OP_SYNC_WARP,
    CATC_HOST_OP_SHUFFLE,
    CATC_HOST_OP_NAMED_BARRIER,
    CATC_HOST_OP_STMATRIX,
    CATC_HOST_OP_LDMATRIX,
    CATC_HOST_OP_LDMATRIX_TRANS,
    CATC_HOST_OP_MMA_BF16,
    CATC_HOST_OP_MMA_F16,
    CATC_HOST_OP_SETMAXNREG,
    CATC_HOST_OP_MBAR_WAIT,
    CATC_HOST_OP_WGMMA_WAIT
};

struct catc_host_context {
#if defined(CATC_HOST_UCONTEXT)
    ucontext_t context;
#else
    void *sp;
#endif
#if defined(CATC_HOST_TSAN)
    void *tsan;
#endif
#if defined(CATC_HOST_ASAN)
    void *fake_stack;
#endif
};

struct catc_host_cp_async {
    const unsigned char *src;
    const char *site;
    uint32_t dst;        /* byte of the arena */
    uint32_t group;      /* the thread's group that it belongs to */
    uint8_t size, bytes; /* written; of these, copied and not zeroed */
    uint8_t landed;
};

struct catc_host_fibre {
    struct catc_host_lane lane;
    struct catc_host_context context;
    unsigned char *stack; /* usable bytes, above the guard page; NULL before the first use */
    int fresh;            /* the context does not exist yet, or was abandoned in the middle of a kernel */
    enum catc_host_op op;
    const char *site;
    uint32_t a, b;                     /* operands of op, for reports and for waking */
    struct catc_host_cp_async *copies; /* ring of copies_room, a power of two; those that no wait has covered */
    uint32_t copies_room, copies_head, copies_tail, copies_committed;
    uint32_t stores_committed; /* bulk groups, see tma.h */
    const char *fence_site;    /* the last catc_wgmma_fence */
    int fenced;                /* 1: and no accumulator was released since */
};

/* Operands and results of ldmatrix and mma (mma.h). Apart, because a lane may bring the operands of the next one before
 * another has taken the results of this one. */
struct catc_host_fragments {
    uint32_t a[4][32], b[2][32]; /* brought; a also by ldmatrix */
    float c[16 * 8];
    float d[16 * 8]; /* taken */
    uint32_t matrix[4][32];
};

struct catc_host_warp {
    uint32_t ready;   /* lanes that can run */
    uint32_t alive;   /* lanes that have not exited */
    uint32_t arrived; /* lanes that wait in the collective (or barrier) of the next three */
    enum catc_host_op op;
    const char *site;
    uint32_t operand;
    uint32_t value[32], source[32], extra[3][32];
    unsigned char *row[32];
    struct catc_host_fragments fragments;
    int registers; /* per thread, see setmaxnreg */
    int last;      /* the lane that waits for registers */
};

struct catc_host_barrier {
    int arrived, expected; /* expected 0: all threads that are alive */
    uint32_t waiting[CATC_HOST_WARPS_MAX];
};

struct catc_host_mbar {
    uint32_t address;
    uint32_t count;   /* arrivals per phase */
    uint32_t pending; /* arrivals left in this phase */
    int64_t tx;       /* bytes expected less bytes landed */
    uint32_t phase;   /* phases completed */
    const char *site; /* of the initialisation */
    uint32_t waiting[CATC_HOST_WARPS_MAX];
};

/* A tensor map as the emulator keeps it in the 128 opaque bytes. */
struct catc_host_map {
    uint32_t magic;
    uint8_t rank, elem_bytes, span; /* span of the swizzle in bytes: 0, 32, 64, 128 */
    unsigned char *base;
    uint64_t stride[4]; /* bytes, dimensions 1 and up */
    uint32_t dim[5];    /* less one, so that 2^32 fits */
    uint16_t box[5];
};

struct catc_host_copy {
    struct catc_host_map map;
    int thread;
    uint32_t smem;
    int64_t at[5];
    struct catc_host_mbar *bar; /* loads */
    uint32_t phase;
    uint32_t group;        /* stores: the thread's group that it belongs to */
    unsigned char *held;   /* stores: the box, once read from shared memory */
    int written, released; /* stores: global memory has it; a wait has covered the reading */
    const char *site;
};

struct catc_host_accumulator {
    int n;             /* 0: free */
    uint32_t lanes[4]; /* threads whose registers are held here */
    int left;          /* number of such threads */
    int pending;       /* multiplies on it that are not executed */
    float *owner[128];
    float *panel; /* 64 x n */
};
struct catc_host_multiply {
    uint64_t desc_a, desc_b;
    int n, type, scale_d, trans_a, trans_b, line;
    const char *site; /* of the fence before it */
    int issued;       /* threads that have issued it */
    struct catc_host_accumulator *acc;
};
enum { CATC_HOST_ACCUMULATORS = 8, CATC_HOST_MULTIPLIES = 256, CATC_HOST_GROUPS = 64 };
struct catc_host_warpgroup {
    uint32_t head, tail; /* multiplies [head, tail) are queued, of 0 ... in issue order */
    uint32_t complete;   /* multiplies before this one were issued by all threads */
    struct catc_host_multiply queue[CATC_HOST_MULTIPLIES];
    uint32_t groups; /* groups committed by the first thread to do so */
    uint32_t group_end[CATC_HOST_GROUPS];
    uint32_t issued[128], committed[128];
    uint32_t waiting[4];
    struct catc_host_accumulator acc[CATC_HOST_ACCUMULATORS];
};

struct catc_host {
    int running, failed;
    int current; /* thread that runs */
    int threads, warps, alive;
    uint32_t ready_warps;
    struct catc_host_warp warp[CATC_HOST_WARPS_MAX];
    struct catc_host_barrier barrier[16];
    struct catc_host_fibre fibre[CATC_HOST_THREADS_MAX];
    struct catc_host_context main;
    unsigned char *main_stack; /* what the sanitizer says of the launching thread's own stack */
    size_t main_stack_size;

    const struct catc_host_launch *launch;
    void (*kernel)(const void *);
    struct catc_host_block block;
    int smem_bytes;

    enum catc_host_schedule schedule;
    enum catc_host_landing landing;
    uint64_t seed, random;

    unsigned char *arena_map; /* guard page, arena, guard page */
    unsigned char *arena;     /* of this launch: ends at the second guard page */

    int registers_free;
    uint32_t setmaxnreg_waiting; /* warps */

    struct catc_host_mbar mbar[CATC_HOST_MBARS_MAX];
    int mbars;
    uint16_t mbar_at[CATC_HOST_SMEM_MAX / 8]; /* 1 + index into mbar */

    const struct catc_host_cp_async *volatile fetching; /* by fetching_for, if a fault happens now */
    int fetching_for;

    struct catc_host_copy *loads, *stores;
    int n_loads, max_loads, n_stores, max_stores;

    struct catc_host_warpgroup *warpgroup; /* CATC_HOST_WARPGROUPS_MAX of them, made at the first wgmma */
    uint32_t warpgroups_used;
    float *panels; /* of the multiply in progress */

    const char *bad_environment; /* the variable that has an unknown value */
    sigjmp_buf fault_jump;
    int catching;
    unsigned char *signal_stack;
    unsigned char *fault_address;
    char report[CATC_HOST_REPORT_MAX];
};

static __thread struct catc_host *catc_host_tls;
static const struct catc_host_hooks *catc_host_hooks_set;

#define CATC_HOST_HOOK(member, ...) \
    do { \
        if (catc_host_hooks_set && catc_host_hooks_set->member) \
            catc_host_hooks_set->member(__VA_ARGS__); \
    } while (0)

static inline struct catc_host_fibre *catc_host_fibre(struct catc_host *h)
{
    return &h->fibre[h->current];
}

#include "catlass_c/backend/host/report.h"
#include "catlass_c/backend/host/memory.h"
#include "catlass_c/backend/host/fibre.h"
#include "catlass_c/backend/host/scheduler.h"
#include "catlass_c/backend/host/collective.h"
#include "catlass_c/backend/host/async.h"
#include "catlass_c/backend/host/panels.h"
#include "catlass_c/backend/host/mma.h"
#include "catlass_c/backend/host/mbarrier.h"
#include "catlass_c/backend/host/tma.h"
#include "catlass_c/backend/host/wgmma.h"
#include "catlass_c/backend/host/grid.h"

#endif /* CATC_HOST_IMPLEMENTATION */
#endif /* CATC_BACKEND_HOST_RUNTIME_H */
