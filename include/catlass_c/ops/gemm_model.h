/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_model.h: cost model, version 2: the clock cycles that an instance should take on a device. The formulas, the
 * source of every constant and a worked example are in docs/selection.md, and how far it is off: 12 to 32 % by list of
 * problems, and up to a factor of 3.6 for one. An ordering of instances first. Implementation only. */
#ifndef CATC_OPS_GEMM_MODEL_H
#define CATC_OPS_GEMM_MODEL_H

#include "catlass_c/ops/gemm_check.h"

/* What a candidate's time is spent on, for people. */
enum catc_gemm_limit {
    CATC_LIMIT_MATH,    /* multiply-adds, or the issue slots around them */
    CATC_LIMIT_SHARED,  /* shared memory of a multiprocessor */
    CATC_LIMIT_L2,      /* L2 to a multiprocessor, or to all of them */
    CATC_LIMIT_DRAM,    /* device memory */
    CATC_LIMIT_LATENCY, /* too few warps or stages: waiting for memory, barriers, the previous instruction */
    CATC_LIMIT_EDGES    /* launch, the first bytes of a tile, its store */
};

struct catc_gemm_cost {
    double cycles; /* of the busiest multiprocessor: launch + the longest of loop, L2, DRAM + edges */
    double loop;   /* main loops of all its tiles */
    double dram;   /* bytes of device memory at its rate */
    double l2;     /* bytes of L2 at the rate of the whole GPU */
    double edges;  /* first bytes and stores of its tiles */
    enum catc_gemm_limit limit;
    double waves; /* tiles of the busiest multiprocessor over the blocks it can hold, rounded up */
    int blocks_per_sm;
    double useful; /* share of the computed elements that lie inside D */
};

/* Cycles of a multiprocessor unless another unit is given. "estimate": nobody measured it. */
enum {
    CATC_LAUNCH_CYCLES = 2000,  /* launch to first instruction (fit: peers/cutlass.txt, 2.9 µs beside the main loop) */
    CATC_START_CYCLES = 300,    /* of a block: scheduling, addresses, pipeline (estimate) */
    CATC_L2_LATENCY = 300,      /* ld.global and cp.async, hit (estimate) */
    CATC_DRAM_LATENCY = 800,    /* ld.global and cp.async, miss (estimate) */
    CATC_TMA_L2_LATENCY = 1000, /* 16 KiB tile, hit, among others (alone, measured on an H200: 682) */
    CATC_TMA_DRAM_LATENCY = 1850, /* 16 KiB tile, miss, among others (alone: 1532) */
    CATC_L2_BYTES_PER_CLOCK = 64, /* L2 to one multiprocessor (DeepGEMM's model of Hopper) */
    CATC_SHARED_BYTES_PER_CLOCK = 128,
    CATC_STORE_BYTES_PER_CLOCK = 24, /* epilogue of a tile, conversion included (fit: peers/cutlass-sm80.txt) */
    CATC_STORE_ALONE = 3,            /* times as long for one block alone, by rows (fit: K = 64, H200) */
    CATC_SLOW_STORE = 4,             /* times as long where D is not 16-byte aligned (estimate) */
    CATC_ISSUE_PER_CLOCK = 4,        /* warp instructions of a multiprocessor, one for each scheduler */
    CATC_BLOCKS_PER_SM = 32,         /* resident blocks, at most */
    CATC_RESERVED_SMEM = 1024,       /* bytes of shared memory that the system takes for a block */
    CATC_SIMT_REGISTERS = 46,    /* beside accumulators, operands, loads in flight (fit: ptxas, 13 instances, +- 9) */
    CATC_SM80_REGISTERS = 48,    /* beside accumulators and fragments (fit: ptxas, 16 instances, +- 18) */
    CATC_SIMT_STEP_CYCLES = 120, /* of a k tile: barrier, store to shared memory, first operands (estimate) */
    CATC_SM80_STEP_CYCLES = 100, /* of a k tile: wait and barrier (fit: peers/cutlass-sm80.txt, one block of 4 warps) */
    CATC_SM80_K16_CYCLES = 80,   /* of 16 k: ldmatrix and copies that a lone warp does not hide (same fit) */
    CATC_SM90_STEP_CYCLES = 50,  /* of a k tile: barrier of the ring (mbarrier wait, measured: 41) */
    CATC_SM90_TILE_CYCLES = 700, /* of a tile: from its last wgmma to the next one's first (fit: K = 32, H200) */
    CATC_EDGE_INSTRUCTIONS = 60, /* addresses of a 16-byte chunk in gemm_sm80's slow copies (estimate) */
    CATC_CHUNK_ELEMENTS = 8,     /* of 16 bits in it */
    CATC_RASTER_ROWS = 8,        /* tile rows of a group (tile/raster.h) */
    CATC_NOMINAL_M = 4096        /* rows that fixed_m is judged by: the choice must not depend on m */
};
#define CATC_TENSOR_SUSTAINED 0.90 /* of the tensor cores' nominal rate under power (fit: peers/cutlass.txt) */
#define CATC_FP32_SUSTAINED 0.88   /* of the fp32 units' (peers/cublaslt.txt: 50.5 of 61.8 TFLOP/s, 1.06 issue slots) */
#define CATC_DRAM_SUSTAINED 0.93   /* of the memory's (peers/memory.txt: 4.3 to 4.56 of 4.8 TB/s) */
#define CATC_TMA_FILL 0.00076      /* cycles of the whole GPU for a byte that TMA fills (fit: M = 1 … 64, H200) */
#define CATC_FRICTION 0.12         /* of the lesser needs of a step, added to the widest (fit: peers/cutlass*.txt) */
#define CATC_INNER_FRICTION 0.03   /* of the lesser of loop, L2 and DRAM, added to the longest (fit: 1024^3, H200) */
#define CATC_BELOW (1.0 - 1e-9)    /* margin of a bound: the cost adds the same numbers in another order */
#define CATC_L2_SHARE 0.5          /* of L2 that keeps A and B for reuse: its two halves may hold the same (estimate) */

