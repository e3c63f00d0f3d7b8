/* SPDX-License-Identifier: Apache-2.0 */
#include "ours.h"

#include "say.h"

const struct catc_gemm_instance *bench_selection(const struct bench_device *device, const struct bench_problem *problem)
{
    struct catc_gemm_args const args = bench_device_place(device, problem, 0);
    struct catc_gemm_plan plan;
    if (catc_gemm_make_plan(&plan, &args) != CATC_OK) {
        bench_fail("%s", catc_last_message());
        return NULL;
    }
    return catc_gemm_plan_instance(&plan);
}

bool bench_ours_launch(void *context, int set)
{
    const struct bench_ours *const ours = (const struct bench_ours *)context;
    struct catc_gemm_args args = bench_device_place(ours->device, ours->problem, set);
    args.instance = ours->instance;
    return catc_gemm(&args) == CATC_OK || bench_fail("%s", catc_last_message());
}
