/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/fibre.h: one stack per CUDA thread and the switch between them. A part of backend/host/runtime.h.
 *
 * Stacks are made 32 at a time (a warp) and kept for the life of the OS thread; below each lies a guard page. Stacks
 * that start at equal offsets within a page would share the same few sets of the L1 cache, so every top is moved down
 * by another multiple of a cache line. */

#if defined(CATC_HOST_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(CATC_HOST_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

static void catc_host_thread_main(struct catc_host *h) __attribute__((noreturn));

static void catc_host_fibre_entry(void) __attribute__((noreturn));
static void catc_host_fibre_entry(void)
{
    struct catc_host *h = catc_host_tls;
#if defined(CATC_HOST_ASAN)
    const void *previous;
    size_t size;
    __sanitizer_finish_switch_fiber(NULL, &previous, &size);
    if (!h->main_stack) { /* the very first fibre is entered from the launching thread's own stack */
        h->main_stack = (unsigned char *)(uintptr_t)previous;
        h->main_stack_size = size;
    }
#endif
    catc_host_thread_main(h);
}

/* Returns 0 if there is no memory. */
static int catc_host_stacks_make(struct catc_host *h, int threads)
{
    const size_t stride = (size_t)CATC_HOST_STACK + CATC_HOST_PAGE;
    for (int t = 0; t < threads; t += 32) {
        if (h->fibre[t].stack)
            continue;
        unsigned char *memory = (unsigned char *)mmap(NULL, 32 * stride, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == (unsigned char *)MAP_FAILED)
            return 0;
        for (int l = 0; l < 32; l++) {
            mprotect(memory + (size_t)l * stride, CATC_HOST_PAGE, PROT_NONE);
            h->fibre[t + l].stack = memory + (size_t)l * stride + CATC_HOST_PAGE;
            h->fibre[t + l].fresh = 1;
            h->fibre[t + l].lane.thread = t + l;
            h->fibre[t + l].lane.block = &h->block;
        }
    }
    return 1;
}

static void catc_host_stacks_free(struct catc_host *h)
{
    const size_t stride = (size_t)CATC_HOST_STACK + CATC_HOST_PAGE;
    for (int t = 0; t < CATC_HOST_THREADS_MAX; t++) {
#if defined(CATC_HOST_TSAN)
        if (h->fibre[t].context.tsan)
            __tsan_destroy_fiber(h->fibre[t].context.tsan);
#endif
        if (t % 32 == 0 && h->fibre[t].stack)
            munmap(h->fibre[t].stack - CATC_HOST_PAGE, 32 * stride);
    }
}

#if !defined(CATC_HOST_UCONTEXT)
/* Saves the registers that a call preserves, stores the stack pointer, loads the other: x86-64 System V and AAPCS64. It
 * ends in a return: most fibres stop in the same call as the one before, so that the processor's stack of return
 * addresses is right although it belongs to another fibre (a jump instead made the emulated mma.sync GEMM take 14.3 ms
 * for 11.3). The floating-point control words are not switched: kernels do not change them. */
