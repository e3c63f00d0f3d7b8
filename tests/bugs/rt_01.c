/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-01: the note that large shared memory is already enabled was kept once per process; another kernel, another thread
 * or another device skipped the call and failed to launch. The instance with the most shared memory, the one with the
 * least, the first again, then both from a new thread, then on a second GPU. */
#include <pthread.h>

#include "gemm/simple.h"

static void run(const struct catc_gemm_instance *i)
{
    struct simple s;
    simple_open_instance(&s, i, 64, 128, 64, simple_one, simple_one);
    CHECK(simple_run(&s) == CATC_OK && simple_d(&s, 63, 127) == 64.0);
    simple_close(&s);
}

struct pair {
    const struct catc_gemm_instance *large, *small;
    int device; /* a new thread starts with device 0 */
};

static void *both(void *argument)
{
    const struct pair *const pair = (const struct pair *)argument;
#if CATC_WITH_CUDA
    CHECK(pair->large->backend != CATC_CUDA || cudaSetDevice(pair->device) == cudaSuccess);
#endif
    run(pair->small);
    run(pair->large);
    return NULL;
}

static void any_order(enum catc_backend backend, int device)
{
    const struct catc_gemm_instance *i;
    struct pair pair = {NULL, NULL, device};
    pthread_t thread;
    for (int at = 0; (i = simple_next(backend, &at));) {
        pair.large = !pair.large || i->smem_bytes > pair.large->smem_bytes ? i : pair.large;
        pair.small = !pair.small || i->smem_bytes < pair.small->smem_bytes ? i : pair.small;
    }
    CHECK(pair.large != pair.small);
    printf("%s: %d and %d bytes of shared memory\n", catc_backend_name(backend), pair.large->smem_bytes,
           pair.small->smem_bytes);
    run(pair.large);
    run(pair.small);
    run(pair.large);
    CHECK(pthread_create(&thread, NULL, both, &pair) == 0 && pthread_join(thread, NULL) == 0);
}

int main(void)
{
    any_order(CATC_HOST, 0);
#if CATC_WITH_CUDA
    int const gpus = catc_device_count();
    for (int g = 0; g < gpus && g < 2; ++g) {
        CHECK(cudaSetDevice(g) == cudaSuccess);
        any_order(CATC_CUDA, g);
    }
#endif
    return check_result();
}