/* The problem and the device in the model's units; made once for all candidates. */
struct catc_gemm_workload {
    const struct catc_device *device;
    double extent[2]; /* m, n */
    double k, batch, sms;
    double batch_per_sm;
    double size_a, size_b;
    double element;                                  /* bytes of D, and of C if it is read, for one element of D */
    int align_a, align_b, align_c, align_d;          /* bytes, a power of 2 up to 16; 16 for what is not read */
    double store_cycles;                             /* of a multiprocessor, for one element of D */
    double cycles_per_fma[CATC_SKELETON_END];        /* of a multiprocessor; 2 FLOP */
    double step_least[CATC_SKELETON_END];            /* cycles of a k tile, however small, */
    double k_least[CATC_SKELETON_END];               /* of one k in it, */
    double copy_least[CATC_SKELETON_END];            /* and of one element of A and B that a thread copies */
    double cycles_per_l2_byte, cycles_per_dram_byte; /* of the whole GPU */
    double dram_least;                               /* cycles for A, B, C and D once */
};

static double catc_least_(double a, double b)
{
    return a < b ? a : b;
}
static double catc_most_(double a, double b)
{
    return a > b ? a : b;
}
/* Rounded up; x is at least 0 and below 2^62. */
static double catc_up_(double x)
{
    double const down = (double)(int64_t)x;
    return down + (double)(down < x); /* no branch: nobody could predict it */
}

/* Instructions of a thread for one 16-byte chunk of gemm_sm80's slow copies. */
static double catc_gemm_slow_copy_(int align)
{
    return CATC_EDGE_INSTRUCTIONS + 180.0 / align;
}

