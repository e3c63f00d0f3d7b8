/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/check.h: the least a test program needs. CHECK prints what failed and goes on; main returns check_result(). */
#ifndef CATC_TESTS_CHECK_H
#define CATC_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #condition); \
            check_failures++; \
        } \
    } while (0)

/* `text` contains `part`; prints the text if not. */
#define CHECK_HAS(text, part) \
    do { \
        if (!strstr((text), (part))) { \
            fprintf(stderr, "%s:%d: CHECK failed: \"%s\" is not in:\n%s\n", __FILE__, __LINE__, (part), (text)); \
            check_failures++; \
        } \
    } while (0)

static inline int check_result(void)
{
    if (check_failures)
        fprintf(stderr, "%d checks failed\n", check_failures);
    return check_failures ? 1 : 0;
}

#endif /* CATC_TESTS_CHECK_H */
