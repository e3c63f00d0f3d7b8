/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/mbarrier.h: mbarrier objects (PTX ISA 9.7.13.15). A part of backend/host/runtime.h.
 *
 * Their state is a table beside shared memory, found by address; the 8 bytes themselves stay NaN. A phase completes
 * when no arrival is pending and the transaction count is 0. The count may be negative within a phase, while an arrival
 * (and so an expect_tx) is still to come. */

static void catc_host_mbar_reset(struct catc_host *h)
{
    for (int i = 0; i < h->mbars; i++)
        h->mbar_at[(h->mbar[i].address - CATC_HOST_SMEM_BASE) / 8] = 0;
    h->mbars = 0;
}

static struct catc_host_mbar *catc_host_mbar_find(struct catc_host *h, uint32_t address, const char *what,
                                                  const char *site)
{
    catc_host_smem(h, address, 8, what, site);
    if (address % 8)
        catc_host_fail(h, "%s at %s: mbarrier address 0x%x must be a multiple of 8", what, site, address);
    const int at = h->mbar_at[(address - CATC_HOST_SMEM_BASE) / 8];
    if (!at)
        catc_host_fail(h, "%s at %s: no mbarrier has been initialised at 0x%x", what, site, address);
    return &h->mbar[at - 1];
}

static void catc_host_mbar_step(struct catc_host *h, struct catc_host_mbar *bar, const char *site)
{
    if (bar->tx >= 1 << 20 || bar->tx <= -(1 << 20))
        catc_host_fail(h, "mbarrier 0x%x at %s: tx count %lld must stay within +-(2^20 - 1)", bar->address, site,
                       (long long)bar->tx);
    if (bar->pending)
        return;
    if (bar->tx < 0)
        catc_host_fail(
            h,
            "tx underflow of mbarrier 0x%x (initialised at %s) in phase %u: %lld bytes more have landed than "
            "were expected; the last step was at %s",
            bar->address, bar->site, bar->phase, -(long long)bar->tx, site);
    if (bar->tx)
        return;
    bar->phase++;
    bar->pending = bar->count;
    for (int w = 0; w < h->warps; w++) {
        catc_host_make_ready(h, w, bar->waiting[w]);
        bar->waiting[w] = 0;
    }
}

/* A copy's bytes arrive. They belong to the phase in which the copy was issued: if that one is over, it ended without
 * them. */
static void catc_host_mbar_credit(struct catc_host *h, struct catc_host_mbar *bar, uint32_t phase, uint32_t bytes,
                                  const char *site)
{
    if (bar->phase != phase)
        catc_host_fail(h,
                       "tx underflow of mbarrier 0x%x (initialised at %s): the copy issued at %s in phase %u lands %u "
                       "bytes in phase %u; expect_tx asked for fewer bytes than were copied",
                       bar->address, bar->site, site, phase, bytes, bar->phase);
    bar->tx -= bytes;
    catc_host_mbar_step(h, bar, site);
}

CATC_API void catc_host_mbar_init(uint32_t address, uint32_t count, const char *site)
{
    struct catc_host *h = catc_host_tls;
    unsigned char *memory = catc_host_smem(h, address, 8, "catc_mbar_init", site);
    if (address % 8)
        catc_host_fail(h, "catc_mbar_init at %s: mbarrier address 0x%x must be a multiple of 8", site, address);
    if (count < 1 || count >= 1 << 20)
        catc_host_fail(h, "catc_mbar_init at %s: count=%u must be 1 to 2^20 - 1", site, count);
    uint16_t *at = &h->mbar_at[(address - CATC_HOST_SMEM_BASE) / 8];
    if (*at)
        catc_host_fail(h, "catc_mbar_init at %s: the mbarrier at 0x%x is in use since %s", site, address,
                       h->mbar[*at - 1].site);
    if (h->mbars == CATC_HOST_MBARS_MAX)
        catc_host_fail(h, "catc_mbar_init at %s: the emulator has room for %d mbarriers", site, CATC_HOST_MBARS_MAX);
    struct catc_host_mbar *bar = &h->mbar[h->mbars++];
    memset(bar, 0, sizeof *bar);
    bar->address = address;
    bar->count = bar->pending = count;
    bar->site = site;
    *at = (uint16_t)h->mbars;
    CATC_HOST_HOOK(sync, CATC_HOST_MBAR_INIT, memory, count, site);
    (void)memory;
}

CATC_API void catc_host_mbar_arrive(uint32_t address, uint32_t tx_bytes, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_mbar *bar =
        catc_host_mbar_find(h, address, tx_bytes ? "catc_mbar_expect_tx" : "catc_mbar_arrive", site);
    CATC_HOST_HOOK(sync, CATC_HOST_MBAR_ARRIVE, h->arena + (address - CATC_HOST_SMEM_BASE), tx_bytes, site);
    if (bar->pending == 0)
        catc_host_fail(h,
                       "mbarrier 0x%x at %s: all %u arrivals of phase %u have been made and %lld tx bytes are "
                       "outstanding; one arrival too many",
                       address, site, bar->count, bar->phase, (long long)bar->tx);
    bar->pending--;
    bar->tx += tx_bytes;
    catc_host_mbar_step(h, bar, site);
}

/* As the hardware: passes if the phase in progress has the other parity. A waiter that is two phases late when it looks
 * again would go back to sleep on a GPU. */
CATC_API void catc_host_mbar_wait(uint32_t address, uint32_t parity, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_mbar *bar = catc_host_mbar_find(h, address, "CATC_MBAR_WAIT", site);
    const uint32_t phase = bar->phase;
    if (parity > 1)
        catc_host_fail(h, "CATC_MBAR_WAIT at %s: parity=%u must be 0 or 1", site, parity);
    if ((phase & 1) == parity) {
        bar->waiting[h->current >> 5] |= 1u << (h->current & 31);
        catc_host_block_on(h, CATC_HOST_OP_MBAR_WAIT, site, (uint32_t)(bar - h->mbar), parity);
        if (bar->phase - phase >= 2)
            catc_host_fail(h,
                           "mbarrier 0x%x at %s: phase %u, that this thread waits for, has completed and so has the "
                           "next; nothing made the barrier wait for this thread",
                           address, site, phase);
    }
    CATC_HOST_HOOK(sync, CATC_HOST_MBAR_WAITED, h->arena + (address - CATC_HOST_SMEM_BASE), bar->phase - 1, site);
}

static void catc_host_mbar_check(struct catc_host *h)
{
    for (int i = 0; i < h->mbars; i++)
        if (h->mbar[i].tx)
            catc_host_fail(h, "the block ends while mbarrier 0x%x (initialised at %s) has %lld tx bytes outstanding",
                           h->mbar[i].address, h->mbar[i].site, (long long)h->mbar[i].tx);
}
