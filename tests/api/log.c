/* SPDX-License-Identifier: Apache-2.0
 *
 * api/log.c: CATC_LOG=<path> appends one line for each selection; nothing is written without it, nor for a forced
 * instance. */
#include <unistd.h>

#include "gemm/simple.h"

static char log_text[8192];

/* Lines in the file; its text is in log_text. */
static int lines_of(const char *path)
{
    FILE *const file = fopen(path, "r");
    int lines = 0;
    size_t const length = file ? fread(log_text, 1, sizeof log_text - 1, file) : 0;
    log_text[length] = '\0';
    for (size_t i = 0; i < length; ++i) {
        lines += log_text[i] == '\n';
    }
    if (file) {
        fclose(file);
    }
    return lines;
}

int main(void)
{
    char path[] = "catc_api_log_XXXXXX";
    int const descriptor = mkstemp(path);
    struct catc_gemm_args g = simple_fake(CATC_F32, CATC_TN, 300, 200, 100);
    CHECK(descriptor >= 0);
    close(descriptor);
    unsetenv("CATC_HOST_DEVICE");
    unsetenv("CATC_LOG");
    const struct catc_gemm_instance *const i = simple_choice(&g);
    CHECK(i != NULL && lines_of(path) == 0);

    CHECK(setenv("CATC_LOG", path, 1) == 0);
    CHECK(simple_choice(&g) == i && lines_of(path) == 1);
    CHECK_HAS(log_text, i ? i->name : "?");
    CHECK_HAS(log_text, "300x200x100");
    CHECK_HAS(log_text, "h200");
    g.m = 301;
    CHECK(simple_choice(&g) != NULL && lines_of(path) == 2);
    CHECK_HAS(log_text, "301x200x100");

    g.instance = i; /* no selection took place */
    CHECK(simple_choice(&g) == i && lines_of(path) == 2);
    g.instance = NULL;
    g.m = -1; /* nor here */
    CHECK(catc_gemm(&g) == CATC_INVALID_ARGUMENT && lines_of(path) == 2);
    g.m = 0;
    CHECK(catc_gemm(&g) == CATC_OK && lines_of(path) == 2);

    g.m = 300;
    CHECK(setenv("CATC_LOG", "no/such/folder/log", 1) == 0); /* must not hurt the call */
    CHECK(simple_choice(&g) == i && lines_of(path) == 2);
    CHECK(unsetenv("CATC_LOG") == 0 && simple_choice(&g) == i && lines_of(path) == 2);
    CHECK(unlink(path) == 0);
    return check_result();
}
