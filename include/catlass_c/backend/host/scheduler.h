/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/scheduler.h: which thread runs next. A part of backend/host/runtime.h.
 *
 * A blocked thread leaves its warp's `ready` mask. The next one is found in constant time: another lane of the same
 * warp, else the next warp that has one; reversed or drawn at random under the other policies. When no thread can run,
 * one asynchronous copy lands; when there is none either, the block is deadlocked. */

static int catc_host_land_one(struct catc_host *h);        /* tma.h; 0: nothing pending */
static void catc_host_cp_async_drift(struct catc_host *h); /* async.h: lets one land, if there is one */
static void catc_host_cp_async_exit(struct catc_host *h);
static void catc_host_block_check(struct catc_host *h);  /* grid.h: what must not be left over at the end of a block */
static void catc_host_barrier_exit(struct catc_host *h); /* collective.h */

static inline uint32_t catc_host_random(struct catc_host *h)
{
    h->random ^= h->random << 13;
    h->random ^= h->random >> 7;
    h->random ^= h->random << 17;
    return (uint32_t)(h->random >> 32);
}

/* Of the set bits of `mask` (not 0), the first after `at` in the direction of the policy, cyclically. */
static inline int catc_host_pick_bit(struct catc_host *h, uint32_t mask, int at)
{
    if (h->schedule == CATC_HOST_ROUNDROBIN) {
        uint32_t above = at >= 31 ? 0 : mask & (~0u << (at + 1));
        return __builtin_ctz(above ? above : mask);
    }
    if (h->schedule == CATC_HOST_REVERSE) {
        uint32_t below = mask & ((1u << at) - 1);
        return 31 - __builtin_clz(below ? below : mask);
    }
    int turn = (int)(catc_host_random(h) & 31);
    uint32_t turned = turn ? mask >> turn | mask << (32 - turn) : mask;
    return (__builtin_ctz(turned) + turn) & 31;
}

/* The next thread, or -1. */
static inline int catc_host_pick(struct catc_host *h)
{
    int w = h->current >> 5;
    if (!h->ready_warps)
        return -1;
    if (h->schedule == CATC_HOST_RANDOM || !h->warp[w].ready)
        w = catc_host_pick_bit(h, h->ready_warps, w);
    return w * 32 + catc_host_pick_bit(h, h->warp[w].ready, h->current & 31);
}

static inline void catc_host_make_ready(struct catc_host *h, int w, uint32_t lanes)
{
    if (lanes) {
        h->warp[w].ready |= lanes;
        h->ready_warps |= 1u << w;
    }
}

static inline void catc_host_unready(struct catc_host *h)
{
    int w = h->current >> 5;
    h->warp[w].ready &= ~(1u << (h->current & 31));
    if (!h->warp[w].ready)
        h->ready_warps &= ~(1u << w);
}

static inline void catc_host_switch_to(struct catc_host *h, int next)
{
    struct catc_host_fibre *from = catc_host_fibre(h), *to = &h->fibre[next];
    h->current = next;
    catc_host_self = &to->lane;
    catc_host_context_switch(h, &from->context, &to->context, to->stack, CATC_HOST_STACK);
}

/* Lets another thread run; returns when this one is picked. It is in its ready mask, or somebody who wakes it knows. */
static void catc_host_yield(struct catc_host *h)
{
    int next;
    if (h->landing == CATC_HOST_ANY_TIME && (catc_host_random(h) & 3) == 0) {
        catc_host_land_one(h);
        catc_host_cp_async_drift(h);
    }
    while ((next = catc_host_pick(h)) < 0)
        if (!catc_host_land_one(h))
            catc_host_deadlock(h);
    if (next != h->current)
        catc_host_switch_to(h, next);
}

/* Blocks until woken. The caller has put the thread where the waker finds it. */
static inline void catc_host_block_on(struct catc_host *h, enum catc_host_op op, const char *site, uint32_t a,
                                      uint32_t b)
{
    struct catc_host_fibre *f = catc_host_fibre(h);
    f->op = op;
    f->site = site;
    f->a = a;
    f->b = b;
    catc_host_unready(h);
    catc_host_yield(h);
    f->op = CATC_HOST_OP_RUN;
}

/* After a thread completed what others wait for: under the random policy any of them may go first. */
static inline void catc_host_woke_others(struct catc_host *h)
{
    if (h->schedule == CATC_HOST_RANDOM)
        catc_host_yield(h);
}

static void catc_host_to_main(struct catc_host *h)
{
    catc_host_context_switch(h, &catc_host_fibre(h)->context, &h->main, h->main_stack, h->main_stack_size);
}

static void catc_host_leave_failed(struct catc_host *h)
{
    h->failed = 1;
    catc_host_to_main(h);
    abort(); /* an abandoned fibre is never resumed */
}

/* What every fibre does, block after block. */
static void catc_host_thread_main(struct catc_host *h)
{
    for (;;) {
        catc_host_fibre(h)->stores_committed = 0;
        catc_host_fibre(h)->fence_site = NULL;
        catc_host_fibre(h)->fenced = 0;
        h->kernel(h->launch->params);
        catc_host_cp_async_exit(h);
        struct catc_host_warp *w = &h->warp[h->current >> 5];
        w->alive &= ~(1u << (h->current & 31));
        h->alive--;
        catc_host_barrier_exit(h);
        if (h->alive == 0) {
            catc_host_block_check(h);
            catc_host_to_main(h);
        } else {
            catc_host_unready(h);
            catc_host_yield(h);
        }
    }
}
