/* SPDX-License-Identifier: Apache-2.0
 *
 * ops/gemm_model.h: cost model, version 1: what an instance should take on a device, from tile quantisation, waves and
 * bytes. An ordering of instances, not a prediction of time. Implementation only. */
#ifndef CATC_OPS_GEMM_MODEL_H
#define CATC_OPS_GEMM_MODEL_H

#include "catlass_c/ops/gemm_check.h"

struct catc_gemm_cost {
    double cycles;        /* of the busiest multiprocessor: the larger of the two below, plus fill and store */
    double math_cycles;   /* all tiles of that multiprocessor at the unit's rate */
    double memory_cycles; /* L2 traffic of that multiprocessor, or its share of device memory, whichever is larger */
    int64_t tiles;
    int64_t waves; /* tiles of the busiest multiprocessor over the blocks it can hold */
    int blocks_per_sm;
    double useful; /* share of the computed elements that lie inside D */
};

enum {
    CATC_L2_BYTES_PER_CLOCK = 64, /* L2 to one multiprocessor (facts: DeepGEMM's model of Hopper) */
    CATC_FILL_CYCLES = 1500,      /* first byte from device memory */
    CATC_LAUNCH_CYCLES = 3000,
    CATC_NOMINAL_M = 4096 /* rows that fixed_m is judged by: the choice must not depend on m */
};

static int catc_min_int_(int a, int b)
{
    return a < b ? a : b;
}

static struct catc_gemm_cost catc_gemm_cost_(const struct catc_gemm_instance *i, const struct catc_gemm_args *g,
                                             const struct catc_device *device)
{
    struct catc_gemm_cost cost;
    int64_t const nominal_m = g->fixed_m ? (int64_t)CATC_NOMINAL_M : g->m;
    int64_t const m = i->swap ? g->n : nominal_m, n = i->swap ? nominal_m : g->n;
    int64_t const tiles_m = catc_ceil_div_(m, i->tile_m), tiles_n = catc_ceil_div_(n, i->tile_n);
    double const k = (double)(catc_ceil_div_(g->k, i->tile_k) * i->tile_k);
    double const size_a = (double)catc_type_size(g->type_a), size_b = (double)catc_type_size(g->type_b);
    double const size_d = (double)catc_type_size(g->type_d);
    double const area = (double)i->tile_m * i->tile_n;
    int const warps = i->threads / 32;

    cost.tiles = tiles_m * tiles_n * (g->batch > 0 ? g->batch : 1);
    cost.useful = (double)m * (double)n / ((double)tiles_m * tiles_n * area);
    cost.blocks_per_sm = catc_min_int_(device->threads_per_sm / i->threads,
                                       catc_min_int_(device->regs_per_sm / (i->threads * i->regs_per_thread),
                                                     device->smem_per_sm / (i->smem_bytes + 1024)));
    cost.blocks_per_sm = cost.blocks_per_sm < 1 ? 1 : cost.blocks_per_sm;
    int64_t const busiest = catc_ceil_div_(cost.tiles, device->sms);
    cost.waves = catc_ceil_div_(busiest, cost.blocks_per_sm);

    /* a multiprocessor needs about 8 warps with independent work to keep its fp32 units busy; a warp-specialised tile
     * saturates the tensor core by itself */
    int64_t const resident = busiest < cost.blocks_per_sm ? busiest : cost.blocks_per_sm;
    double const busy = i->schedule == CATC_SIMT && resident * warps < 8 ? (double)(resident * warps) / 8.0 : 1.0;
    double const rate = i->schedule == CATC_SIMT ? device->fp32_flop_clk_sm : device->tensor_flop_clk_sm;
    /* shared-memory loads per multiply-add cost issue slots: 2 * thread_m * thread_n flops for thread_m + thread_n words */
    double const issue = i->schedule == CATC_SIMT && i->thread_m > 0
                             ? 1.0 + (double)(i->thread_m + i->thread_n) / (4.0 * i->thread_m * i->thread_n) * 2.0
                             : 1.0;
    cost.math_cycles = (double)busiest * 2.0 * area * k / rate * issue / busy;

    double const tile_bytes =
        k * (i->tile_m * (i->swap ? size_b : size_a) + i->tile_n * (i->swap ? size_a : size_b)) + area * size_d;
    double const l2 = (double)busiest * tile_bytes / (double)CATC_L2_BYTES_PER_CLOCK;
    double const unique = (double)(g->batch > 0 ? g->batch : 1) *
                          ((double)m * k * size_a + (double)n * k * size_b + (double)m * (double)n * size_d);
    double const dram = unique / (device->dram_gbs * 1e3 / device->clock_mhz); /* bytes per clock of the whole GPU */
    cost.memory_cycles = l2 > dram ? l2 : dram;

    double const inner = cost.math_cycles > cost.memory_cycles ? cost.math_cycles : cost.memory_cycles;
    double const edges =
        (double)cost.waves * ((double)CATC_FILL_CYCLES + area * size_d / (double)CATC_L2_BYTES_PER_CLOCK);
    cost.cycles = (double)CATC_LAUNCH_CYCLES + inner + edges;
    return cost;
}

#endif /* CATC_OPS_GEMM_MODEL_H */
