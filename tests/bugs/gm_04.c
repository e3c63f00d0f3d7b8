/* SPDX-License-Identifier: Apache-2.0
 *
 * GM-04: for some transposes an odd or tiny K gave wrong numbers with no error. Every instance, every layout that is
 * built: small integers, compared exactly; an instance may only refuse for its stated alignment. */
#include "gemm/simple.h"

int main(void)
{
    simple_needs_default_set();
    static const int64_t depth[] = {1, 3, 17, 133};
    enum catc_backend backend[2];
    int const backends = simple_backends(backend);
    for (int b = 0; b < backends; ++b) {
        const struct catc_gemm_instance *i;
        int ran = 0, refused = 0;
        bool layout_seen[CATC_LAYOUT_END] = {false};
        for (int at = 0; (i = catc_gemm_at(NULL, backend[b], at)); ++at) {
            for (size_t k = 0; k < sizeof depth / sizeof depth[0]; ++k) {
                struct simple s;
                simple_open_instance(&s, i, 33, 65, depth[k], simple_a, simple_b);
                enum catc_status const status = catc_gemm(&s.args);
                simple_download(&s);
                if (status == CATC_OK) {
                    int const wrong = simple_mismatches(&s, NULL);
                    CHECK(wrong == 0);
                    if (wrong) {
                        fprintf(stderr, "  in %s on %s, k=%lld\n", i->name, catc_backend_name(backend[b]),
                                (long long)depth[k]);
                    }
                    layout_seen[i->layout] = true;
                    ++ran;
                } else {
                    CHECK(status == CATC_MISALIGNED || status == CATC_NOT_SUPPORTED || status == CATC_ARCH_MISMATCH);
                    CHECK(i->skeleton != CATC_GEMM_SIMT); /* the reference skeleton takes everything */
                    CHECK(simple_bytes_that_changed(s.d.host, s.d.total) == 0);
                    ++refused;
                }
                simple_close(&s);
            }
        }
        for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) {
            CHECK(layout_seen[layout]);
        }
        printf("%s: %d problems right, %d refused\n", catc_backend_name(backend[b]), ran, refused);
    }

    /* and without a forced instance every one of them has an answer */
    for (int b = 0; b < backends; ++b) {
        for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) {
            for (size_t k = 0; k < sizeof depth / sizeof depth[0]; ++k) {
                struct simple s;
                simple_open(&s, backend[b], CATC_F32, (enum catc_layout)layout, 33, 65, depth[k], simple_a, simple_b);
                CHECK(simple_run(&s) == CATC_OK && simple_mismatches(&s, NULL) == 0);
                simple_close(&s);
            }
        }
    }
    return check_result();
}
