/* SPDX-License-Identifier: Apache-2.0
 *
 * operand_case.inst.h: one operand of operand_sm80.c, with a function CASE_test. Include with CASE, its name, and the
 * CATC_I_* of tile/operand_sm80.inst.h but for CATC_I_NAME. */
enum {
    CATC_PASTE(CASE, _extent) = CATC_I_EXTENT,
    CATC_PASTE(CASE, _depth) = CATC_I_DEPTH,
    CATC_PASTE(CASE, _kcontig) = CATC_I_KCONTIG,
    CATC_PASTE(CASE, _left) = CATC_I_LEFT,
    CATC_PASTE(CASE, _threads) = CATC_I_THREADS,
    CATC_PASTE(CASE, _warp) = CATC_I_WARP
};
#define CATC_I_NAME CASE
#include "catlass_c/tile/operand_sm80.inst.h"

/* One whole k tile by the fast copies, in two parts; the same by the slow ones; and the fragments of every k step. */
CATC_KERNEL(CATC_PASTE(CASE, _kernel), struct source, CATC_PASTE(CASE, _threads), 1)
{
    const struct source *p = CATC_PARAMS;
    uint8_t *const stage = CATC_SHARED(uint8_t);
    uint32_t const at = catc_smem_u32(stage);
    enum { HALF = CATC_PASTE(CASE, _PASSES) / 2 };
    struct CATC_PASTE(CASE, _source) const s = CATC_PASTE(CASE, _open)(p->matrix, p->ld, p->first, p->end, 16);
    log_of = &fast;
    CATC_PASTE(CASE, _copy)(&s, at, 0, HALF);
    CATC_PASTE(CASE, _copy)(&s, at, HALF, CATC_PASTE(CASE, _PASSES));
    log_of = &slow;
    CATC_PASTE(CASE, _copy_edge)(stage, p->matrix, p->ld, p->first, p->end, 0, CATC_PASTE(CASE, _depth), 16);
    if (!s.fast)
        not_fast++;
    for (int step = 0; step < CATC_PASTE(CASE, _depth) / 16; step++) {
        for (int first = 0; first < CATC_PASTE(CASE, _extent); first += CATC_PASTE(CASE, _warp)) {
            uint32_t f[CATC_PASTE(CASE, _TILES)][4];
            rows = first, step_of = step;
            CATC_PASTE(CASE, _fragments)(f, at, first, step);
        }
    }
}

static void CATC_PASTE(CASE, _test)(void)
{
    static const struct shape shape = {
        CATC_STRING(CASE),       CATC_PASTE(CASE, _extent),  CATC_PASTE(CASE, _depth), CATC_PASTE(CASE, _kcontig),
        CATC_PASTE(CASE, _left), CATC_PASTE(CASE, _threads), CATC_PASTE(CASE, _BYTES)};
    test(&shape, CATC_PASTE(CASE, _kernel));
}
#undef CASE
