/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/wgmma.h: warpgroup matrix multiplies (PTX ISA 9.7.15). A part of backend/host/runtime.h.
 *
 * A multiply is put into the warpgroup's queue by the first of its 128 threads to issue it and compared by the others.
 * Each thread's accumulators move into a 64 x n panel at their first multiply, NaN stays in their place, and come back
 * in the wait that releases them. Shared memory is read and the sum is made in the first wait that covers the group:
 * as late as the program allows. A thread that waits blocks only while others have not issued. */

enum { CATC_HOST_PANEL_K = 16 }; /* k of one multiply: 32 bytes */

static void catc_host_wgmma_reset(struct catc_host *h)
{
    for (uint32_t used = h->warpgroups_used; used; used &= used - 1) {
        struct catc_host_warpgroup *wg = &h->warpgroup[__builtin_ctz(used)];
        wg->head = wg->tail = wg->complete = wg->groups = 0;
        memset(wg->issued, 0, sizeof wg->issued);
        memset(wg->committed, 0, sizeof wg->committed);
        memset(wg->waiting, 0, sizeof wg->waiting);
        for (int i = 0; i < CATC_HOST_ACCUMULATORS; i++)
            wg->acc[i].n = 0;
    }
    h->warpgroups_used = 0;
}

static void catc_host_wgmma_free(struct catc_host *h)
{
    if (h->warpgroup)
        for (int i = 0; i < CATC_HOST_WARPGROUPS_MAX; i++)
            for (int j = 0; j < CATC_HOST_ACCUMULATORS; j++)
                free(h->warpgroup[i].acc[j].panel);
    free(h->warpgroup);
    free(h->panels);
}

static void catc_host_wgmma_check(struct catc_host *h)
{
    for (uint32_t used = h->warpgroups_used; used; used &= used - 1) {
        const int i = __builtin_ctz(used);
        const struct catc_host_warpgroup *wg = &h->warpgroup[i];
        if (wg->head != wg->tail)
            catc_host_fail(h, "the block ends while a wgmma of warpgroup %d, after the fence at %s, was not waited for",
                           i, wg->queue[wg->head % CATC_HOST_MULTIPLIES].site);
        for (int j = 0; j < CATC_HOST_ACCUMULATORS; j++)
            if (wg->acc[j].n)
                catc_host_fail(h,
                               "the block ends while accumulators of warpgroup %d were not released: no "
                               "CATC_WGMMA_WAIT has named them",
                               i);
    }
}

static struct catc_host_warpgroup *catc_host_my_warpgroup(struct catc_host *h, const char *what)
{
    const int i = h->current / 128;
    if (h->threads < (i + 1) * 128)
        catc_host_fail(h, "%s: thread %d is not in a whole warpgroup of the block's %d threads", what, h->current,
                       h->threads);
    if (!h->warpgroup) {
        h->warpgroup = (struct catc_host_warpgroup *)calloc(CATC_HOST_WARPGROUPS_MAX, sizeof *h->warpgroup);
        h->panels = (float *)malloc((64 + 256) * CATC_HOST_PANEL_K * sizeof(float));
        if (!h->warpgroup || !h->panels)
            catc_host_fail(h, "%s: no memory for the warpgroups' queues", what);
    }
    h->warpgroups_used |= 1u << i;
    return &h->warpgroup[i];
}

/* ---- registers and panels -------------------------------------------------------------------------------------- */

/* Thread l's value d[4 j + 2 g + c] is at row 16 (l / 32) + l % 32 / 4 + 8 g, column 8 j + 2 (l % 4) + c. */
static inline float *catc_host_fragment(const struct catc_host_accumulator *acc, int l, int g)
{
    return acc->panel + (size_t)(16 * (l / 32) + l % 32 / 4 + 8 * g) * (size_t)acc->n + 2 * (l % 4);
}

static void catc_host_acc_take(struct catc_host_accumulator *acc, int l, float *registers, int wanted)
{
    if (wanted) {
        for (int g = 0; g < 2; g++) {
            float *to = catc_host_fragment(acc, l, g);
            for (int j = 0; j < acc->n / 8; j++) {
                to[8 * j] = registers[4 * j + 2 * g];
                to[8 * j + 1] = registers[4 * j + 2 * g + 1];
            }
        }
    }
    memset(registers, 0xff, (size_t)acc->n / 2 * sizeof(float));
    acc->owner[l] = registers;
    acc->lanes[l / 32] |= 1u << l % 32;
    acc->left++;
}