static struct catc_gemm_workload catc_gemm_workload_(const struct catc_gemm_problem *problem,
                                                     const struct catc_device *device)
{
    const struct catc_gemm_args *const g = &problem->args;
    struct catc_gemm_workload w;
    double const tensor = device->tensor_flop_clk_sm * CATC_TENSOR_SUSTAINED;
    size_t const size_a = catc_type_size(g->type_a), size_b = catc_type_size(g->type_b);
    size_t const size_d = catc_type_size(g->type_d);
    bool const m_contiguous = g->layout == CATC_NN || g->layout == CATC_NT; /* in A */
    memset(&w, 0, sizeof w);
    w.device = device;
    w.extent[0] = g->fixed_m ? (double)CATC_NOMINAL_M : (double)g->m;
    w.extent[1] = (double)g->n;
    w.k = (double)g->k;
    w.batch = (double)g->batch;
    w.size_a = (double)size_a;
    w.size_b = (double)size_b;
    w.sms = device->sms;
    w.batch_per_sm = w.batch / w.sms;
    w.element = (double)(problem->reads_c ? 2 * size_d : size_d);
    w.align_a = w.align_b = w.align_c = 16;
    if (g->k > 0) {
        /* where A's lines run along M, their length is the caller's m, which must not count with fixed_m */
        w.align_a = g->fixed_m && m_contiguous ? 16 : catc_alignment_of_(g->a, g->lda, g->stride_a, size_a);
        w.align_b = catc_alignment_of_(g->b, g->ldb, g->stride_b, size_b);
    }
    if (problem->reads_c) {
        w.align_c = catc_alignment_of_(g->c, g->ldc, g->stride_c, size_d);
    }
    w.align_d = catc_alignment_of_(g->d, g->ldd, g->stride_d, size_d);
    w.store_cycles = w.element / CATC_STORE_BYTES_PER_CLOCK * (w.align_d < 16 ? CATC_SLOW_STORE : 1.0);
    int const align = w.align_a < w.align_b ? w.align_a : w.align_b;
    w.cycles_per_fma[CATC_GEMM_SIMT] = 2.0 / (device->fp32_flop_clk_sm * CATC_FP32_SUSTAINED);
    w.cycles_per_fma[CATC_GEMM_SM80] = 2.0 / (tensor * device->mma_sync_share);
    w.cycles_per_fma[CATC_GEMM_SM90] = 2.0 / tensor;
    w.step_least[CATC_GEMM_SIMT] = CATC_SIMT_STEP_CYCLES;
    w.step_least[CATC_GEMM_SM80] = CATC_SM80_STEP_CYCLES;
    w.step_least[CATC_GEMM_SM90] = CATC_SM90_STEP_CYCLES;
    w.k_least[CATC_GEMM_SM80] = CATC_SM80_K16_CYCLES / 16.0;
    w.copy_least[CATC_GEMM_SM80] =
        align == 16 ? 0.0
                    : (catc_gemm_slow_copy_(align) + (align < 4 ? (double)CATC_L2_LATENCY : 0.0)) / CATC_CHUNK_ELEMENTS;
    w.cycles_per_l2_byte = 1.0 / device->l2_bytes_clk;
    w.cycles_per_dram_byte = device->clock_mhz / (device->dram_gbs * 1e3 * CATC_DRAM_SUSTAINED);
    w.dram_least = w.cycles_per_dram_byte * w.batch *
                   (w.k * (w.extent[0] * w.size_a + w.extent[1] * w.size_b) + w.extent[0] * w.extent[1] * w.element);
    return w;
}

/* What one k tile of one block asks of its multiprocessor; cycles unless another unit is given. */
struct catc_gemm_step {
    double math;      /* of the arithmetic units, or of the schedulers if they are the narrower part */
    double shared;    /* of shared memory */
    double l2;        /* bytes */
    double alone;     /* that the step takes in a block that has the multiprocessor to itself */
    double latency;   /* from a load to its data, L2 hit */
    double miss;      /* the same, what a miss costs more */
    double ahead;     /* k tiles that are loaded before they are used */
    double waits;     /* latencies that nothing hides */
    double registers; /* of a thread */
};

/* s->math is the arithmetic alone; the rest follows. */
static void catc_gemm_step_simt_(struct catc_gemm_step *s, const struct catc_gemm_workload *w,
                                 const struct catc_gemm_instance *i)
{
    double const k = i->tile_k, warps = i->threads / 32, thread = i->thread_m * i->thread_n;
    double const operands = i->thread_m + i->thread_n, values = k * (i->tile_m + i->tile_n);
    bool const slow_m = (i->swap ? w->align_b : w->align_a) < 16, slow_n = (i->swap ? w->align_a : w->align_b) < 16;
    /* warp instructions. A value on its way: its share of a 16-byte load and of addresses, and a store; single loads
     * and predicates if not aligned (estimate) */
    double const moves = k * (i->tile_m * (slow_m ? 5.0 : 2.0) + i->tile_n * (slow_n ? 5.0 : 2.0)) / 32.0;
    double const issued = warps * k * (thread + operands / 4.0) + moves;
    s->math = catc_most_(s->math, issued / (CATC_ISSUE_PER_CLOCK * CATC_FP32_SUSTAINED));
    /* reads of 16 bytes, of which two lanes share one (estimate), and stores of fp32 */
    s->shared = warps * k * operands / 2.0 + values * 4.0 / CATC_SHARED_BYTES_PER_CLOCK;
    s->latency = CATC_L2_LATENCY;
    s->miss = CATC_DRAM_LATENCY - CATC_L2_LATENCY;
    s->waits = k * ((slow_m ? i->tile_m : 0) + (slow_n ? i->tile_n : 0)) / i->threads; /* single elements, one by one */
    s->ahead = 1.0; /* loads wait in registers and are stored in the step that issued them, whatever the stages */
    s->alone = s->math * catc_most_(CATC_ISSUE_PER_CLOCK / warps, 1.0) + CATC_SIMT_STEP_CYCLES;
    s->registers = thread + 2.0 * operands + values / i->threads + CATC_SIMT_REGISTERS;
}

