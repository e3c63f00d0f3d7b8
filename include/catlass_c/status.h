/* SPDX-License-Identifier: Apache-2.0
 *
 * status.h: what every function of the library returns. 0 is success; values are never renumbered. */
#ifndef CATC_STATUS_H
#define CATC_STATUS_H

#include "catlass_c/base.h"

CATC_EXTERN_C_BEGIN

enum catc_status {
    CATC_OK = 0,
    CATC_INVALID_ARGUMENT = 1,    /* an argument breaks a rule that holds for every instance */
    CATC_MISALIGNED = 2,          /* a pointer is not aligned to its element, or not enough for a forced instance */
    CATC_NOT_SUPPORTED = 3,       /* legal, but no built instance (or not the forced one) can do it */
    CATC_WORKSPACE_TOO_SMALL = 4, /* a forced instance needs more workspace than was given */
    CATC_ARCH_MISMATCH = 5,       /* built instances exist, none is compiled for this GPU */
    CATC_CUDA_FAILURE = 6,        /* CUDA refused a call; the message carries its text and the kernel's name */
    CATC_NO_DEVICE = 7,           /* the cuda backend was asked for and there is no usable GPU or driver */
    CATC_HOST_FAILURE = 8,        /* the emulator found a fault in a kernel: deadlock, divergence, illegal access */
    CATC_BACKEND_NOT_BUILT = 9    /* this library was built without the backend that was asked for */
};

/* The name of a status, for example "CATC_MISALIGNED"; "unknown status" for any other value. Never NULL. */
CATC_API const char *catc_status_name(enum catc_status status);

/* The sentence of this thread's last failure: `<instance or argument>: <name>=<value> must <rule>; <what to change>`.
 * Empty before the first failure. Valid until this thread's next failing call. Never NULL. */
CATC_API const char *catc_last_message(void);

/* "0.1.0" of the library that is linked, which may be newer than the headers (CATC_VERSION_STRING). */
CATC_API const char *catc_version(void);

CATC_EXTERN_C_END

#endif /* CATC_STATUS_H */
