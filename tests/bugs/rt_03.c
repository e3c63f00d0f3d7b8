/* SPDX-License-Identifier: Apache-2.0
 *
 * RT-03: launch errors were printed but not returned, or an old error of some earlier call was reported as the library's
 * own. A launch that cannot work (1025 threads; too much shared memory) is a status with the kernel's name, and D is
 * untouched; an unrelated CUDA error that nobody cleared is not blamed on a good call. */
#include "gemm/simple.h"

static void impossible(enum catc_backend backend)
{
    struct simple s;
    const struct catc_gemm_instance *const i = simple_plain(backend, CATC_F32, CATC_TN);
    CHECK(i != NULL);
    if (!i) {
        return;
    }
    struct catc_gemm_instance broken = *i;
    broken.threads = 1025;
    simple_open_instance(&s, &broken, 32, 32, 32, simple_a, simple_b);
    enum catc_status const status = catc_gemm(&s.args);
    CHECK(status == (backend == CATC_CUDA ? CATC_CUDA_FAILURE : CATC_INVALID_ARGUMENT));
    CHECK_HAS(catc_last_message(), i->name);
    CHECK_HAS(catc_last_message(), "1025");
    if (backend == CATC_CUDA) {
        CHECK_HAS(catc_last_message(), "invalid"); /* CUDA's own text */
    }
    simple_download(&s);
    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);

    broken.threads = i->threads;
    broken.smem_bytes = 300 * 1024;
    CHECK(catc_gemm(&s.args) == CATC_NOT_SUPPORTED); /* seen before any launch */
    CHECK_HAS(catc_last_message(), "smem_bytes=307200");
    simple_download(&s);
    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);

    s.args.instance = i; /* and nothing of it stays behind */
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
    simple_close(&s);
}

#if CATC_WITH_CUDA
static void old_error(void)
{
    struct simple s;
    void *nothing = NULL;
    simple_open(&s, CATC_CUDA, CATC_F32, CATC_TN, 48, 40, 24, simple_a, simple_b);
    CHECK(cudaMalloc(&nothing, (size_t)1 << 60) != cudaSuccess); /* left uncleared */
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
    (void)cudaGetLastError();
    simple_close(&s);
}
#endif

int main(void)
{
    impossible(CATC_HOST);
#if CATC_WITH_CUDA
    if (gpu_count() > 0) {
        impossible(CATC_CUDA);
        old_error();
    }
#endif
    return check_result();
}