static void catc_gemm_step_sm80_(struct catc_gemm_step *s, const struct catc_gemm_workload *w,
                                 const struct catc_gemm_instance *i)
{
    double const k16 = i->tile_k / 16, warps = i->threads / 32;
    double const warp = i->warp_m + i->warp_n, tile = i->tile_m + i->tile_n;
    int const align = w->align_a < w->align_b ? w->align_a : w->align_b;
    s->shared = k16 * 32.0 * (warps * warp + tile) / CATC_SHARED_BYTES_PER_CLOCK;
    s->latency = CATC_L2_LATENCY;
    s->miss = CATC_DRAM_LATENCY - CATC_L2_LATENCY;
    s->ahead = i->stages - 1;
    s->alone = s->math * CATC_ISSUE_PER_CLOCK / warps + CATC_SM80_STEP_CYCLES + k16 * CATC_SM80_K16_CYCLES;
    s->registers = i->warp_m * i->warp_n / 32 + (i->warp_m + i->warp_n) / 2 + CATC_SM80_REGISTERS;
    if (align < 16) { /* slow copies, of both operands if one is not aligned */
        double const chunks = i->tile_k * tile / CATC_CHUNK_ELEMENTS, instructions = catc_gemm_slow_copy_(align);
        s->math += chunks / 32.0 * instructions / CATC_ISSUE_PER_CLOCK;
        s->alone += chunks / i->threads * instructions;
        s->waits = align < 4 ? chunks / i->threads : 0.0; /* single elements go through registers, chunk by chunk */
    }
}

static void catc_gemm_step_sm90_(struct catc_gemm_step *s, const struct catc_gemm_instance *i)
{
    double const k16 = i->tile_k / 16;
    /* each wgmma of 64 rows reads its A and the whole of B; TMA writes the tile once */
    s->shared = k16 * 32.0 * (2 * i->tile_m + (i->tile_m / 64 + 1) * i->tile_n) / CATC_SHARED_BYTES_PER_CLOCK;
    s->latency = CATC_TMA_L2_LATENCY;
    s->miss = CATC_TMA_DRAM_LATENCY - CATC_TMA_L2_LATENCY;
    s->ahead = i->stages - 1;
    s->alone = s->math * CATC_TENSOR_SUSTAINED + CATC_SM90_STEP_CYCLES; /* one tile does not heat the chip */
    s->registers = i->regs_per_thread;
}

static int catc_gemm_blocks_per_sm_(const struct catc_gemm_instance *i, const struct catc_device *device,
                                    double registers)
{
    int const up = ((int)registers + 7) / 8 * 8;
    int const used = i->threads * (up < i->regs_per_thread ? up : i->regs_per_thread);
    int blocks = device->threads_per_sm / i->threads;
    int const by_registers = device->regs_per_sm / used,
              by_smem = device->smem_per_sm / (i->smem_bytes + CATC_RESERVED_SMEM);
    blocks = by_registers < blocks ? by_registers : blocks;
    blocks = by_smem < blocks ? by_smem : blocks;
    blocks = blocks < CATC_BLOCKS_PER_SM ? blocks : CATC_BLOCKS_PER_SM;
    return blocks < 1 ? 1 : blocks;
}

/* Cycles of a multiprocessor that a k tile takes up: the widest of its needs, and a share of the others, which get in
 * its way. */
static double catc_gemm_width_(const struct catc_gemm_step *s)
{
    double const l2 = s->l2 / CATC_L2_BYTES_PER_CLOCK, widest = catc_most_(s->math, catc_most_(s->shared, l2));
    return widest + CATC_FRICTION * (s->math + s->shared + l2 - widest);
}

