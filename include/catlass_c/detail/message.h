/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/message.h: the thread's last sentence, and a text buffer that never overflows. Implementation only. */
#ifndef CATC_DETAIL_MESSAGE_H
#define CATC_DETAIL_MESSAGE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "catlass_c/status.h"

enum { CATC_SENTENCE = 1024 }; /* bytes of a sentence, terminator included */

static CATC_THREAD_LOCAL char catc_sentence_[CATC_SENTENCE];

/* Text being written into a caller's buffer; what does not fit is cut, the terminator always fits. */
struct catc_text {
    char *at;
    size_t left; /* bytes, terminator included; 0: nothing is written */
};

CATC_PRINTF(2, 3) static CATC_UNUSED void catc_text_add(struct catc_text *text, const char *format, ...)
{
    va_list arguments;
    if (text->left == 0) {
        return;
    }
    va_start(arguments, format);
    int const wanted = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    size_t const written = wanted < 0 ? 0 : (size_t)wanted < text->left ? (size_t)wanted : text->left - 1;
    text->at += written;
    text->left -= written;
}

static CATC_UNUSED struct catc_text catc_text_open(char *buffer, size_t size)
{
    struct catc_text const text = {buffer, buffer ? size : 0};
    if (text.left > 0) {
        buffer[0] = '\0';
    }
    return text;
}

/* The thread's last sentence, to be written by a call that may fail. What it holds stays until then. */
static CATC_UNUSED struct catc_text catc_text_last_(void)
{
    struct catc_text const text = {catc_sentence_, sizeof catc_sentence_};
    return text;
}

/* Write a sentence and return its status: `return catc_say(&text, CATC_MISALIGNED, "…")`. */
CATC_PRINTF(3, 4)
static CATC_UNUSED enum catc_status catc_say(struct catc_text *text, enum catc_status status, const char *format, ...)
{
    va_list arguments;
    if (text->left > 0) {
        va_start(arguments, format);
        vsnprintf(text->at, text->left, format, arguments);
        va_end(arguments);
        size_t const written = strlen(text->at);
        text->at += written;
        text->left -= written;
    }
    return status;
}

#endif /* CATC_DETAIL_MESSAGE_H */
