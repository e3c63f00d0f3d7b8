/* SPDX-License-Identifier: Apache-2.0
 *
 * old_driver.c: stands in for libcuda.so.1 of a driver that is older than any toolkit this builds with: CUDA's runtime
 * answers error 35, as it does without a driver, and tests must tell the two apart (gpu.h). */
int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned int flags)
{
    (void)flags;
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 11040;
    return 0;
}
