/* SPDX-License-Identifier: Apache-2.0
 *
 * unit/gemm_model.c: the cost model gives the numbers of docs/selection.md, follows what was measured of CUTLASS's kernels
 * on an H200, and moves the right way with the problem and the device. */
#define CATC_HOST_RUNTIME_ELSEWHERE
#define CATC_IMPLEMENTATION
#include "gemm/simple.h"

static struct catc_gemm_instance mma(int tile_m, int tile_n, int tile_k, int warp_m, int warp_n, int stages)
{
    struct catc_gemm_instance i;
    memset(&i, 0, sizeof i);
    i.skeleton = CATC_GEMM_SM80, i.schedule = CATC_MULTISTAGE;
    i.tile_m = tile_m, i.tile_n = tile_n, i.tile_k = tile_k;
    i.warp_m = warp_m, i.warp_n = warp_n;
    i.cluster_m = i.cluster_n = 1;
    i.stages = stages;
    i.threads = tile_m / warp_m * (tile_n / warp_n) * 32;
    i.regs_per_thread = 255;
    i.smem_bytes = stages * (tile_m + tile_n) * tile_k * 2;
    return i;
}

static struct catc_gemm_instance wgmma(int tile_m, int tile_n, enum catc_schedule schedule)
{
    struct catc_gemm_instance i = mma(tile_m, tile_n, 64, tile_m, tile_n, 4);
    i.skeleton = CATC_GEMM_SM90, i.schedule = schedule;
    i.cluster_m = 2;
    i.threads = 384, i.regs_per_thread = 168;
    return i;
}

static struct catc_gemm_cost cost_of(const struct catc_gemm_instance *i, const struct catc_gemm_args *args,
                                     const char *name)
{
    const struct catc_device *const device = catc_device_find(name);
    struct catc_gemm_problem problem;
    struct catc_gemm_cost cost;
    struct catc_text text = catc_text_last_();
    CHECK(catc_gemm_problem_(&problem, args, sizeof *args, &text) == CATC_OK);
    struct catc_gemm_workload const w = catc_gemm_workload_(&problem, device);
    CHECK(catc_gemm_cost_(&cost, &w, i, HUGE_VAL));
    /* both lower bounds stay below the cost, so that no limit above it drops the candidate */
    struct catc_gemm_cost again;
    CHECK(!catc_gemm_above_(&w, i, cost.cycles) && catc_gemm_cost_(&again, &w, i, cost.cycles));
    return cost;
}

static void example(void)
{
    struct catc_gemm_instance const i = mma(128, 256, 32, 64, 64, 4);
    struct catc_gemm_args const g = simple_fake(CATC_BF16, CATC_TN, 4096, 4096, 4096);
    struct catc_gemm_cost const cost = cost_of(&i, &g, "h200");
    CHECK(fabs(cost.cycles - 592199) < 1 && fabs(cost.loop - 544340) < 1 && fabs(cost.edges - 35375) < 1);
    CHECK(fabs(cost.dram - 82116) < 1 && fabs(cost.l2 - 267344) < 1);
    CHECK(cost.waves == 4 && cost.blocks_per_sm == 1 && cost.useful == 1 && cost.limit == CATC_LIMIT_MATH);
}

/* Microseconds on an H200 (driver 580, CUDA 13.0): CUTLASS 2.x for sm_80, CUTLASS 4.x for sm_90; bf16, tn. */
static void measured(void)
{
    struct catc_gemm_instance const large = mma(128, 256, 64, 64, 64, 3), square = mma(128, 128, 64, 64, 64, 3);
    struct catc_gemm_instance const cooperative = wgmma(128, 256, CATC_COOPERATIVE);
    struct catc_gemm_instance const pingpong = wgmma(128, 128, CATC_PINGPONG);
    const struct {
        const struct catc_gemm_instance *instance;
        int64_t m, n, k;
        double us;
    } rows[] = {{&large, 1024, 1024, 1024, 22.99},     {&large, 2048, 2048, 2048, 40.50},
                {&large, 4096, 4096, 4096, 288.44},    {&large, 8192, 8192, 8192, 2288.46},
                {&square, 1024, 1024, 1024, 16.37},    {&square, 4096, 4096, 4096, 297.72},
                {&cooperative, 128, 4096, 4096, 41.4}, {&cooperative, 2048, 2048, 2048, 24.96},
                {&pingpong, 1024, 1024, 1024, 8.86},   {&cooperative, 4096, 4096, 4096, 175.71},
                {&pingpong, 128, 4096, 4096, 23.85},   {&pingpong, 4096, 4096, 4096, 186.04}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        struct catc_gemm_args const g = simple_fake(CATC_BF16, CATC_TN, rows[r].m, rows[r].n, rows[r].k);
        double const ratio = cost_of(rows[r].instance, &g, "h200").cycles / 1830 / rows[r].us;
        if (!(ratio > 0.75 && ratio < 1.3)) {
            fprintf(stderr, "row %d: predicted %.2f of the measured time\n", (int)r, ratio);
            CHECK(false);
        }
    }
    /* the better tile of each pair, as measured */
    struct catc_gemm_args small = simple_fake(CATC_BF16, CATC_TN, 1024, 1024, 1024);
    struct catc_gemm_args big = simple_fake(CATC_BF16, CATC_TN, 8192, 8192, 8192);
    CHECK(cost_of(&square, &small, "h200").cycles < cost_of(&large, &small, "h200").cycles);
    CHECK(cost_of(&large, &big, "h200").cycles < cost_of(&square, &big, "h200").cycles);
    CHECK(cost_of(&pingpong, &small, "h200").cycles < cost_of(&cooperative, &small, "h200").cycles);
    CHECK(cost_of(&cooperative, &big, "h200").cycles < cost_of(&pingpong, &big, "h200").cycles);
}

