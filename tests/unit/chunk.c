/* SPDX-License-Identifier: Apache-2.0
 *
 * chunk.c: tile/chunk.h copies what is there, makes the rest zero, and reads nothing else, with every alignment. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catlass_c/tile/chunk.h"
#include "emulator.h"

struct params {
    const uint8_t *source;
    uint8_t *out;
    int bytes, align;
};
struct shared {
    CATC_ALIGNAS(16) uint8_t chunk[32][CATC_CHUNK];
};

/* Every thread copies the same chunk; before it lands its place holds 0x77. */
CATC_KERNEL(chunk_kernel, struct params, 32, 1)
{
    const struct params *p = CATC_PARAMS;
    struct shared *s = CATC_SHARED(struct shared);
    uint8_t *const mine = s->chunk[catc_thread()];
    memset(mine, 0x77, CATC_CHUNK);
    catc_copy_chunk(mine, p->source, p->bytes, p->align);
    CATC_CP_ASYNC_COMMIT();
    CATC_CP_ASYNC_WAIT(0);
    memcpy(p->out + catc_thread() * CATC_CHUNK, mine, CATC_CHUNK);
}

/* A chunk whose valid bytes end where nothing may be read any more: at `end`, or as near as the alignment allows. */
static void test_at_the_end(const uint8_t *end, int bytes, int align)
{
    static uint8_t out[32 * CATC_CHUNK];
    const uint8_t *const source = end - (bytes + align - 1) / align * align;
    struct params p = {source, out, bytes, align};
    FOR_POLICIES(i)
    {
        memset(out, 0x55, sizeof out);
        CHECK(LAUNCH(chunk_kernel, &p, 1, 32, sizeof(struct shared)) == CATC_OK);
        int wrong = 0;
        for (int b = 0; b < 32 * CATC_CHUNK; b++)
            wrong += out[b] != (b % CATC_CHUNK < bytes ? source[b % CATC_CHUNK] : 0);
        if (wrong) {
            fprintf(stderr, "%d bytes, align %d: %d wrong\n", bytes, align, wrong);
            check_failures++;
        }
    }
}

int main(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *const pages = (uint8_t *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE)) {
        perror("mmap");
        return 1;
    }
    for (size_t i = 0; i < page; i++)
        pages[i] = (uint8_t)(random_u32() | 1); /* never 0, which is what the rest becomes */
    for (int align = 16; align >= 2; align /= 2)
        for (int bytes = 0; bytes <= CATC_CHUNK; bytes += 2)
            test_at_the_end(pages + page, bytes, align);
    return check_result();
}