static enum catc_gemm_limit catc_gemm_step_limit_(const struct catc_gemm_step *s, double blocks)
{
    double const l2 = s->l2 / CATC_L2_BYTES_PER_CLOCK, widest = catc_most_(s->math, catc_most_(s->shared, l2));
    return s->alone > 1.25 * blocks * widest ? CATC_LIMIT_LATENCY
           : widest == s->math               ? CATC_LIMIT_MATH
           : widest == s->shared             ? CATC_LIMIT_SHARED
                                             : CATC_LIMIT_L2;
}

/* Is the cost above `limit`, by what is cheap to know and never above it? The busiest multiprocessor has its share of the
 * elements, or one tile: their arithmetic, or the least bytes of device memory, or stores beside products, or the waits of
 * one block; and the other stores. */
static inline bool catc_gemm_above_(const struct catc_gemm_workload *w, const struct catc_gemm_instance *i,
                                    double limit)
{
    double const rows = w->extent[i->swap != 0], columns = w->extent[i->swap == 0];
    double const covered = catc_most_(rows, i->tile_m) * catc_most_(columns, i->tile_n) * w->batch_per_sm;
    double const area = (double)(i->tile_m * i->tile_n), elements = catc_most_(covered, area);
    double const product = w->k * w->cycles_per_fma[i->skeleton];
    double const beside = i->schedule == CATC_PINGPONG ? elements - area : 0.0; /* elements stored beside products */
    double const base = CATC_LAUNCH_CYCLES + (elements - beside) * w->store_cycles;
    double const products = catc_most_(product * elements, beside * w->store_cycles);
    if ((base + catc_most_(products, w->dram_least)) * CATC_BELOW > limit) {
        return true;
    }
    double const thread = 1.0 / i->threads;
    double const alone =
        product * area * (32.0 * CATC_ISSUE_PER_CLOCK) * thread + w->k / i->tile_k * w->step_least[i->skeleton] +
        w->k * (w->k_least[i->skeleton] + (i->tile_m + i->tile_n) * thread * w->copy_least[i->skeleton]);
    return (base + alone) * CATC_BELOW > limit;
}

/* Bytes of A and B that come from device memory. All tiles of a problem that run at the same time share rows and columns
 * through L2; what is needed again later is read again, unless both matrices stay in L2. line: bytes of A or B that one
 * tile reads; least: bytes of both; resident: blocks of the whole GPU. */
static double catc_gemm_dram_in_(const struct catc_gemm_workload *w, double tiles_m, double tiles_n, double line_m,
                                 double line_n, double least, double resident)
{
    double const tiles = tiles_m * tiles_n, group = catc_least_(CATC_RASTER_ROWS, tiles_m);
    if (resident >= tiles || least <= CATC_L2_SHARE * (double)w->device->l2_bytes) {
        return w->batch * least;
    }
    return w->batch * catc_most_(least, tiles * (group / resident * line_m + line_n / group));
}

