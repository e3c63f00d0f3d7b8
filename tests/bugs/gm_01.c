/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-01: with beta = 0 the old contents of C were multiplied by 0, so that NaN came out, often only in edge tiles.
 * Every instance, 130 being just past a tile of 128: C full of NaN, D full of NaN, then C = NULL. */
#include "gemm/simple.h"

static double sixty_four(int64_t row, int64_t column)
{
    (void)row, (void)column;
    return 64.0; /* before the chain */
}

int main(void)
{
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        const struct catc_gemm_instance *i;
        int tested = 0;
        for (int at = 0; (i = simple_next(backend[b], &at)); ++tested) {
            struct simple s;
            int const before = check_failures;
            bool const pad = i->align_a > 4; /* instances with stricter needs take rows of whole 16 bytes */
            simple_open_instance(&s, i, 130, pad ? 136 : 130, 64, simple_one, simple_one);
            simple_c(&s, 0.0f, simple_nan);
            CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sixty_four) == 0);
            simple_clear(&s);
            s.args.c = NULL;
            CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sixty_four) == 0);
            simple_clear(&s);
            s.args.beta = NULL; /* the default is 0 */
            CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, sixty_four) == 0);
            simple_close(&s);
            if (check_failures > before) {
                fprintf(stderr, "  in %s on %s\n", i->name, catc_backend_name(backend[b]));
            }
        }
        CHECK(tested > 0);
    }
    return check_result();
}
