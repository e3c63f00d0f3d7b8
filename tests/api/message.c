/* SPDX-License-Identifier: Apache-2.0
 *
 * api/message.c: catc_last_message is the sentence of this thread's last failure: empty before the first, untouched by
 * calls that succeed and by other threads; every status has a name. */
#include <pthread.h>

#include "gemm/simple.h"

static void fail(int64_t m)
{
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, m, 4, 4);
    CHECK(catc_gemm(&g) == CATC_INVALID_ARGUMENT);
}

static void *other_thread(void *argument)
{
    CHECK(strcmp(catc_last_message(), "") == 0); /* nothing has failed here */
    fail(-222);
    CHECK_HAS(catc_last_message(), "m=-222");
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct simple s;
    unsetenv("CATC_HOST_DEVICE");
    CHECK(catc_last_message() != NULL && strcmp(catc_last_message(), "") == 0);
    simple_open(&s, CATC_HOST, CATC_F32, CATC_TN, 8, 8, 8, simple_a, simple_b);
    CHECK(simple_run(&s) == CATC_OK);
    CHECK(strcmp(catc_last_message(), "") == 0);

    fail(-111);
    CHECK_HAS(catc_last_message(), "m=-111");
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK_HAS(catc_last_message(), "m=-111");

    /* calls that succeed leave it alone, so that it can be read after cleaning up */
    char text[4096];
    size_t bytes;
    struct catc_gemm_plan plan;
    CHECK(simple_run(&s) == CATC_OK);
    CHECK(catc_gemm_make_plan(&plan, &s.args) == CATC_OK && catc_gemm_launch(&plan, NULL, NULL) == CATC_OK);
    CHECK(catc_gemm_plan_update(&plan, &s.args) == CATC_OK);
    CHECK(catc_gemm_explain(&s.args, text, sizeof text) == CATC_OK);
    CHECK(catc_gemm_workspace_size(&s.args, &bytes) == CATC_OK);
    CHECK_HAS(catc_last_message(), "m=-111");
    fail(-333);
    CHECK_HAS(catc_last_message(), "m=-333");
    CHECK(strstr(catc_last_message(), "-111") == NULL);

    for (int status = CATC_OK; status <= CATC_BACKEND_NOT_BUILT; ++status) {
        CHECK(strncmp(catc_status_name((enum catc_status)status), "CATC_", 5) == 0);
    }
    CHECK(strcmp(catc_status_name(CATC_MISALIGNED), "CATC_MISALIGNED") == 0);
    CHECK(strcmp(catc_status_name((enum catc_status)12345), "unknown status") == 0);
    simple_close(&s);
    return check_result();
}