/* false: the cost is above `limit` and is not computed to its end. */
static bool catc_gemm_cost_(struct catc_gemm_cost *cost, const struct catc_gemm_workload *w,
                            const struct catc_gemm_instance *i, double limit)
{
    double const rows = w->extent[i->swap != 0], columns = w->extent[i->swap == 0]; /* of D along tile_m, tile_n */
    double const tiles_m = catc_up_(rows / i->tile_m), tiles_n = catc_up_(columns / i->tile_n);
    double const tiles = catc_least_(tiles_m * tiles_n * w->batch, 1e18), busiest = catc_up_(tiles / w->sms);
    double const size_m = i->swap ? w->size_b : w->size_a, size_n = i->swap ? w->size_a : w->size_b;
    double const line_m = catc_least_(rows, i->tile_m) * size_m, line_n = catc_least_(columns, i->tile_n) * size_n;
    double chain = 0.0; /* bytes of the chain's matrices for one element of D */
    for (int e = 0; e < i->n_epi; ++e) {
        if (i->epi[e].kind == CATC_EPI_TILE || i->epi[e].kind == CATC_EPI_TAP) {
            chain += (double)catc_type_size(i->epi[e].type);
        }
    }

    double const area = (double)(i->tile_m * i->tile_n), steps = catc_up_(w->k / i->tile_k);
    struct catc_gemm_step step;
    memset(&step, 0, sizeof step);
    step.math = area * i->tile_k * w->cycles_per_fma[i->skeleton];
    step.l2 = (line_m + line_n) * i->tile_k;
    switch (i->skeleton) {
    case CATC_GEMM_SM80: catc_gemm_step_sm80_(&step, w, i); break;
    case CATC_GEMM_SM90: catc_gemm_step_sm90_(&step, i); break;
    default: catc_gemm_step_simt_(&step, w, i); break;
    }
    bool const in_turn = i->schedule == CATC_PINGPONG;
    double const store_tile = area * (w->store_cycles + chain / CATC_STORE_BYTES_PER_CLOCK);
    double const beside = in_turn ? (busiest - 1.0) * store_tile : 0.0; /* stores beside products: all but the last */
    double const store = (in_turn ? 1.0 : busiest) * store_tile;
    double const base = CATC_LAUNCH_CYCLES + store + CATC_START_CYCLES + step.latency;
    double const width = catc_gemm_width_(&step);
    double const loop_least = steps * catc_most_(busiest * width, step.alone);
    /* the loop and what it does not hide of `beside` take as long as the longer of the two, at least */
    if ((base + catc_most_(catc_most_(loop_least, beside), w->dram_least)) * CATC_BELOW > limit) {
        return false;
    }

    int const blocks = catc_gemm_blocks_per_sm_(i, w->device, step.registers);
    double const l2_in = tiles * steps * step.l2, out = rows * columns * w->batch * (w->element + chain);
    double const dram_in = catc_gemm_dram_in_(w, tiles_m, tiles_n, w->k * line_m, w->k * line_n,
                                              w->k * (rows * size_m + columns * size_n), blocks * w->sms);
    double const missed = dram_in < l2_in ? dram_in / l2_in : 1.0;
    step.latency += missed * step.miss;
    step.alone = catc_most_(step.alone + step.waits * step.latency, step.latency / step.ahead);

    double const full = (double)(int64_t)(busiest / blocks), rest = busiest - full * blocks;
    double const last = rest > 0 ? 1.0 : 0.0;
    cost->waves = full + last;
    cost->loop = steps * (full * catc_most_(blocks * width, step.alone) + last * catc_most_(rest * width, step.alone));
    /* the rows of one block alone pass through its few warps, one after the other */
    double const alone = i->skeleton == CATC_GEMM_SM90 ? 0.0 : cost->waves * store_tile * CATC_STORE_ALONE;
    cost->edges = catc_most_(store, alone) + catc_most_(beside - cost->loop, 0.0) +
                  (CATC_START_CYCLES + step.latency) * (i->skeleton == CATC_GEMM_SM90 ? 1.0 : cost->waves) +
                  (i->skeleton == CATC_GEMM_SM90 && !in_turn ? busiest * CATC_SM90_TILE_CYCLES : 0.0);
    cost->dram = (dram_in + out) * w->cycles_per_dram_byte;
    cost->l2 =
        (tiles * steps * i->tile_k * (line_m / i->cluster_n + line_n / i->cluster_m) + out) * w->cycles_per_l2_byte;
    if (i->skeleton == CATC_GEMM_SM90) { /* zeros outside of the matrices are dearer than bytes of them */
        double const box = i->tile_m * size_m + i->tile_n * size_n;
        cost->l2 += tiles * steps * i->tile_k * (box - line_m - line_n) * CATC_TMA_FILL;
    }
    double const inner = catc_most_(cost->loop, catc_most_(cost->dram, cost->l2));
    cost->cycles =
        CATC_LAUNCH_CYCLES + inner + CATC_INNER_FRICTION * (cost->loop + cost->dram + cost->l2 - inner) + cost->edges;
    cost->blocks_per_sm = blocks;
    cost->useful = rows * columns * w->batch / (tiles * area);
    cost->limit = CATC_LAUNCH_CYCLES + cost->edges > inner ? CATC_LIMIT_EDGES
                  : inner == cost->dram                    ? CATC_LIMIT_DRAM
                  : inner == cost->l2                      ? CATC_LIMIT_L2
                                                           : catc_gemm_step_limit_(&step, full > 0 ? blocks : rest);
    return true;
}

#endif /* CATC_OPS_GEMM_MODEL_H */
