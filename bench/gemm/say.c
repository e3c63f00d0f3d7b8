/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

static char sentence[1024];

bool bench_fail(const char *format, ...)
{
    char text[sizeof sentence]; /* the arguments may hold the last sentence */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(sentence, sizeof sentence, "%s", text);
    return false;
}

const char *bench_last(void)
{
    return sentence;
}
