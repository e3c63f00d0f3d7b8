/* SPDX-License-Identifier: Apache-2.0
 *
 * api/no_cuda.c: backend cuda where it cannot be: a status and a way out, from every entry point, and the host backend
 * goes on working. With a GPU: ordinary host memory is refused, or works where the device can read it. */
#include "gemm/simple.h"

static void everywhere(const struct catc_gemm_args *g, enum catc_status want, const char *part)
{
    char text[2048];
    struct catc_gemm_plan plan;
    CHECK(catc_gemm(g) == want);
    CHECK_HAS(catc_last_message(), part);
    CHECK(catc_gemm_make_plan(&plan, g) == want);
    CHECK(catc_gemm_explain(g, text, sizeof text) == want);
    CHECK_HAS(text, part);
}

int main(void)
{
    struct simple s;
    struct catc_device device;
    int const gpus = gpu_count();
    enum catc_status const status = catc_device_current(&device);
    unsetenv("CATC_HOST_DEVICE");
    simple_open(&s, CATC_HOST, CATC_F32, CATC_TN, 33, 17, 9, simple_a, simple_b);
    struct catc_gemm_args g = s.args;
    g.backend = CATC_CUDA;
    if (!CATC_WITH_CUDA) {
        CHECK(gpus == 0 && status == CATC_NO_DEVICE);
        CHECK_HAS(catc_last_message(), "CATC_CUDA=ON");
        everywhere(&g, CATC_BACKEND_NOT_BUILT, "backend=cuda");
        g.backend = CATC_BACKEND_NOT_GIVEN; /* host is the default here */
        CHECK(catc_gemm(&g) == CATC_OK);
    } else if (gpus == 0) {
        CHECK(status == CATC_NO_DEVICE);
        CHECK_HAS(catc_last_message(), "CATC_HOST");
        everywhere(&g, CATC_NO_DEVICE, "CATC_HOST");
        g.backend = CATC_BACKEND_NOT_GIVEN; /* never guessed from what is plugged in */
        everywhere(&g, CATC_NO_DEVICE, "CATC_HOST");
    } else {
        CHECK(status == CATC_OK && device.cc >= 70 && device.sms > 0 && device.name != NULL);
        enum catc_status const given = catc_gemm(&g);
        CHECK(given == CATC_OK || given == CATC_INVALID_ARGUMENT);
        if (given == CATC_INVALID_ARGUMENT) {
            CHECK_HAS(catc_last_message(), "must be device memory");
            CHECK_HAS(catc_last_message(), "CATC_HOST");
        }
    }
    simple_clear(&s);
    CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
    simple_close(&s);
    return check_result();
}
