/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the user's instance through the user's registry, and one of the library's through the same registry's base. */
enum { M = 9, N = 11, K = 13 };
#include "../problem.h"

#include "main/instances.h"
#include "main/operations.h"

static int run(const char *what, uint32_t op, float add)
{
    struct catc_gemm_args args = problem_args();
    args.registry = mine_registry();
    if (op) {
        args.n_epi = 1;
        args.epi[0].op = op;
    }
    if (problem_failed(what, catc_gemm(&args)) || problem_wrong(what, add))
        return 1;
    printf("%s: right\n", what);
    return 0;
}

int main(void)
{
    return run("own operation", CATC_OP_PLUS_ONE, 1.0f) | run("the library's instance", 0, 0.0f);
}