CATC_EXTERN_C CATC_HIDDEN void catc_host_swap(void **save, void *load);
__asm__(".text\n\t"
        ".p2align 4\n\t"
        ".globl catc_host_swap\n\t"
        ".hidden catc_host_swap\n\t"
        ".type catc_host_swap, %function\n"
        "catc_host_swap:\n\t"
#if defined(__x86_64__)
        "pushq %rbp\n\t"
        "pushq %rbx\n\t"
        "pushq %r12\n\t"
        "pushq %r13\n\t"
        "pushq %r14\n\t"
        "pushq %r15\n\t"
        "movq %rsp, (%rdi)\n\t"
        "movq %rsi, %rsp\n\t"
        "popq %r15\n\t"
        "popq %r14\n\t"
        "popq %r13\n\t"
        "popq %r12\n\t"
        "popq %rbx\n\t"
        "popq %rbp\n\t"
        "ret\n\t"
#else
        "stp x19, x20, [sp, #-160]!\n\t"
        "stp x21, x22, [sp, #16]\n\t"
        "stp x23, x24, [sp, #32]\n\t"
        "stp x25, x26, [sp, #48]\n\t"
        "stp x27, x28, [sp, #64]\n\t"
        "stp x29, x30, [sp, #80]\n\t"
        "stp d8, d9, [sp, #96]\n\t"
        "stp d10, d11, [sp, #112]\n\t"
        "stp d12, d13, [sp, #128]\n\t"
        "stp d14, d15, [sp, #144]\n\t"
        "mov x9, sp\n\t"
        "str x9, [x0]\n\t"
        "mov sp, x1\n\t"
        "ldp x21, x22, [sp, #16]\n\t"
        "ldp x23, x24, [sp, #32]\n\t"
        "ldp x25, x26, [sp, #48]\n\t"
        "ldp x27, x28, [sp, #64]\n\t"
        "ldp x29, x30, [sp, #80]\n\t"
        "ldp d8, d9, [sp, #96]\n\t"
        "ldp d10, d11, [sp, #112]\n\t"
        "ldp d12, d13, [sp, #128]\n\t"
        "ldp d14, d15, [sp, #144]\n\t"
        "ldp x19, x20, [sp], #160\n\t"
        "ret\n\t"
#endif
        ".size catc_host_swap, .-catc_host_swap");
/* Words of a stack that starts a fibre, and where among them catc_host_swap finds the address to return to. On x86-64 a
 * null return address is above it, which leaves the stack aligned as after a call. */
#if defined(__x86_64__)
enum { CATC_HOST_FRAME = 8, CATC_HOST_FRAME_ENTRY = 6 };
#else
enum { CATC_HOST_FRAME = 20, CATC_HOST_FRAME_ENTRY = 11 };
#endif
#endif

/* Gives thread t a context that starts in catc_host_fibre_entry. */
static void catc_host_fibre_make(struct catc_host *h, int t)
{
    struct catc_host_fibre *f = &h->fibre[t];
#if defined(CATC_HOST_TSAN)
    if (!f->context.tsan)
        f->context.tsan = __tsan_create_fiber(0);
#endif
#if defined(CATC_HOST_ASAN)
    __asan_unpoison_memory_region(f->stack, CATC_HOST_STACK);
    f->context.fake_stack = NULL;
#endif
    const size_t stagger = (size_t)(t * 19 % 64) * 64;
#if defined(CATC_HOST_UCONTEXT)
    getcontext(&f->context.context);
    f->context.context.uc_stack.ss_sp = f->stack;
    f->context.context.uc_stack.ss_size = CATC_HOST_STACK - stagger;
    f->context.context.uc_link = NULL;
    makecontext(&f->context.context, catc_host_fibre_entry, 0);
#else
    void **sp = (void **)(void *)(f->stack + CATC_HOST_STACK - stagger) - CATC_HOST_FRAME;
    memset(sp, 0, CATC_HOST_FRAME * sizeof *sp);
    sp[CATC_HOST_FRAME_ENTRY] = (void *)(uintptr_t)catc_host_fibre_entry;
    f->context.sp = sp;
#endif
    f->fresh = 0;
}

static inline void catc_host_context_switch(struct catc_host *h, struct catc_host_context *from,
                                            struct catc_host_context *to, unsigned char *stack, size_t size)
{
    (void)h;
    (void)stack;
    (void)size;
#if defined(CATC_HOST_TSAN)
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
#if defined(CATC_HOST_ASAN)
    __sanitizer_start_switch_fiber(&from->fake_stack, stack, size);
#endif
#if defined(CATC_HOST_UCONTEXT)
    swapcontext(&from->context, &to->context);
#else
    catc_host_swap(&from->sp, to->sp);
#endif
#if defined(CATC_HOST_ASAN)
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}
