/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/host/tma.h: tensor maps and bulk copies (PTX ISA 9.7.9.25). A part of backend/host/runtime.h.
 *
 * A load fills its destination with NaN when it is issued and lands when no thread can run (policy late), in an order
 * drawn from the seed. A store reads shared memory in the wait that covers its group, and becomes visible in global
 * memory in the full wait or at the end of the block. */

enum { CATC_HOST_MAP_MAGIC = 0x43544d31 }; /* "CTM1" */

CATC_API enum catc_status catc_host_tensor_map(struct catc_tensor_map *map, int rank, const void *base, int elem_bytes,
                                               const uint64_t *dims, const uint64_t *stride_bytes, const uint32_t *box,
                                               int swizzle_span_bytes, char *sentence, size_t size)
{
    char none[1];
    if (!sentence || size == 0) {
        sentence = none;
        size = sizeof none;
    }
    sentence[0] = 0;
    if (!map || !base || !dims || !box || (rank > 1 && !stride_bytes)) {
        catc_host_append(sentence, size, "tensor map: a pointer is NULL");
        return CATC_INVALID_ARGUMENT;
    }
    if (rank < 1 || rank > 5) {
        catc_host_append(sentence, size, "tensor map: rank=%d must be 1 to 5", rank);
        return CATC_INVALID_ARGUMENT;
    }
    if (elem_bytes != 1 && elem_bytes != 2 && elem_bytes != 4 && elem_bytes != 8) {
        catc_host_append(sentence, size, "tensor map: elem_bytes=%d must be 1, 2, 4 or 8", elem_bytes);
        return CATC_INVALID_ARGUMENT;
    }
    if (swizzle_span_bytes != 0 && swizzle_span_bytes != 32 && swizzle_span_bytes != 64 && swizzle_span_bytes != 128) {
        catc_host_append(sentence, size, "tensor map: swizzle_span_bytes=%d must be 0, 32, 64 or 128",
                         swizzle_span_bytes);
        return CATC_INVALID_ARGUMENT;
    }
    if ((uintptr_t)base % 16) {
        catc_host_append(sentence, size, "tensor map: base=%p must be a multiple of 16 bytes", base);
        return CATC_MISALIGNED;
    }
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 1 || dims[i] > 1ull << 32) {
            catc_host_append(sentence, size, "tensor map: dims[%d]=%llu must be 1 to 2^32", i,
                             (unsigned long long)dims[i]);
            return CATC_INVALID_ARGUMENT;
        }
        if (box[i] < 1 || box[i] > 256) {
            catc_host_append(sentence, size, "tensor map: box[%d]=%u must be 1 to 256", i, box[i]);
            return CATC_INVALID_ARGUMENT;
        }
        if (i > 0 && (stride_bytes[i - 1] % 16 || stride_bytes[i - 1] >= 1ull << 40)) {
            catc_host_append(sentence, size, "tensor map: stride_bytes[%d]=%llu must be a multiple of 16 below 2^40",
                             i - 1, (unsigned long long)stride_bytes[i - 1]);
            return CATC_MISALIGNED;
        }
    }
    const uint32_t inner = box[0] * (uint32_t)elem_bytes;
    if (inner % 16) {
        catc_host_append(sentence, size, "tensor map: box[0]=%u gives rows of %u bytes; must be a multiple of 16",
                         box[0], inner);
        return CATC_INVALID_ARGUMENT;
    }
    if (swizzle_span_bytes && inner > (uint32_t)swizzle_span_bytes) {
        catc_host_append(sentence, size,
                         "tensor map: box[0]=%u gives rows of %u bytes; must fit the swizzle span of %d", box[0], inner,
                         swizzle_span_bytes);
        return CATC_INVALID_ARGUMENT;
    }
    struct catc_host_map m;
    CATC_STATIC_ASSERT(sizeof m <= sizeof *map, "the emulator's tensor map fits the opaque bytes");
    memset(&m, 0, sizeof m);
    m.magic = CATC_HOST_MAP_MAGIC;
    m.rank = (uint8_t)rank;
    m.elem_bytes = (uint8_t)elem_bytes;
    m.span = (uint8_t)swizzle_span_bytes;
    m.base = (unsigned char *)(uintptr_t)base;
    for (int i = 0; i < 5; i++) {
        m.box[i] = (uint16_t)(i < rank ? box[i] : 1);
        m.dim[i] = (uint32_t)(i < rank ? dims[i] - 1 : 0);
        if (i > 0 && i < rank)
            m.stride[i - 1] = stride_bytes[i - 1];
    }
    memset(map, 0, sizeof *map);
    memcpy(map, &m, sizeof m);
    return CATC_OK;
}

