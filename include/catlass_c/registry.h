/* SPDX-License-Identifier: Apache-2.0
 *
 * registry.h: the descriptor of an instance and the constant tables that hold them.
 *
 * A skeleton defines its descriptor from the same parameters as its kernel. Code generation sorts the descriptors of
 * a target into one table; tables are chained through `base` (a user's own instances in front of the library's).
 * There is no registration at run time and nothing here is ever written. */
#ifndef CATC_REGISTRY_H
#define CATC_REGISTRY_H

#include "catlass_c/base.h"
#include "catlass_c/types.h"

CATC_EXTERN_C_BEGIN

enum {
    CATC_EPI_MAX = 8,    /* positions in a chain */
    CATC_TARGETS_MAX = 8 /* compiled targets of an instance */
};

/* One position of an instance's chain. */
struct catc_epi_position {
    const char *name;        /* "gelu"; its id is catc_op_id(name) */
    enum catc_epi_kind kind; /* in terms of the caller's D, also in an instance with swap */
    enum catc_type type;     /* element type of the operand or output; 0 for kinds without one */
};

/* Kernels are called through their launch function only; the type just carries the address. */
typedef void (*catc_kernel_fn)(void);

/* One GEMM instance. All sizes in elements unless a unit is given. */
struct catc_gemm_instance {
    const char *name;   /* "gemm_simt_f32_f32_f32_f32_tn_128x128x8_…" */
    const char *source; /* "instances/gemm_simt.yaml:41" */
    enum catc_skeleton skeleton;
    enum catc_backend backend;
    enum catc_type type_a, type_b, type_acc, type_d; /* C has D's type */
    enum catc_layout layout;
    int tile_m, tile_n, tile_k; /* block tile; with swap tile_m runs along the caller's N */
    int warp_m, warp_n;         /* warp tile; 0 where the skeleton has none */
    int thread_m, thread_n;     /* thread tile; 0 where the skeleton has none */
    int cluster_m, cluster_n;   /* 1 x 1 without clusters */
    int stages;
    enum catc_schedule schedule;
    int swap;            /* 1: computes D^T = B^T A^T */
    int threads;         /* per block */
    int min_blocks;      /* second launch bound */
    int regs_per_thread; /* the ceiling that the launch bounds imply, for occupancy; not a measurement */
    int smem_bytes;      /* dynamic shared memory per block */
    int align_a, align_b, align_c, align_d; /* bytes that base, leading dimension and batch stride must be multiples of
                                               for this instance to run at all (element size: runs for any) */
    int targets[CATC_TARGETS_MAX];          /* compiled targets, 0-terminated: 800 = sm_80 code, 901 = sm_90a code,
                                       -800 = compute_80 PTX */
    int n_epi;
    struct catc_epi_position epi[CATC_EPI_MAX + 1]; /* ends with a NULL name */
    catc_kernel_fn kernel;
};

/* All instances of one backend, sorted by key; groups[i] = the instances that share types, layout and chain. */
struct catc_gemm_group {
    uint64_t key; /* catc_gemm_key() */
    int first, count;
};
struct catc_gemm_table {
    const struct catc_gemm_group *groups; /* sorted by key */
    int n_groups;
    const struct catc_gemm_instance *const *instances;
    int n_instances;
};

/* One measured problem: `instance` was the fastest of its group there. */
struct catc_gemm_tuned {
    uint64_t key;           /* of the instance's group */
    int64_t m, n, k, batch; /* all at least 1 */
    const struct catc_gemm_instance *instance;
};
/* What was measured on one GPU. It counts for a device whose name, SM count and compute capability are all the same. */
struct catc_gemm_tuned_device {
    const char *name; /* as in struct catc_device */
    int sms, cc;
    const struct catc_gemm_tuned *entries; /* sorted by key, then n */
    int n_entries;
};
struct catc_gemm_tuning {
    const struct catc_gemm_tuned_device *devices;
    int n_devices;
};

struct catc_registry {
    const char *name;                                /* "catlass_c" or the user's target */
    const struct catc_registry *base;                /* searched after this one; NULL at the end */
    struct catc_gemm_table gemm[CATC_BACKEND_END];   /* indexed by enum catc_backend */
    struct catc_gemm_tuning tuned[CATC_BACKEND_END]; /* the same; instances/tuned/<gpu>.yaml */
};

/* The registry of the library itself; NULL in a single-file build that has none. */
CATC_API const struct catc_registry *catc_library_registry(void);

/* FNV-1a, 32 bits, of an operation's name: the id used in chains. */
CATC_API uint32_t catc_op_id(const char *name);
/* Key of a group: FNV-1a, 64 bits, over "<A>,<B>,<acc>,<D>,<layout>" and ",<op id as 8 hex digits>" for each position;
 * codegen computes the same. Operand types are not part of it: a caller who leaves them to their default need not know
 * which operations have an operand. */
CATC_API uint64_t catc_gemm_key(enum catc_type a, enum catc_type b, enum catc_type acc, enum catc_type d,
                                enum catc_layout layout, int n_epi, const uint32_t *ops);

CATC_EXTERN_C_END

#endif /* CATC_REGISTRY_H */