static void catc_host_acc_give(struct catc_host *h, struct catc_host_accumulator *acc, int l, const char *site)
{
    float *registers = acc->owner[l];
    for (int i = 0; i < acc->n / 2; i++)
        if (catc_f32_bits(registers[i]) != 0xffffffffu)
            catc_host_fail(h, "accumulator %d was written while a wgmma on it was pending; the wait is at %s", i, site);
    for (int g = 0; g < 2; g++) {
        const float *from = catc_host_fragment(acc, l, g);
        for (int j = 0; j < acc->n / 8; j++) {
            registers[4 * j + 2 * g] = from[8 * j];
            registers[4 * j + 2 * g + 1] = from[8 * j + 1];
        }
    }
    acc->lanes[l / 32] &= ~(1u << l % 32);
    catc_host_fibre(h)->fenced = 0;
    if (--acc->left == 0 && acc->pending == 0)
        acc->n = 0;
}

/* ---- operands -------------------------------------------------------------------------------------------------- */

struct catc_host_descriptor {
    uint32_t start, lbo, sbo, span; /* bytes; span 0: no swizzle */
};

static struct catc_host_descriptor catc_host_descriptor(uint64_t bits)
{
    static const uint32_t span[4] = {0, 128, 64, 32};
    struct catc_host_descriptor d;
    d.start = (uint32_t)(bits & 0x3fff) << 4;
    d.lbo = (uint32_t)(bits >> 16 & 0x3fff) << 4;
    d.sbo = (uint32_t)(bits >> 32 & 0x3fff) << 4;
    d.span = span[bits >> 62];
    return d;
}

static inline void catc_host_widen(float *out, const unsigned char *chunk, int type)
{
    uint16_t half[8];
    if (type == CATC_F32) {
        uint32_t word[4];
        memcpy(word, chunk, 16);
        for (int i = 0; i < 4; i++)
            out[i] = catc_f32_from_bits(word[i] & 0xffffe000u); /* tf32: the hardware drops the low 13 bits */
        return;
    }
    memcpy(half, chunk, 16);
    if (type == CATC_BF16) {
        for (int i = 0; i < 8; i++)
            out[i] = catc_f32_from_bf16(half[i]);
    } else {
        for (int i = 0; i < 8; i++)
            out[i] = catc_f32_from_f16(half[i]);
    }
}

/* Reads the `rows` x 32 bytes of K of one operand into panel[k][row] as fp32. A 16-byte chunk is never split by the
 * layouts, so the address is made once per chunk: along K for K-major operands, along rows for the others. `event` is
 * what the checker is told of every chunk. */
static void catc_host_operand(struct catc_host *h, float *panel, int rows, uint64_t bits, int type, int transposed,
                              enum catc_host_event event, const char *site)
{
    const struct catc_host_descriptor d = catc_host_descriptor(bits);
    const uint32_t limit = (uint32_t)h->smem_bytes - 16, span = d.span ? d.span : 16;
    const int per_chunk = type == CATC_F32 ? 4 : 8, chunks = transposed ? rows / 8 : rows * 2, ks = 2 * per_chunk;
    const int steps = transposed ? ks : 1;
    float wide[8];
    for (int i = 0; i < chunks; i++) {
        for (int k = 0; k < steps; k++) {
            uint32_t address;
            if (!transposed) {
                const uint32_t row = (uint32_t)i >> 1, half = (uint32_t)i & 1;
                address = d.start + (row >> 3) * d.sbo + (row & 7) * span + half * (d.span ? 16 : d.lbo);
            } else {
                /* Strips of `span` bytes of rows; eight k make an atom. Without a swizzle the two offsets change
                 * places. */
                const uint32_t byte = (uint32_t)i * 16, strip = byte / span, group = (uint32_t)k >> 3;
                address = d.start + strip * (d.span ? d.lbo : d.sbo) + group * (d.span ? d.sbo : d.lbo) +
                          ((uint32_t)k & 7) * span + byte % span;
            }
            if (d.span)
                address = catc_host_swizzle(address, d.span);
            if (address - CATC_HOST_SMEM_BASE > limit)
                catc_host_fail(
                    h,
                    "wgmma after the fence at %s: descriptor 0x%llx reaches shared address 0x%x, outside the "
                    "block's %d bytes at 0x%x",
                    site, (unsigned long long)bits, address, h->smem_bytes, CATC_HOST_SMEM_BASE);
            const unsigned char *chunk = h->arena + (address - CATC_HOST_SMEM_BASE);
            CATC_HOST_HOOK(async, event, chunk, 16, NULL, site);
            if (!transposed) {
                catc_host_widen(wide, chunk, type);
                for (int j = 0; j < per_chunk; j++)
                    panel[((i & 1) * per_chunk + j) * rows + (i >> 1)] = wide[j];
            } else {
                catc_host_widen(panel + k * rows + 8 * i, chunk, type);
            }
        }
    }
}

