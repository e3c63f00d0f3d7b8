/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/policies.h: the emulator's policies of threads and copies, for tests of what must not depend on them. */
#ifndef CATC_TESTS_POLICIES_H
#define CATC_TESTS_POLICIES_H

#include "catlass_c/backend/host/launch.h"

/* Every policy of threads with every policy of copies. */
static const struct {
    enum catc_host_schedule schedule;
    uint64_t seed;
    enum catc_host_landing landing;
} policies[] = {{CATC_HOST_ROUNDROBIN, 1, CATC_HOST_LATE}, {CATC_HOST_ROUNDROBIN, 1, CATC_HOST_EARLY},
                {CATC_HOST_REVERSE, 2, CATC_HOST_LATE},    {CATC_HOST_REVERSE, 2, CATC_HOST_ANY_TIME},
                {CATC_HOST_RANDOM, 3, CATC_HOST_LATE},     {CATC_HOST_RANDOM, 4, CATC_HOST_ANY_TIME},
                {CATC_HOST_RANDOM, 5, CATC_HOST_EARLY}};
enum { POLICIES = sizeof policies / sizeof policies[0] };
static inline int set_policy(int i)
{
    catc_host_set_schedule(policies[i].schedule, policies[i].seed);
    catc_host_set_landing(policies[i].landing);
    return 1;
}
/* Where time is short (tests/aarch64) every third: each schedule and each landing once. */
#if !defined(CATC_TEST_POLICY_STEP)
#define CATC_TEST_POLICY_STEP 1
#endif
#define FOR_POLICIES(i) for (int i = 0; i < POLICIES && set_policy(i); i += CATC_TEST_POLICY_STEP)

#endif /* CATC_TESTS_POLICIES_H */
