/* SPDX-License-Identifier: Apache-2.0
 *
 * BG-01: the batch index went straight into gridDim.z; past 65535 the launch failed and the output stayed as it was. */
#include "gemm/simple.h"

enum { SIZE = 16, AREA = SIZE * SIZE };
static int64_t const batch = 65536;

static double batch_value(int64_t row, int64_t k)
{
    (void)k;
    return (double)(row / SIZE % 7); /* the batch of A as one tall matrix */
}

int main(void)
{
    simple_needs_default_set();
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        struct simple s;
        int64_t wrong = 0;
        simple_open(&s, backend[b], CATC_F16, CATC_TN, SIZE * batch, SIZE, SIZE, batch_value, simple_one);
        s.args.m = SIZE;
        s.args.batch = batch;
        s.args.stride_a = s.args.stride_d = AREA; /* B is shared */
        CHECK(simple_run(&s) == CATC_OK);
        for (int64_t p = 0; p < batch; ++p) {
            for (int64_t i = 0; i < AREA; ++i) {
                double const got = element_read(CATC_F16, s.d.host + s.d.offset, p * AREA + i);
                if (got != 16.0 * (double)(p % 7) && wrong++ < 3) {
                    fprintf(stderr, "  batch %lld element %lld: got %g\n", (long long)p, (long long)i, got);
                }
            }
        }
        CHECK(wrong == 0);
        CHECK(element_read(CATC_F16, s.d.host + s.d.offset, 65535 * AREA) == 16.0);
        simple_close(&s);
    }
    return check_result();
}
