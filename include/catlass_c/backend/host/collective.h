/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/collective.h: operations that several threads do together. A part of backend/host/runtime.h.
 *
 * A lane that arrives leaves its operands in the warp; the last one computes for all and wakes them. Lanes of a warp
 * that wait in different operations, or at different lines, are diverged: the hardware's result would be undefined. */

static void catc_host_lane_arrives(struct catc_host *h, enum catc_host_op op, uint32_t operand, const char *site)
{
    struct catc_host_warp *w = &h->warp[h->current >> 5];
    if (!w->arrived) {
        w->op = op;
        w->site = site;
        w->operand = operand;
    } else if (w->op != op || (w->site != site && strcmp(w->site, site)) || w->operand != operand) {
        catc_host_fail(h, "divergence in warp %d: lane %d is in %s(%u) at %s while lane %d waits in %s(%u) at %s",
                       h->current >> 5, h->current & 31, catc_host_op_name(op), operand, site,
                       __builtin_ctz(w->arrived), catc_host_op_name(w->op), w->operand, w->site);
    }
    w->arrived |= 1u << (h->current & 31);
}

/* Refuses an operation of all 32 lanes in a warp that has lost some. */
static struct catc_host_warp *catc_host_whole_warp(struct catc_host *h, enum catc_host_op op, const char *site)
{
    struct catc_host_warp *w = &h->warp[h->current >> 5];
    if (w->alive != ~0u)
        catc_host_fail(h, "%s at %s needs all 32 lanes, but lane %d of warp %d %s", catc_host_op_name(op), site,
                       __builtin_ctz(~w->alive), h->current >> 5,
                       (h->current | 31) < h->threads ? "has exited" : "has exited or is not part of the block");
    return w;
}

static inline void catc_host_release_warp(struct catc_host *h, int warp)
{
    struct catc_host_warp *w = &h->warp[warp];
    catc_host_make_ready(h, warp, w->arrived);
    w->arrived = 0;
}

/* Waits until the last lane has arrived. Returns 1 in the last lane, which computes and then releases the warp. */
static inline int catc_host_gather_warp(struct catc_host *h, enum catc_host_op op, uint32_t operand, const char *site)
{
    struct catc_host_warp *w = &h->warp[h->current >> 5];
    catc_host_lane_arrives(h, op, operand, site);
    if (w->arrived == w->alive)
        return 1;
    catc_host_block_on(h, op, site, operand, 0);
    return 0;
}

CATC_API void catc_host_sync_warp(const char *site)
{
    struct catc_host *h = catc_host_tls;
    CATC_HOST_HOOK(sync, CATC_HOST_WARP_ARRIVE, NULL, 0, site);
    if (catc_host_gather_warp(h, CATC_HOST_OP_SYNC_WARP, 0, site)) {
        catc_host_release_warp(h, h->current >> 5);
        catc_host_woke_others(h);
    }
    CATC_HOST_HOOK(sync, CATC_HOST_WARP_LEAVE, NULL, 0, site);
}

CATC_API uint32_t catc_host_shuffle(uint32_t value, int source_lane, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_warp *w = catc_host_whole_warp(h, CATC_HOST_OP_SHUFFLE, site);
    const int lane = h->current & 31;
    CATC_HOST_HOOK(sync, CATC_HOST_WARP_ARRIVE, NULL, 0, site);
    w->value[lane] = value;
    w->source[lane] = (uint32_t)source_lane & 31;
    if (catc_host_gather_warp(h, CATC_HOST_OP_SHUFFLE, 0, site)) {
        for (int l = 0; l < 32; l++)
            w->extra[0][l] = w->value[w->source[l]];
        catc_host_release_warp(h, h->current >> 5);
        value = w->extra[0][lane]; /* before another lane may start the next shuffle */
        catc_host_woke_others(h);
        CATC_HOST_HOOK(sync, CATC_HOST_WARP_LEAVE, NULL, 0, site);
        return value;
    }
    CATC_HOST_HOOK(sync, CATC_HOST_WARP_LEAVE, NULL, 0, site);
    return w->extra[0][lane];
}

/* ---- barriers of the block ------------------------------------------------------------------------------------- */

static void catc_host_release_barrier(struct catc_host *h, struct catc_host_barrier *b)
{
    for (int w = 0; w < h->warps; w++) {
        catc_host_make_ready(h, w, b->waiting[w]);
        h->warp[w].arrived &= ~b->waiting[w];
        b->waiting[w] = 0;
    }
    b->arrived = b->expected = 0;
}

static void catc_host_arrive_and_wait(struct catc_host *h, enum catc_host_op op, uint32_t id, uint32_t threads,
                                      const char *site)
{
    struct catc_host_barrier *b = &h->barrier[id];
    CATC_HOST_HOOK(sync, CATC_HOST_BARRIER_ARRIVE, (const void *)(uintptr_t)id, threads, site);
    catc_host_lane_arrives(h, op, id, site);
    b->waiting[h->current >> 5] |= 1u << (h->current & 31);
    if (++b->arrived == (threads ? (int)threads : h->alive)) {
        catc_host_release_barrier(h, b);
        catc_host_woke_others(h);
    } else {
        catc_host_block_on(h, op, site, id, threads);
    }
    CATC_HOST_HOOK(sync, CATC_HOST_BARRIER_LEAVE, (const void *)(uintptr_t)id, threads, site);
}

CATC_API void catc_host_sync_block(const char *site)
{
    catc_host_arrive_and_wait(catc_host_tls, CATC_HOST_OP_SYNC_BLOCK, 0, 0, site);
}

