/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-01: the note that large shared memory is already enabled was kept once per process, or once per kernel signature;
 * another kernel, another thread or another device skipped the call and failed to launch. Kernels of one signature with
 * less than 48 KB, with 64 KB and with more (rt_01.yaml), each first in turn; all of them again from a new thread, and
 * on a second GPU; then the library's own extremes. */
#include <pthread.h>

#include "gemm/simple.h"

const struct catc_registry *rt_01_registry(void);

enum { KB = 1024, MOST = 4 };

struct order {
    const struct catc_gemm_instance *instance[MOST];
    int count, device; /* a new thread starts with device 0 */
};

static void run(const struct catc_gemm_instance *i)
{
    struct simple s;
    simple_open_instance(&s, i, 64, 128, 64, simple_one, simple_one);
    s.args.registry = rt_01_registry();
    CHECK(simple_run(&s) == CATC_OK && simple_d(&s, 63, 127) == 64.0);
    simple_close(&s);
}

static void *all(void *argument)
{
    const struct order *const order = (const struct order *)argument;
#if CATC_WITH_CUDA
    CHECK(order->instance[0]->backend != CATC_CUDA || cudaSetDevice(order->device) == cudaSuccess);
#endif
    for (int i = 0; i < order->count; ++i) {
        run(order->instance[i]);
    }
    return NULL;
}

static void here_and_in_a_new_thread(struct order *order)
{
    pthread_t thread;
    for (int i = 0; i < order->count; ++i) {
        printf("%s: %d bytes of shared memory: %s\n", catc_backend_name(order->instance[i]->backend),
               order->instance[i]->smem_bytes, order->instance[i]->name);
    }
    all(order);
    run(order->instance[0]);
    CHECK(pthread_create(&thread, NULL, all, order) == 0 && pthread_join(thread, NULL) == 0);
}

static void any_order(enum catc_backend backend, int device)
{
    struct order own = {{NULL}, 3, device}, extremes = {{NULL}, 2, device};
    const struct catc_gemm_instance *i;
    for (int at = 0; (i = catc_gemm_at(rt_01_registry(), backend, at)); ++at) {
        if (i->type_a == CATC_F32 && i->tile_m == 128 && i->tile_n == 128 && i->tile_k == 16) {
            /* large, small, 64 KB: the large one must not enable the others, nor a small one hide a larger one */
            own.instance[i->smem_bytes < 48 * KB ? 1 : i->smem_bytes < 72 * KB ? 2 : 0] = i;
        }
    }
    CHECK(own.instance[0] && own.instance[1] && own.instance[2]);
    if (!own.instance[0] || !own.instance[1] || !own.instance[2]) {
        return;
    }
    CHECK(own.instance[0]->smem_bytes > 72 * KB && own.instance[1]->smem_bytes < 48 * KB);
    CHECK(own.instance[2]->smem_bytes >= 64 * KB && own.instance[2]->smem_bytes < 72 * KB);
    for (int o = 0; o < own.count; ++o) {
        CHECK(own.instance[o]->skeleton == CATC_GEMM_SIMT); /* one signature */
    }
    here_and_in_a_new_thread(&own);

    for (int at = 0; (i = simple_next(backend, &at));) {
        const struct catc_gemm_instance **const e = extremes.instance;
        e[0] = !e[0] || i->smem_bytes > e[0]->smem_bytes ? i : e[0];
        e[1] = !e[1] || i->smem_bytes < e[1]->smem_bytes ? i : e[1];
    }
    CHECK(extremes.instance[0] && extremes.instance[1]);
    if (extremes.instance[0] && extremes.instance[1]) {
        here_and_in_a_new_thread(&extremes);
    }
}

int main(void)
{
    int const gpus = gpu_count();
    any_order(CATC_HOST, 0);
#if CATC_WITH_CUDA
    for (int g = 0; g < gpus && g < 2; ++g) {
        CHECK(cudaSetDevice(g) == cudaSuccess);
        any_order(CATC_CUDA, g);
    }
    if (gpus > 0) { /* a device that was reset knows nothing of earlier calls */
        CHECK(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
        any_order(CATC_CUDA, 0);
    }
#endif
    if (gpus < 2) {
        printf("skipped: the part on a second GPU, since there %s\n", gpus == 1 ? "is one" : "is none");
    }
    return check_result();
}
