/* SPDX-License-Identifier: Apache-2.0
 *
 * api/versioning.c: a caller with older or newer headers than the library. Shorter argument structs are zero-extended
 * and never read past their end; a longer one is accepted if its tail is zero and refused if not. */
#include "gemm/simple.h"

struct newer {
    struct catc_gemm_args args;
    unsigned char added[24];
};

enum { ENTRIES = 6 };
static const char *const entry_name[ENTRIES] = {"run", "check", "workspace_size", "plan", "plan_update", "explain"};

/* Each exported function that takes a sized struct. */
static enum catc_status call(int entry, const struct catc_gemm_args *args, size_t size, struct catc_gemm_plan *plan)
{
    char text[2048];
    size_t bytes;
    switch (entry) {
    case 0: return catc_gemm_sized(args, size);
    case 1: return catc_gemm_check_sized(catc_gemm_plan_instance(plan), args, size, text, sizeof text);
    case 2: return catc_gemm_workspace_size_sized(args, size, &bytes);
    case 3: return catc_gemm_make_plan_sized(plan, args, size);
    case 4: return catc_gemm_plan_update_sized(plan, args, size);
    default: return catc_gemm_explain_sized(args, size, text, sizeof text);
    }
}

static void expect(int entry, enum catc_status got, enum catc_status want, const char *what)
{
    if (got != want) {
        fprintf(stderr, "%s with %s: %s, want %s: %s\n", entry_name[entry], what, catc_status_name(got),
                catc_status_name(want), catc_last_message());
        ++check_failures;
    }
}

int main(void)
{
    struct simple s;
    struct newer newer;
    struct catc_gemm_plan plan;
    unsetenv("CATC_HOST_DEVICE");
    simple_open(&s, CATC_HOST, CATC_F32, CATC_TN, 20, 12, 8, simple_a, simple_b);
    CHECK(catc_gemm_make_plan(&plan, &s.args) == CATC_OK);

    /* shorter: the struct ends before `instance`, at an inaccessible page */
    size_t const shorter = offsetof(struct catc_gemm_args, instance);
    unsigned char *const end = (unsigned char *)catc_host_alloc(shorter, 1);
    memcpy(end, &s.args, shorter);
    for (int entry = 0; entry < ENTRIES; ++entry) {
        expect(entry, call(entry, (const struct catc_gemm_args *)(const void *)end, shorter, &plan), CATC_OK,
               "a shorter struct");
    }
    catc_host_free(end);
    simple_download(&s);
    CHECK(simple_mismatches(&s, NULL) == 0);

    /* what lies behind the given size is not part of the arguments, wherever it comes from */
    struct catc_gemm_args garbage = s.args;
    memset((unsigned char *)&garbage + shorter, 0xee, sizeof garbage - shorter);
    for (int entry = 0; entry < ENTRIES; ++entry) {
        expect(entry, call(entry, &garbage, shorter, &plan), CATC_OK, "garbage behind its end");
    }

    /* so short that a required field is missing: it is missing, with its own sentence */
    for (int entry = 0; entry < ENTRIES; ++entry) {
        expect(entry, call(entry, &s.args, offsetof(struct catc_gemm_args, layout), &plan), CATC_INVALID_ARGUMENT,
               "no layout");
        expect(entry, call(entry, &s.args, 0, &plan), CATC_INVALID_ARGUMENT, "size 0");
    }

    /* longer, from newer headers */
    memset(&newer, 0, sizeof newer);
    newer.args = s.args;
    simple_clear(&s);
    for (int entry = 0; entry < ENTRIES; ++entry) {
        expect(entry, call(entry, &newer.args, sizeof newer, &plan), CATC_OK, "a zero tail");
    }
    simple_download(&s);
    CHECK(simple_mismatches(&s, NULL) == 0);
    simple_clear(&s);
    for (size_t byte = 0; byte < sizeof newer.added; byte += sizeof newer.added - 1) { /* the first and the last */
        memset(newer.added, 0, sizeof newer.added);
        newer.added[byte] = 1;
        for (int entry = 0; entry < ENTRIES; ++entry) {
            expect(entry, call(entry, &newer.args, sizeof newer, &plan), CATC_INVALID_ARGUMENT,
                   "a field from the future");
        }
    }
    CHECK(catc_gemm_sized(&newer.args, sizeof newer) == CATC_INVALID_ARGUMENT);
    CHECK_HAS(catc_last_message(), "size=");
    CHECK_HAS(catc_last_message(), catc_version());
    simple_download(&s);
    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
    CHECK(strcmp(catc_version(), CATC_VERSION_STRING) == 0);
    simple_close(&s);
    return check_result();
}