/* Bytes from one row of the box to the next in shared memory: with a swizzle always one span. */
static inline uint32_t catc_host_pitch(const struct catc_host_map *m)
{
    return m->span ? m->span : (uint32_t)m->box[0] * m->elem_bytes;
}
static inline uint32_t catc_host_rows(const struct catc_host_map *m)
{
    return (uint32_t)m->box[1] * m->box[2] * m->box[3] * m->box[4];
}

/* The swizzle permutes 16-byte chunks by XOR of address bits. Span 128: [4:6] ^= [7:9]; 64: [4:5] ^= [7:8];
 * 32: [4] ^= [7]. */
static inline uint32_t catc_host_swizzle(uint32_t address, uint32_t span)
{
    return address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

enum catc_host_motion { CATC_HOST_POISON, CATC_HOST_FETCH, CATC_HOST_GATHER, CATC_HOST_WRITE };

/* Walks the box row by row.
 *   POISON  shared <- NaN
 *   FETCH   shared <- global, 0 outside the tensor
 *   GATHER  held <- shared
 *   WRITE   global <- held, nothing outside */
static void catc_host_move(struct catc_host *h, struct catc_host_copy *c, enum catc_host_motion motion)
{
    const struct catc_host_map *m = &c->map;
    const uint32_t inner = (uint32_t)m->box[0] * m->elem_bytes, pitch = catc_host_pitch(m), rows = catc_host_rows(m);
    const int64_t tensor_bytes = ((int64_t)m->dim[0] + 1) * m->elem_bytes, from = c->at[0] * m->elem_bytes;
    uint32_t i[5] = {0, 0, 0, 0, 0};
    for (uint32_t row = 0; row < rows; row++) {
        unsigned char *global = NULL;
        if (motion == CATC_HOST_FETCH || motion == CATC_HOST_WRITE) {
            global = m->base;
            for (int d = 1; d < m->rank; d++) {
                const int64_t at = c->at[d] + (int64_t)i[d];
                if (at < 0 || at > (int64_t)m->dim[d]) {
                    global = NULL;
                    break;
                }
                global += (uint64_t)at * m->stride[d - 1];
            }
        }
        for (uint32_t byte = 0; byte < inner; byte += 16) {
            const uint32_t address = c->smem + row * pitch + byte;
            unsigned char *shared =
                h->arena + ((m->span ? catc_host_swizzle(address, m->span) : address) - CATC_HOST_SMEM_BASE);
            /* Of these 16 bytes, those inside the tensor: all, or the first ones at its edge, or none. */
            const int64_t at = from + byte;
            const int64_t inside = !global || at < 0 || at >= tensor_bytes ? 0
                                   : tensor_bytes - at < 16                ? tensor_bytes - at
                                                                           : 16;
            switch (motion) {
            case CATC_HOST_POISON: memset(shared, 0xff, 16); break;
            case CATC_HOST_FETCH:
                if (inside == 16) {
                    memcpy(shared, global + at, 16);
                } else {
                    memset(shared, 0, 16);
                    if (inside)
                        memcpy(shared, global + at, (size_t)inside);
                }
                break;
            case CATC_HOST_GATHER: memcpy(c->held + row * inner + byte, shared, 16); break;
            case CATC_HOST_WRITE:
                /* whole 16-byte units, as an H200 does: a row whose length is no multiple of 16 bytes is overrun */
                if (inside)
                    memcpy(global + at, c->held + row * inner + byte, 16);
                break;
            }
        }
        for (int d = 1; d < 5 && ++i[d] == m->box[d]; d++)
            i[d] = 0;
    }
}

static void catc_host_load_lands(struct catc_host *h, struct catc_host_copy *c)
{
    const uint32_t bytes = (uint32_t)c->map.box[0] * c->map.elem_bytes * catc_host_rows(&c->map);
    catc_host_move(h, c, CATC_HOST_FETCH);
    CATC_HOST_HOOK(async, CATC_HOST_LOAD_LANDED, h->arena + (c->smem - CATC_HOST_SMEM_BASE), bytes,
                   h->arena + (c->bar->address - CATC_HOST_SMEM_BASE), c->site);
    catc_host_mbar_credit(h, c->bar, c->phase, bytes, c->site);
}

static int catc_host_land_one(struct catc_host *h)
{
    if (!h->n_loads)
        return 0;
    const int i = (int)(catc_host_random(h) % (uint32_t)h->n_loads);
    struct catc_host_copy c = h->loads[i];
    h->loads[i] = h->loads[--h->n_loads];
    catc_host_load_lands(h, &c);
    return 1;
}

static void catc_host_store_reads(struct catc_host *h, struct catc_host_copy *c)
{
    const uint32_t bytes = (uint32_t)c->map.box[0] * c->map.elem_bytes * catc_host_rows(&c->map);
    if (c->held)
        return;
    c->held = (unsigned char *)malloc(bytes);
    if (!c->held)
        catc_host_fail(h, "no memory for the %u bytes of the store at %s", bytes, c->site);
    catc_host_move(h, c, CATC_HOST_GATHER);
    CATC_HOST_HOOK(async, CATC_HOST_STORE_READ, h->arena + (c->smem - CATC_HOST_SMEM_BASE), bytes, NULL, c->site);
}
static void catc_host_store_writes(struct catc_host *h, struct catc_host_copy *c)
{
    if (c->written)
        return;
    catc_host_move(h, c, CATC_HOST_WRITE);
    c->written = 1;
    CATC_HOST_HOOK(async, CATC_HOST_STORE_WRITTEN, c->map.base, 0, NULL, c->site);
}

static struct catc_host_copy *catc_host_copy_append(struct catc_host *h, struct catc_host_copy **list, int *n, int *max,
                                                    const char *site)
{
    if (*n == *max) {
        const int more = *max ? 2 * *max : 64;
        struct catc_host_copy *grown = (struct catc_host_copy *)realloc(*list, (size_t)more * sizeof **list);
        if (!grown)
            catc_host_fail(h, "no memory for another copy in flight, issued at %s", site);
        *list = grown;
        *max = more;
    }
    memset(&(*list)[*n], 0, sizeof **list);
    return &(*list)[(*n)++];
}

/* What loads and stores have in common: the map and the rules of the instruction. */
static void catc_host_copy_fill(struct catc_host *h, struct catc_host_copy *c, const struct catc_tensor_map *map,
                                uint32_t smem, int rank, int32_t x, int32_t y, int32_t z, const char *what,
                                const char *site)
{
    memcpy(&c->map, map, sizeof c->map);
    const struct catc_host_map *m = &c->map;
    if (m->magic != CATC_HOST_MAP_MAGIC)
        catc_host_fail(h, "%s at %s: %p is not a tensor map made for the host backend", what, site, (const void *)map);
    if (m->rank != rank)
        catc_host_fail(h, "%s at %s: the tensor map has rank %d, the instruction %d", what, site, m->rank, rank);
    c->thread = h->current;
    c->smem = smem;
    c->site = site;
    c->at[0] = x;
    c->at[1] = y;
    c->at[2] = z;
    if ((int64_t)x * m->elem_bytes % 16)
        catc_host_fail(h, "%s at %s: inner coordinate x=%d is byte %lld of a row; must be a multiple of 16 bytes", what,
                       site, x, (long long)x * m->elem_bytes);
    const uint32_t alignment = m->span ? 8u * m->span : 128u;
    if (smem % alignment)
        catc_host_fail(h, "%s at %s: shared address 0x%x must be a multiple of %u (%s)", what, site, smem, alignment,
                       m->span ? "one atom of the swizzle" : "no swizzle");
    catc_host_smem(h, smem, catc_host_rows(m) * catc_host_pitch(m), what, site);
}

CATC_API void catc_host_tma_load(uint32_t dst, const struct catc_tensor_map *map, uint32_t bar, int rank, int32_t x,
                                 int32_t y, int32_t z, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_copy *c = catc_host_copy_append(h, &h->loads, &h->n_loads, &h->max_loads, site);
    catc_host_copy_fill(h, c, map, dst, rank, x, y, z, "catc_tma_load", site);
    c->bar = catc_host_mbar_find(h, bar, "catc_tma_load", site);
    c->phase = c->bar->phase;
    CATC_HOST_HOOK(async, CATC_HOST_LOAD_ISSUED, h->arena + (dst - CATC_HOST_SMEM_BASE),
                   (size_t)catc_host_rows(&c->map) * catc_host_pitch(&c->map), h->arena + (bar - CATC_HOST_SMEM_BASE),
                   site);
    if (h->landing == CATC_HOST_EARLY) {
        struct catc_host_copy now = *c;
        h->n_loads--;
        catc_host_load_lands(h, &now);
    } else {
        catc_host_move(h, c, CATC_HOST_POISON);
    }
}

CATC_API void catc_host_tma_store(const struct catc_tensor_map *map, uint32_t src, int rank, int32_t x, int32_t y,
                                  int32_t z, const char *site)
{
    struct catc_host *h = catc_host_tls;
    struct catc_host_copy *c = catc_host_copy_append(h, &h->stores, &h->n_stores, &h->max_stores, site);
    catc_host_copy_fill(h, c, map, src, rank, x, y, z, "catc_tma_store", site);
    c->group = catc_host_fibre(h)->stores_committed;
    CATC_HOST_HOOK(async, CATC_HOST_STORE_ISSUED, h->arena + (src - CATC_HOST_SMEM_BASE),
                   (size_t)catc_host_rows(&c->map) * catc_host_pitch(&c->map), NULL, site);
    if (h->landing == CATC_HOST_EARLY || (h->landing == CATC_HOST_ANY_TIME && (catc_host_random(h) & 1))) {
        catc_host_store_reads(h, c);
        catc_host_store_writes(h, c);
    }
}

CATC_API void catc_host_bulk_commit(const char *site)
{
    struct catc_host *h = catc_host_tls;
    catc_host_fibre(h)->stores_committed++;
    (void)site;
    CATC_HOST_HOOK(sync, CATC_HOST_BULK_COMMIT, NULL, catc_host_fibre(h)->stores_committed, site);
}

CATC_API void catc_host_bulk_wait(int pending, int read_only, const char *site)
{
    struct catc_host *h = catc_host_tls;
    const uint32_t committed = catc_host_fibre(h)->stores_committed;
    const uint32_t done = committed > (uint32_t)pending ? committed - (uint32_t)pending : 0;
    int kept = 0;
    (void)site;
    for (int i = 0; i < h->n_stores; i++) {
        struct catc_host_copy *c = &h->stores[i];
        if (c->thread == h->current && c->group < done) {
            catc_host_store_reads(h, c);
            c->released = 1;
            if (!read_only)
                catc_host_store_writes(h, c);
        }
        if (c->written && c->released) {
            free(c->held);
        } else {
            h->stores[kept++] = *c;
        }
    }
    h->n_stores = kept;
    CATC_HOST_HOOK(sync, read_only ? CATC_HOST_BULK_WAITED_READ : CATC_HOST_BULK_WAITED, NULL, done, site);
}

/* After a failure copies may be left over. */
static void catc_host_copies_reset(struct catc_host *h)
{
    for (int i = 0; i < h->n_stores; i++)
        free(h->stores[i].held);
    h->n_loads = h->n_stores = 0;
}

static void catc_host_copies_check(struct catc_host *h)
{
    if (h->n_loads)
        catc_host_fail(h, "the block ends while the copy issued at %s by thread %d is in flight; nobody waited for it",
                       h->loads[0].site, h->loads[0].thread);
    for (int i = 0; i < h->n_stores; i++) {
        struct catc_host_copy *c = &h->stores[i];
        if (!c->released)
            catc_host_fail(h,
                           "the block ends while the store issued at %s by thread %d may still read shared memory; %s",
                           c->site, c->thread,
                           c->group < h->fibre[c->thread].stores_committed ? "its group was not waited for"
                                                                           : "it was not committed");
        catc_host_store_writes(h, c);
    }
}

static void catc_host_copies_free(struct catc_host *h)
{
    catc_host_copies_reset(h);
    free(h->loads);
    free(h->stores);
}