static void catc_host_operands(struct catc_host *h, const struct catc_host_multiply *m, enum catc_host_event event)
{
    catc_host_operand(h, h->panels, 64, m->desc_a, m->type, m->trans_a, event, m->site);
    catc_host_operand(h, h->panels + 64 * CATC_HOST_PANEL_K, m->n, m->desc_b, m->type, m->trans_b, event, m->site);
}

static void catc_host_multiply(struct catc_host *h, struct catc_host_multiply *m)
{
    float *a = h->panels, *b = a + 64 * CATC_HOST_PANEL_K;
    struct catc_host_accumulator *acc = m->acc;
    catc_host_operands(h, m, CATC_HOST_WGMMA_READ);
    if (!m->scale_d)
        memset(acc->panel, 0, 64 * (size_t)m->n * sizeof(float));
    catc_host_multiply_panels(acc->panel, a, b, 64, m->n, m->type == CATC_F32 ? 8 : 16);
    if (--acc->pending == 0 && acc->left == 0)
        acc->n = 0;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

/* The first thread to issue: checks the instruction and finds or makes its accumulator. */
static void catc_host_multiply_begin(struct catc_host *h, struct catc_host_warpgroup *wg, struct catc_host_multiply *m,
                                     float *acc, int l)
{
    const char *site = m->site;
    const int n = m->n;
    if (n < 8 || n > 256 || n % 8)
        catc_host_fail(h, "wgmma after the fence at %s: n=%d must be a multiple of 8 in 8 to 256", site, n);
    if (m->type != CATC_BF16 && m->type != CATC_F16 && m->type != CATC_F32)
        catc_host_fail(h, "wgmma after the fence at %s: type=%d must be bf16, f16 or f32 (as tf32)", site, m->type);
    if (m->type == CATC_F32 && (m->trans_a || m->trans_b))
        catc_host_fail(h, "wgmma after the fence at %s: tf32 operands must be K-major", site);
    if ((m->desc_a | m->desc_b) >> 49 & 7)
        catc_host_fail(
            h,
            "wgmma after the fence at %s: the descriptors' base offset must be 0: start tiles on a multiple of 8 rows",
            site);
    struct catc_host_accumulator *slot = NULL;
    for (int i = 0; i < CATC_HOST_ACCUMULATORS; i++) {
        struct catc_host_accumulator *s = &wg->acc[i];
        if (s->n && (s->lanes[l / 32] >> l % 32 & 1) && s->owner[l] < acc + n / 2 && acc < s->owner[l] + s->n / 2) {
            if (s->owner[l] != acc || s->n != n)
                catc_host_fail(h,
                               "wgmma after the fence at %s: its accumulators overlap those of a pending wgmma of n=%d",
                               site, s->n);
            m->acc = s;
            return;
        }
        if (!s->n && !slot)
            slot = s;
    }
    if (!slot)
        catc_host_fail(h, "wgmma after the fence at %s: a warpgroup has at most %d accumulators in flight", site,
                       CATC_HOST_ACCUMULATORS);
    if (!slot->panel)
        slot->panel = (float *)malloc(64 * 256 * sizeof(float));
    if (!slot->panel)
        catc_host_fail(h, "wgmma after the fence at %s: no memory for the accumulators", site);
    slot->n = n;
    slot->left = slot->pending = 0;
    memset(slot->lanes, 0, sizeof slot->lanes);
    m->acc = slot;
}

CATC_API void catc_host_wgmma(float *acc, int n, int type, uint64_t desc_a, uint64_t desc_b, int scale_d, int trans_a,
                              int trans_b, int line)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_fibre *f = catc_host_fibre(h);
    struct catc_host_warpgroup *wg = catc_host_my_warpgroup(h, "wgmma");
    /* The instruction is inside a function of a header; the fence before it tells more of where it is. */
    const char *site = f->fence_site ? f->fence_site : "(none)";
    const int l = h->current % 128;
    const uint32_t q = wg->issued[l]++;
    struct catc_host_multiply *m = &wg->queue[q % CATC_HOST_MULTIPLIES], mine;
    if (q - wg->head >= CATC_HOST_MULTIPLIES)
        catc_host_fail(h, "wgmma after the fence at %s: more than %d multiplies without a wait", site,
                       CATC_HOST_MULTIPLIES);
    memset(&mine, 0, sizeof mine);
    mine.desc_a = desc_a;
    mine.desc_b = desc_b;
    mine.n = n;
    mine.type = type;
    mine.scale_d = scale_d != 0;
    mine.trans_a = trans_a != 0;
    mine.trans_b = trans_b != 0;
    mine.line = line;
    mine.site = site;
    if (q == wg->tail) {
        *m = mine;
        catc_host_multiply_begin(h, wg, m, acc, l);
        m->acc->pending++;
        wg->tail++;
        if (catc_host_hooks_set && catc_host_hooks_set->async)
            catc_host_operands(h, m, CATC_HOST_WGMMA_ISSUED);
    } else if (m->desc_a != mine.desc_a || m->desc_b != mine.desc_b || m->n != n || m->type != type ||
               m->scale_d != mine.scale_d || m->trans_a != mine.trans_a || m->trans_b != mine.trans_b ||
               m->line != line) {
        catc_host_fail(
            h,
            "wgmma after the fence at %s: the threads of warpgroup %d differ: n %d descriptors 0x%llx 0x%llx "
            "scale_d %d, but n %d descriptors 0x%llx 0x%llx scale_d %d, after the fence at %s, in another thread",
            site, h->current / 128, n, (unsigned long long)desc_a, (unsigned long long)desc_b, mine.scale_d, m->n,
            (unsigned long long)m->desc_a, (unsigned long long)m->desc_b, m->scale_d, m->site);
    }
    struct catc_host_accumulator *slot = m->acc;
    if (!(slot->lanes[l / 32] >> l % 32 & 1)) {
        if (!f->fenced)
            catc_host_fail(h,
                           "wgmma after the fence at %s: no catc_wgmma_fence since this thread could last write its "
                           "accumulators",
                           site);
        catc_host_acc_take(slot, l, acc, m->scale_d);
    } else if (slot->owner[l] != acc) {
        catc_host_fail(h, "wgmma after the fence at %s: the threads of warpgroup %d use different accumulators", site,
                       h->current / 128);
    }
    if (++m->issued == 128) {
        wg->complete = q + 1;
        for (int i = 0; i < 4; i++) {
            catc_host_make_ready(h, h->current / 128 * 4 + i, wg->waiting[i]);
            wg->waiting[i] = 0;
        }
    }
}