/* Microseconds of the library's own kernels (bench/results/h200/llm_decode.json): few rows fill gemm_sm90's boxes with
 * zeros, which costs more than the bytes of a whole tile, and all blocks share that cost. */
static void few_rows(void)
{
    struct catc_gemm_instance narrow = wgmma(128, 64, CATC_COOPERATIVE), wide = wgmma(128, 256, CATC_COOPERATIVE);
    struct catc_gemm_instance swap = mma(128, 16, 64, 32, 16, 5);
    narrow.cluster_m = wide.cluster_m = 1;
    swap.swap = 1;
    const struct {
        const struct catc_gemm_instance *instance;
        int64_t m, n, k;
        double us;
    } rows[] = {{&narrow, 1, 4096, 4096, 35.1},  {&narrow, 128, 4096, 4096, 23.0}, {&narrow, 1, 28672, 4096, 223.9},
                {&wide, 128, 28672, 4096, 67.0}, {&swap, 1, 4096, 4096, 18.4},     {&swap, 1, 28672, 4096, 59.3}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        struct catc_gemm_args const g = simple_fake(CATC_BF16, CATC_TN, rows[r].m, rows[r].n, rows[r].k);
        double const ratio = cost_of(rows[r].instance, &g, "h200").cycles / 1830 / rows[r].us;
        if (!(ratio > 0.75 && ratio < 1.3)) {
            fprintf(stderr, "few rows, %d: predicted %.2f of the measured time\n", (int)r, ratio);
            CHECK(false);
        }
    }
}

/* Two consumers in turn: stores run beside products, as long as there are products. */
static void in_turn(void)
{
    struct catc_gemm_instance i = wgmma(128, 128, CATC_PINGPONG);
    double const store = 128.0 * 128 * 2 / 24, busiest = 8; /* of a tile; tiles: 32 x 32 on 132 multiprocessors */
    i.cluster_m = 1;
    for (int k = 0; k <= 4096; k = k ? 2 * k : 8) {
        struct catc_gemm_args g = simple_fake(CATC_BF16, CATC_TN, 4096, 4096, k);
        struct catc_gemm_cost const cost = cost_of(&i, &g, "h200");
        double const left = fmax(0, (busiest - 1) * store - cost.loop); /* start and first latency: 1300 to 2150 */
        CHECK(cost.edges > store + left + 1299 && cost.edges < store + left + 2151);
        CHECK(k != 4096 || left == 0);
    }
}

static void directions(void)
{
    struct catc_gemm_instance i = mma(128, 128, 32, 64, 64, 4), few = i, swap = mma(128, 32, 32, 32, 32, 4);
    struct catc_gemm_args g = simple_fake(CATC_BF16, CATC_TN, 4096, 4096, 4096), h = g;
    double const whole = cost_of(&i, &g, "h200").cycles;
    few.stages = 2; /* a block alone waits for its loads */
    h.m = h.n = 128;
    h.k = 1 << 16;
    CHECK(cost_of(&few, &h, "h200").cycles >= cost_of(&i, &h, "h200").cycles);
    CHECK(cost_of(&i, &h, "h200").limit == CATC_LIMIT_LATENCY);
    double before = whole; /* slower the less A's address divides */
    for (int bytes = 8; bytes >= 2; bytes /= 2) {
        h = g;
        h.a = (const char *)g.a + bytes;
        double const now = cost_of(&i, &h, "h200").cycles;
        CHECK(now > before);
        before = now;
    }
    h = g;
    h.d = (char *)g.d + 2;
    CHECK(cost_of(&i, &h, "h200").cycles > whole);
    h = g;
    h.k = 1;
    CHECK(cost_of(&i, &h, "h200").limit == CATC_LIMIT_EDGES || cost_of(&i, &h, "h200").limit == CATC_LIMIT_DRAM);
    /* 16 rows and many columns: the tile whose 32 side lies along the rows */
    h = simple_fake(CATC_BF16, CATC_TN, 16, 28672, 4096);
    double const along_m = cost_of(&swap, &h, "h200").cycles;
    swap.swap = 1;
    CHECK(cost_of(&swap, &h, "h200").cycles < along_m);
    /* the cycles of mma.sync are the same share of the tensor rate on sm_80, but not on sm_90 */
    CHECK(cost_of(&i, &g, "a100").loop < 1.3 * whole * (4096 * 0.61 / 2048) * (132.0 / 108));
    CHECK(cost_of(&i, &g, "h100").loop == cost_of(&i, &g, "h200").loop);
    h = g; /* fixed_m: whatever m is */
    h.fixed_m = 1;
    double const fixed = cost_of(&i, &h, "h200").cycles;
    h.m = 7;
    CHECK(cost_of(&i, &h, "h200").cycles == fixed && fixed == whole);
    h = g;
    h.k = 0;
    CHECK(cost_of(&i, &h, "h200").cycles > 0 && cost_of(&i, &h, "h200").loop == 0);
}

int main(void)
{
    example();
    measured();
    few_rows();
    in_turn();
    directions();
    return check_result();
}
