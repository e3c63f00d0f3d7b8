/* SPDX-License-Identifier: Apache-2.0
 *
 * tile/pipeline.h: position in a ring of stages that is guarded by a pair of mbarriers for each stage.
 *
 * full[s] completes when the stage's copies have landed, empty[s] when all its readers are done. Both sides walk the
 * ring in the same order and count rounds in one bit: a reader waits for full with `phase`, the writer for empty with
 * `phase ^ 1`, which passes at once in its first round, since a fresh barrier is in phase 0. */
#ifndef CATC_TILE_PIPELINE_H
#define CATC_TILE_PIPELINE_H

#include "catlass_c/base.h"

struct catc_ring {
    int stage;
    uint32_t phase;
};

CATC_DEVICE void catc_ring_next(struct catc_ring *ring, int stages)
{
    ring->stage += 1;
    if (ring->stage == stages) {
        ring->stage = 0;
        ring->phase ^= 1;
    }
}

/* `count` stages further, which somebody else fills or reads. */
CATC_DEVICE void catc_ring_skip(struct catc_ring *ring, int count, int stages)
{
    int const at = ring->stage + count;
    ring->phase ^= (uint32_t)(at / stages) & 1u;
    ring->stage = at % stages;
}

#endif /* CATC_TILE_PIPELINE_H */