CATC_API void catc_host_fence(int fence, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_fibre *f = catc_host_fibre(h);
    enum catc_host_event event = CATC_HOST_FENCE_PROXY_ASYNC;
    if (fence == CATC_HOST_FENCE_OF_MBAR_INIT)
        event = CATC_HOST_FENCE_MBAR_INIT;
    if (fence == CATC_HOST_FENCE_OF_WGMMA) {
        event = CATC_HOST_FENCE_WGMMA;
        f->fence_site = site;
        f->fenced = 1;
    }
    (void)event;
    CATC_HOST_HOOK(sync, event, NULL, 0, site);
}

CATC_API void catc_host_wgmma_commit(const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_warpgroup *wg = catc_host_my_warpgroup(h, "catc_wgmma_commit");
    const int l = h->current % 128;
    const uint32_t group = wg->committed[l]++;
    if (group == wg->groups) {
        wg->group_end[group % CATC_HOST_GROUPS] = wg->issued[l];
        wg->groups++;
    } else if (wg->groups - group > CATC_HOST_GROUPS || wg->group_end[group % CATC_HOST_GROUPS] != wg->issued[l]) {
        catc_host_fail(h, "catc_wgmma_commit at %s: the threads of warpgroup %d have committed different wgmmas", site,
                       h->current / 128);
    }
    CATC_HOST_HOOK(sync, CATC_HOST_WGMMA_COMMIT, NULL, group + 1, site);
}

CATC_API void catc_host_wgmma_wait(int pending, float *acc, int count, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_warpgroup *wg = catc_host_my_warpgroup(h, "CATC_WGMMA_WAIT");
    const int l = h->current % 128;
    const uint32_t groups = wg->committed[l];
    if (pending < 0 || pending > 7)
        catc_host_fail(h, "CATC_WGMMA_WAIT at %s: n=%d must be 0 to 7", site, pending);
    if (groups > (uint32_t)pending) {
        const uint32_t target = wg->group_end[(groups - 1 - (uint32_t)pending) % CATC_HOST_GROUPS];
        while ((int32_t)(wg->complete - target) < 0) {
            wg->waiting[l / 32] |= 1u << l % 32;
            catc_host_block_on(h, CATC_HOST_OP_WGMMA_WAIT, site, target, 0);
        }
        while ((int32_t)(target - wg->head) > 0)
            catc_host_multiply(h, &wg->queue[wg->head++ % CATC_HOST_MULTIPLIES]);
    }
    for (int i = 0; i < CATC_HOST_ACCUMULATORS && count > 0; i++) {
        struct catc_host_accumulator *slot = &wg->acc[i];
        if (slot->n && (slot->lanes[l / 32] >> l % 32 & 1) && slot->owner[l] >= acc && slot->owner[l] < acc + count &&
            slot->pending == 0)
            catc_host_acc_give(h, slot, l, site);
    }
    CATC_HOST_HOOK(sync, CATC_HOST_WGMMA_WAITED, NULL, groups > (uint32_t)pending ? groups - (uint32_t)pending : 0,
                   site);
}