CATC_API void catc_host_named_barrier(int id, int threads, const char *site)
{
    struct catc_host *h = catc_host_tls;
    if (id < 1 || id > 15)
        catc_host_fail(h, "CATC_NAMED_BARRIER at %s: id=%d must be 1 to 15", site, id);
    if (threads < 32 || threads % 32 || threads > h->threads)
        catc_host_fail(h, "CATC_NAMED_BARRIER(%d) at %s: threads=%d must be a multiple of 32, at most the block's %d",
                       id, site, threads, h->threads);
    struct catc_host_barrier *b = &h->barrier[id];
    if (b->arrived && b->expected != threads)
        catc_host_fail(h, "CATC_NAMED_BARRIER(%d, %d) at %s: %d threads already wait at this barrier for %d", id,
                       threads, site, b->arrived, b->expected);
    b->expected = threads;
    catc_host_arrive_and_wait(h, CATC_HOST_OP_NAMED_BARRIER, (uint32_t)id, (uint32_t)threads, site);
}

/* A thread has exited: barrier 0 and CATC_SYNC_WARP no longer wait for it. */
static void catc_host_barrier_exit(struct catc_host *h)
{
    struct catc_host_barrier *b = &h->barrier[0];
    if (h->alive && b->arrived == h->alive)
        catc_host_release_barrier(h, b);
    struct catc_host_warp *w = &h->warp[h->current >> 5];
    if (!w->arrived || w->op == CATC_HOST_OP_SYNC_BLOCK || w->op == CATC_HOST_OP_NAMED_BARRIER)
        return;
    if (w->op != CATC_HOST_OP_SYNC_WARP)
        catc_host_fail(h, "divergence in warp %d: lane %d exits while lane %d waits in %s at %s", h->current >> 5,
                       h->current & 31, __builtin_ctz(w->arrived), catc_host_op_name(w->op), w->site);
    if (w->arrived == w->alive)
        catc_host_release_warp(h, h->current >> 5);
}

/* ---- registers ------------------------------------------------------------------------------------------------- */

/* 9.7.20.5: the pool of a block is what the launch gave it, threads x the register count per thread at launch. With
 * launch bounds that is what fits 64 K registers, in steps of 8. */
static int catc_host_launch_registers(int threads)
{
    int registers = CATC_HOST_REGISTERS / ((threads + 31) / 32 * 32) / 8 * 8;
    return registers > 256 ? 256 : registers;
}

CATC_API void catc_host_setmaxnreg(int increase, int registers, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_warp *w = catc_host_whole_warp(h, CATC_HOST_OP_SETMAXNREG, site);
    const char *name = increase ? "CATC_SETMAXNREG_INC" : "CATC_SETMAXNREG_DEC";
    if (registers < 24 || registers > 256 || registers % 8)
        catc_host_fail(h, "%s at %s: registers=%d must be a multiple of 8 in 24 to 256", name, site, registers);
    if (increase ? registers < w->registers : registers > w->registers)
        catc_host_fail(h, "%s at %s: registers=%d must not be %s the %d that each thread has now", name, site,
                       registers, increase ? "below" : "above", w->registers);
    catc_host_lane_arrives(h, CATC_HOST_OP_SETMAXNREG, (uint32_t)registers, site);
    if (w->arrived != w->alive) {
        catc_host_block_on(h, CATC_HOST_OP_SETMAXNREG, site, (uint32_t)registers, 0);
        return;
    }
    /* The last lane waits for the registers on behalf of its warp, and looks again when a warp has given some back. */
    const int more = 32 * (registers - w->registers);
    while (more > h->registers_free) {
        w->last = h->current & 31;
        h->setmaxnreg_waiting |= 1u << (h->current >> 5);
        catc_host_block_on(h, CATC_HOST_OP_SETMAXNREG, site, (uint32_t)registers, 0);
    }
    h->registers_free -= more;
    w->registers = registers;
    catc_host_release_warp(h, h->current >> 5);
    if (more < 0) {
        for (int i = 0; i < h->warps; i++)
            if (h->setmaxnreg_waiting >> i & 1)
                catc_host_make_ready(h, i, 1u << h->warp[i].last);
        h->setmaxnreg_waiting = 0;
    }
    catc_host_woke_others(h);
}

/* ---- stmatrix -------------------------------------------------------------------------------------------------- */

CATC_API void catc_host_stmatrix_x4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3, int trans,
                                    const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_warp *w = catc_host_whole_warp(h, CATC_HOST_OP_STMATRIX, site);
    const int lane = h->current & 31;
    if (address % 16)
        catc_host_fail(h, "CATC_STMATRIX_X4 at %s: row address 0x%x must be a multiple of 16", site, address);
    unsigned char *row = catc_host_smem(h, address, 16, "CATC_STMATRIX_X4", site);
    CATC_HOST_HOOK(write, row, 16, site);
    w->row[lane] = row;
    w->value[lane] = r0;
    w->extra[0][lane] = r1;
    w->extra[1][lane] = r2;
    w->extra[2][lane] = r3;
    if (!catc_host_gather_warp(h, CATC_HOST_OP_STMATRIX, (uint32_t)trans, site))
        return;
    for (int l = 0; l < 32; l++) {
        const uint32_t *matrix = l < 8 ? w->value : w->extra[l / 8 - 1];
        if (!trans) {
            memcpy(w->row[l], matrix + l % 8 * 4, 16);
            continue;
        }
        for (int i = 0; i < 8; i++) { /* element l % 8 of row i of the matrix, in lane 4 i + l % 8 / 2 */
            const uint16_t element = (uint16_t)(matrix[4 * i + l % 8 / 2] >> l % 2 * 16);
            memcpy(w->row[l] + 2 * i, &element, 2);
        }
    }
    catc_host_release_warp(h, h->current >> 5);
    catc_host_woke_others(h);
}
