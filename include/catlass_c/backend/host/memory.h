/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/memory.h: memory with inaccessible pages around it. A part of backend/host/runtime.h.
 *
 * A fault on such a page during a launch is turned into a report: the handler runs on a stack of its own, notes the
 * address and jumps out of the fibre. It is installed only while a launch runs and guarded memory exists; any other
 * fault goes to the handler that was there before. ThreadSanitizer cannot follow that jump: under it a fault stays a
 * fault. */

struct catc_host_guarded {
    struct catc_host_guarded *next;
    unsigned char *map; /* guard page, pages, guard page */
    size_t map_bytes;
    unsigned char *memory;
    size_t bytes;
};

static pthread_mutex_t catc_host_memory_lock = PTHREAD_MUTEX_INITIALIZER;
static struct catc_host_guarded *catc_host_guarded_first;
static int catc_host_catchers; /* launches that need the handler now */
static struct sigaction catc_host_previous[2];

CATC_API void *catc_host_alloc(size_t bytes, size_t align_end)
{
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return NULL;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (bytes + page - 1) / page * page;
    struct catc_host_guarded *g = (struct catc_host_guarded *)malloc(sizeof *g);
    if (!g)
        return NULL;
    g->map_bytes = inner + 2 * page;
    g->map = (unsigned char *)mmap(NULL, g->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->map == (unsigned char *)MAP_FAILED) {
        free(g);
        return NULL;
    }
    if (mprotect(g->map + page, inner, PROT_READ | PROT_WRITE)) {
        munmap(g->map, g->map_bytes);
        free(g);
        return NULL;
    }
    memset(g->map + page, 0xff, inner);
    g->memory = g->map + page + (align_end ? inner - bytes : 0);
    g->bytes = bytes;
    pthread_mutex_lock(&catc_host_memory_lock);
    g->next = catc_host_guarded_first;
    catc_host_guarded_first = g;
    pthread_mutex_unlock(&catc_host_memory_lock);
    return g->memory;
}

CATC_API void catc_host_free(void *memory)
{
    if (!memory)
        return;
    struct catc_host_guarded *found = NULL;
    pthread_mutex_lock(&catc_host_memory_lock);
    for (struct catc_host_guarded **link = &catc_host_guarded_first; *link; link = &(*link)->next) {
        if ((*link)->memory == memory) {
            found = *link;
            *link = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&catc_host_memory_lock);
    if (!found)
        abort(); /* as free() would: not from catc_host_alloc, or freed before */
    munmap(found->map, found->map_bytes);
    free(found);
}

/* The arena of a launch ends at the second guard page, up to the 1024 bytes that its start is aligned to. */
static int catc_host_arena_make(struct catc_host *h)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (CATC_HOST_SMEM_MAX + page - 1) / page * page;
    if (h->arena_map)
        return 1;
    unsigned char *map = (unsigned char *)mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == (unsigned char *)MAP_FAILED)
        return 0;
    if (mprotect(map + page, inner, PROT_READ | PROT_WRITE)) {
        munmap(map, inner + 2 * page);
        return 0;
    }
    h->arena_map = map;
    return 1;
}
static unsigned char *catc_host_arena_end(const struct catc_host *h)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (CATC_HOST_SMEM_MAX + page - 1) / page * page;
    return h->arena_map + page + inner;
}
static void catc_host_arena_free(struct catc_host *h)
{
    if (h->arena_map)
        munmap(h->arena_map, (size_t)(catc_host_arena_end(h) - h->arena_map) + (size_t)sysconf(_SC_PAGESIZE));
}

/* Turns a range of shared addresses into memory; fails if it is not inside the arena. */
static inline unsigned char *catc_host_smem(struct catc_host *h, uint32_t address, uint32_t bytes, const char *what,
                                            const char *site)
{
    const uint32_t offset = address - CATC_HOST_SMEM_BASE;
    if (offset > (uint32_t)h->smem_bytes || bytes > (uint32_t)h->smem_bytes - offset)
        catc_host_fail(h, "%s at %s: shared addresses 0x%x to 0x%x are not within the block's %d bytes at 0x%x", what,
                       site, address, address + bytes - 1, h->smem_bytes, CATC_HOST_SMEM_BASE);
    return h->arena + offset;
}

