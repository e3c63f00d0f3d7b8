/* SPDX-License-Identifier: Apache-2.0
 *
 * A user's program: one GEMM on the host backend, whose exact answer is known. */
enum { M = 37, N = 29, K = 41 };
#include "problem.h"

int main(void)
{
    struct catc_gemm_args const args = problem_args();
    if (problem_failed("gemm", catc_gemm(&args)) || problem_wrong("gemm", 0.0f))
        return 1;
    /* Without a driver this is 0, and the program has started all the same. */
    printf("catlass_c %s, %d GPUs, gemm %dx%dx%d is right\n", catc_version(), catc_device_count(), M, N, K);
    return 0;
}
