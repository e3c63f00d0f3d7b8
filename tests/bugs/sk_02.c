/* SPDX-License-Identifier: Apache-2.0
 *
 * SK-02, as far as a GEMM without split-K goes: a workspace that is missing, short, too large, off by one byte or full of
 * garbage never decides whether an unforced call works; the size that is asked for is always enough. */
#include "gemm/simple.h"

enum { SIZE = 32 };

int main(void)
{
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        struct simple s;
        size_t needed = 12345;
        struct buffer memory = buffer_output(backend[b], 4096, 0); /* bytes 0xff */
        unsigned char *const base = (unsigned char *)buffer_use(&memory);
        buffer_upload(&memory);
        simple_open(&s, backend[b], CATC_F32, CATC_TN, SIZE, SIZE, SIZE, simple_a, simple_b);
        CHECK(catc_gemm_workspace_size(&s.args, &needed) == CATC_OK && needed <= 2048);
        struct {
            void *workspace;
            size_t size;
        } const given[] = {
            {NULL, 0}, {NULL, 1024}, {base, needed}, {base, needed ? needed - 1 : 0}, {base + 1, needed + 1}};
        for (size_t i = 0; i < sizeof given / sizeof given[0]; ++i) {
            struct catc_gemm_plan plan;
            simple_clear(&s);
            s.args.workspace = given[i].workspace;
            s.args.workspace_size = given[i].size;
            CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
            simple_clear(&s);
            CHECK(catc_gemm_make_plan(&plan, &s.args) == CATC_OK);
            CHECK(catc_gemm_launch(&plan, given[i].workspace, NULL) == CATC_OK);
            simple_download(&s);
            CHECK(simple_mismatches(&s, NULL) == 0);
        }
        buffer_download(&memory);
        CHECK(simple_bytes_that_changed(memory.host, memory.offset) == 0);
        CHECK(simple_bytes_that_changed(memory.host + memory.offset + memory.bytes, CATC_GUARD) == 0);
        buffer_free(&memory);
        simple_close(&s);
    }
    return check_result();
}
