/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/report.h: sentences of failures. A part of backend/host/runtime.h. */

static void catc_host_leave_failed(struct catc_host *h) __attribute__((noreturn));
static void catc_host_fail(struct catc_host *h, const char *format, ...) CATC_PRINTF(2, 3) __attribute__((noreturn));

static void catc_host_append(char *text, size_t size, const char *format, ...) CATC_PRINTF(3, 4);
static void catc_host_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    if (used + 1 < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static const char *catc_host_schedule_name(enum catc_host_schedule schedule)
{
    return schedule == CATC_HOST_REVERSE ? "reverse" : schedule == CATC_HOST_RANDOM ? "random" : "roundrobin";
}
static const char *catc_host_landing_name(enum catc_host_landing landing)
{
    return landing == CATC_HOST_EARLY ? "early" : landing == CATC_HOST_ANY_TIME ? "random" : "late";
}

/* Reports are "kernel: block 3, thread 37: sentence", and how to get the same order again on a line of its own. */
static void catc_host_report_begin(struct catc_host *h)
{
    h->report[0] = 0;
    catc_host_append(h->report, sizeof h->report,
                     "%s: block %lld, thread %d: ", h->launch->name ? h->launch->name : "kernel",
                     (long long)h->block.index, h->current);
}
static void catc_host_report_end(struct catc_host *h)
{
    char *room = h->report + sizeof h->report - 160;
    *room = 0;
    catc_host_append(h->report, sizeof h->report, "\n  (CATC_HOST_SCHEDULE=%s:%llu CATC_HOST_LANDING=%s)",
                     catc_host_schedule_name(h->schedule), (unsigned long long)h->seed,
                     catc_host_landing_name(h->landing));
}

/* Ends the launch from inside a kernel: the report is kept, the fibres are abandoned where they stand. */
static void catc_host_fail(struct catc_host *h, const char *format, ...)
{
    va_list arguments;
    catc_host_report_begin(h);
    size_t used = strlen(h->report);
    va_start(arguments, format);
    vsnprintf(h->report + used, sizeof h->report - used, format, arguments);
    va_end(arguments);
    catc_host_report_end(h);
    catc_host_leave_failed(h);
}

static const char *catc_host_op_name(enum catc_host_op op)
{
    switch (op) {
    case CATC_HOST_OP_SYNC_BLOCK: return "CATC_SYNC_BLOCK";
    case CATC_HOST_OP_SYNC_WARP: return "CATC_SYNC_WARP";
    case CATC_HOST_OP_SHUFFLE: return "CATC_SHFL";
    case CATC_HOST_OP_NAMED_BARRIER: return "CATC_NAMED_BARRIER";
    case CATC_HOST_OP_STMATRIX: return "CATC_STMATRIX_X4";
    case CATC_HOST_OP_LDMATRIX: return "CATC_LDMATRIX_X4";
    case CATC_HOST_OP_LDMATRIX_TRANS: return "CATC_LDMATRIX_X4_TRANS";
    case CATC_HOST_OP_MMA_BF16: return "CATC_MMA_M16N8K16_bf16";
    case CATC_HOST_OP_MMA_F16: return "CATC_MMA_M16N8K16_f16";
    case CATC_HOST_OP_SETMAXNREG: return "CATC_SETMAXNREG";
    case CATC_HOST_OP_MBAR_WAIT: return "CATC_MBAR_WAIT";
    case CATC_HOST_OP_WGMMA_WAIT: return "CATC_WGMMA_WAIT";
    case CATC_HOST_OP_RUN: break;
    }
    return "running";
}

/* One line on what a blocked thread waits for. */
static void catc_host_describe_wait(struct catc_host *h, const struct catc_host_fibre *f, char *text, size_t size)
{
    text[0] = 0;
    switch (f->op) {
    case CATC_HOST_OP_SYNC_BLOCK:
        catc_host_append(text, size, "CATC_SYNC_BLOCK at %s: %d of %d threads have arrived", f->site,
                         h->barrier[0].arrived, h->alive);
        break;
    case CATC_HOST_OP_NAMED_BARRIER:
        catc_host_append(text, size, "CATC_NAMED_BARRIER(%u, %u) at %s: %d of %u threads have arrived", f->a, f->b,
                         f->site, h->barrier[f->a].arrived, f->b);
        break;
    case CATC_HOST_OP_MBAR_WAIT: {
        const struct catc_host_mbar *bar = &h->mbar[f->a];
        catc_host_append(text, size,
                         "CATC_MBAR_WAIT(0x%x, parity %u) at %s: barrier initialised at %s is in phase %u, "
                         "%u of %u arrivals pending, %lld tx bytes outstanding",
                         bar->address, f->b, f->site, bar->site, bar->phase, bar->pending, bar->count,
                         (long long)bar->tx);
        break;
    }
    case CATC_HOST_OP_SETMAXNREG:
        catc_host_append(text, size, "CATC_SETMAXNREG at %s: wants %u registers per thread, %d registers are free",
                         f->site, f->a, h->registers_free);
        break;
    default: {
        const struct catc_host_warp *w = &h->warp[f->lane.thread / 32];
        catc_host_append(text, size, "%s at %s: %d of %d lanes have arrived", catc_host_op_name(f->op), f->site,
                         __builtin_popcount(w->arrived), __builtin_popcount(w->alive));
        break;
    }
    case CATC_HOST_OP_WGMMA_WAIT:
        catc_host_append(text, size, "CATC_WGMMA_WAIT at %s: other threads of the warpgroup have not issued the wgmma",
                         f->site);
        break;
    }
}

/* Lines "warp 3, lanes 0-31: ...", one per warp and thing waited for. */
static void catc_host_describe_all(struct catc_host *h, char *text, size_t size)
{
    for (int w = 0; w < h->warps; w++) {
        uint32_t left = h->warp[w].alive;
        while (left) {
            const struct catc_host_fibre *f = &h->fibre[w * 32 + __builtin_ctz(left)];
            uint32_t same = 0;
            for (int l = 0; l < 32; l++) {
                const struct catc_host_fibre *g = &h->fibre[w * 32 + l];
                if ((left >> l & 1) && g->op == f->op && g->site == f->site && g->a == f->a && g->b == f->b)
                    same |= 1u << l;
            }
            left &= ~same;
            char wait[512], lanes[128] = "";
            for (int l = 0; l < 32; l++) {
                if (!(same >> l & 1))
                    continue;
                int last = l;
                while (last < 31 && (same >> (last + 1) & 1))
                    last++;
                catc_host_append(lanes, sizeof lanes, last > l ? "%s%d-%d" : "%s%d", lanes[0] ? "," : "", l, last);
                l = last;
            }
            catc_host_describe_wait(h, f, wait, sizeof wait);
            catc_host_append(text, size, "\n  warp %d, lanes %s: %s", w, lanes, wait);
        }
    }
}

static void catc_host_deadlock(struct catc_host *h) __attribute__((noreturn));
static void catc_host_deadlock(struct catc_host *h)
{
    catc_host_report_begin(h);
    catc_host_append(h->report, sizeof h->report, "deadlock: no thread can run and no copy is in flight");
    catc_host_describe_all(h, h->report, sizeof h->report);
    catc_host_report_end(h);
    catc_host_leave_failed(h);
}