/* What lies at a faulting address: 1 and a sentence if it is one of our guard pages. The thread that faulted is inside
 * a kernel and so cannot hold the lock. */
static int catc_host_fault_describe(struct catc_host *h, unsigned char *address, char *text, size_t size)
{
    int found = 0;
    text[0] = 0;
    pthread_mutex_lock(&catc_host_memory_lock);
    for (struct catc_host_guarded *g = catc_host_guarded_first; g && !found; g = g->next) {
        if (address < g->map || address >= g->map + g->map_bytes)
            continue;
        found = 1;
        catc_host_append(text, size, "illegal access: byte %lld of the buffer at %p, which has %zu bytes",
                         (long long)(address - g->memory), (void *)g->memory, g->bytes);
    }
    pthread_mutex_unlock(&catc_host_memory_lock);
    const long page = sysconf(_SC_PAGESIZE);
    unsigned char *end = catc_host_arena_end(h);
    if (!found && address >= end && address < end + page) {
        found = 1;
        catc_host_append(text, size, "illegal access: byte %lld of the block's %d bytes of shared memory",
                         (long long)(address - h->arena), h->smem_bytes);
    }
    unsigned char *stack = catc_host_fibre(h)->stack;
    if (!found && address < stack && address >= stack - CATC_HOST_PAGE) {
        found = 1;
        catc_host_append(text, size, "stack overflow: a thread of the emulator has %d KB", CATC_HOST_STACK / 1024);
    }
    return found;
}

static void catc_host_on_fault(int signal, siginfo_t *info, void *context)
{
    struct catc_host *h = catc_host_tls;
    if (h && h->running && h->catching) {
        char text[256];
        if (catc_host_fault_describe(h, (unsigned char *)info->si_addr, text, sizeof text)) {
            h->fault_address = (unsigned char *)info->si_addr;
            siglongjmp(h->fault_jump, 1);
        }
    }
    const struct sigaction *previous = &catc_host_previous[signal == SIGBUS];
    if (previous->sa_flags & SA_SIGINFO) {
        previous->sa_sigaction(signal, info, context);
    } else if (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
        previous->sa_handler(signal);
    } else {
        /* The default action, by the faulting instruction itself once this handler has returned. */
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        sigaction(signal, &standard, NULL);
    }
}

/* Starts and ends catching faults around a launch. */
static int catc_host_catch_begin(struct catc_host *h, stack_t *previous)
{
#if defined(CATC_HOST_TSAN)
    (void)h;
    (void)previous;
    (void)catc_host_on_fault;
    return 0;
#else
    pthread_mutex_lock(&catc_host_memory_lock);
    int wanted = catc_host_guarded_first != NULL;
    if (wanted && catc_host_catchers++ == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = catc_host_on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, &catc_host_previous[0]);
        sigaction(SIGBUS, &action, &catc_host_previous[1]);
    }
    pthread_mutex_unlock(&catc_host_memory_lock);
    if (wanted) {
        stack_t stack;
        memset(&stack, 0, sizeof stack);
        stack.ss_size = 64 * 1024;
        if (!h->signal_stack)
            h->signal_stack = (unsigned char *)malloc(stack.ss_size);
        stack.ss_sp = h->signal_stack;
        if (h->signal_stack)
            sigaltstack(&stack, previous);
    }
    return wanted;
#endif
}
static void catc_host_catch_end(struct catc_host *h, const stack_t *previous)
{
    if (h->signal_stack) {
        stack_t back = *previous;
        if (back.ss_flags & SS_DISABLE)
            back.ss_size = (size_t)MINSIGSTKSZ; /* some systems check it even when disabling */
        sigaltstack(&back, NULL);
    }
    pthread_mutex_lock(&catc_host_memory_lock);
    if (--catc_host_catchers == 0) {
        sigaction(SIGSEGV, &catc_host_previous[0], NULL);
        sigaction(SIGBUS, &catc_host_previous[1], NULL);
    }
    pthread_mutex_unlock(&catc_host_memory_lock);
}
