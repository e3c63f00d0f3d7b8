/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/async.h: cp.async (PTX ISA 9.7.9.25.3). A part of backend/host/runtime.h.
 *
 * Each thread has a ring of copies in the order of issue; its groups end at copies_committed. A copy fills its target
 * with NaN when it is issued. Global memory is read, and the target written, in the wait that covers the copy's group
 * (late), when it is issued (early), or at either of these or while any thread yields (random). A target that is not
 * NaN any more when the copy lands was written in the meantime. */

static void catc_host_cp_async_reset(struct catc_host *h)
{
    h->fetching = NULL;
    for (int t = 0; t < h->threads; t++)
        h->fibre[t].copies_head = h->fibre[t].copies_tail = h->fibre[t].copies_committed = 0;
}

static void catc_host_cp_async_free(struct catc_host *h)
{
    for (int t = 0; t < CATC_HOST_THREADS_MAX; t++)
        free(h->fibre[t].copies);
}

static void catc_host_cp_async_lands(struct catc_host *h, struct catc_host_cp_async *c, int thread)
{
    unsigned char *target = h->arena + c->dst;
    if (c->landed)
        return;
    c->landed = 1;
    for (int i = 0; i < c->size; i += 4) {
        uint32_t word;
        memcpy(&word, target + i, 4);
        if (word != 0xffffffffu)
            catc_host_fail(h,
                           "shared address 0x%x was written, by a store or another copy, while the cp.async that "
                           "thread %d issued at %s was in flight",
                           c->dst + (uint32_t)i + CATC_HOST_SMEM_BASE, thread, c->site);
    }
    h->fetching_for = thread;
    h->fetching = c;
    if (c->bytes == 16) {
        memcpy(target, c->src, 16);
    } else {
        memcpy(target, c->src, c->bytes);
        memset(target + c->bytes, 0, (size_t)(c->size - c->bytes));
    }
    h->fetching = NULL;
    CATC_HOST_HOOK(async, CATC_HOST_CP_ASYNC_LANDED, target, c->size, c->src, c->site);
}

static void catc_host_cp_async_drift(struct catc_host *h)
{
    const int t = (int)(catc_host_random(h) % (uint32_t)h->threads);
    struct catc_host_fibre *f = &h->fibre[t];
    const uint32_t pending = f->copies_tail - f->copies_head;
    if (pending)
        catc_host_cp_async_lands(h, &f->copies[(f->copies_head + catc_host_random(h) % pending) & (f->copies_room - 1)],
                                 t);
}

static void catc_host_cp_async_grow(struct catc_host *h, struct catc_host_fibre *f, const char *site)
{
    const uint32_t room = f->copies_room ? 2 * f->copies_room : 64;
    struct catc_host_cp_async *grown = (struct catc_host_cp_async *)malloc(room * sizeof *grown);
    if (!grown)
        catc_host_fail(h, "no memory for another copy in flight, issued at %s", site);
    for (uint32_t i = f->copies_head; i != f->copies_tail; i++)
        grown[i & (room - 1)] = f->copies[i & (f->copies_room - 1)];
    free(f->copies);
    f->copies = grown;
    f->copies_room = room;
}

CATC_API void catc_host_cp_async(uint32_t dst, const void *src, int size, int bytes, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_fibre *f = catc_host_fibre(h);
    if (size != 4 && size != 8 && size != 16)
        catc_host_fail(h, "cp.async at %s: size=%d must be 4, 8 or 16", site, size);
    if (bytes < 0 || bytes > size)
        catc_host_fail(h, "cp.async at %s: n=%d must be 0 to %d", site, bytes, size);
    if (dst % (uint32_t)size)
        catc_host_fail(h, "cp.async at %s: shared address 0x%x must be a multiple of %d", site, dst, size);
    if ((uintptr_t)src % (uintptr_t)size)
        catc_host_fail(h, "cp.async at %s: global address %p must be a multiple of %d", site, src, size);
    unsigned char *target = catc_host_smem(h, dst, (uint32_t)size, "cp.async", site);
    if (f->copies_tail - f->copies_head == f->copies_room)
        catc_host_cp_async_grow(h, f, site);
    struct catc_host_cp_async *c = &f->copies[f->copies_tail++ & (f->copies_room - 1)];
    c->src = (const unsigned char *)src;
    c->site = site;
    c->dst = dst - CATC_HOST_SMEM_BASE;
    c->group = f->copies_committed;
    c->size = (uint8_t)size;
    c->bytes = (uint8_t)bytes;
    c->landed = 0;
    CATC_HOST_HOOK(async, CATC_HOST_CP_ASYNC_ISSUED, target, (size_t)size, src, site);
    memset(target, 0xff, (size_t)size);
    if (h->landing == CATC_HOST_EARLY || (h->landing == CATC_HOST_ANY_TIME && (catc_host_random(h) & 3) == 0))
        catc_host_cp_async_lands(h, c, h->current);
}

CATC_API void catc_host_cp_async_commit(const char *site)
{
    struct catc_host *h = catc_host_tls;
    catc_host_fibre(h)->copies_committed++;
    (void)site;
    CATC_HOST_HOOK(sync, CATC_HOST_CP_ASYNC_COMMIT, NULL, catc_host_fibre(h)->copies_committed, site);
}

CATC_API void catc_host_cp_async_wait(int pending, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_fibre *f = catc_host_fibre(h);
    if (pending < 0)
        catc_host_fail(h, "CATC_CP_ASYNC_WAIT at %s: n=%d must be at least 0", site, pending);
    const uint32_t committed = f->copies_committed;
    const uint32_t done = committed > (uint32_t)pending ? committed - (uint32_t)pending : 0;
    if (h->schedule == CATC_HOST_RANDOM)
        catc_host_yield(h); /* a thread that waits lets others run before its copies land */
    while (f->copies_head != f->copies_tail) {
        struct catc_host_cp_async *c = &f->copies[f->copies_head & (f->copies_room - 1)];
        if (c->group >= done)
            break;
        catc_host_cp_async_lands(h, c, h->current);
        f->copies_head++;
    }
    CATC_HOST_HOOK(sync, CATC_HOST_CP_ASYNC_WAITED, NULL, done, site);
}

static void catc_host_cp_async_exit(struct catc_host *h)
{
    struct catc_host_fibre *f = catc_host_fibre(h);
    if (f->copies_head == f->copies_tail)
        return;
    const struct catc_host_cp_async *c = &f->copies[f->copies_head & (f->copies_room - 1)];
    catc_host_fail(h, "the thread ends while its cp.async issued at %s is in flight; %s", c->site,
                   c->group < f->copies_committed ? "its group was not waited for" : "it was not committed");
}
