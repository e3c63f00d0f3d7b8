/* SPDX-License-Identifier: Apache-2.0 */
#include "shapes.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

enum catc_type bench_type(const char *token)
{
    for (int type = 1; type < CATC_TYPE_END; ++type) {
        if (strcmp(catc_type_name((enum catc_type)type), token) == 0) {
            return (enum catc_type)type;
        }
    }
    return CATC_TYPE_NOT_GIVEN;
}

enum catc_layout bench_layout(const char *token)
{
    for (int layout = 1; layout < CATC_LAYOUT_END; ++layout) {
        if (strcmp(catc_layout_name((enum catc_layout)layout), token) == 0) {
            return (enum catc_layout)layout;
        }
    }
    return CATC_LAYOUT_NOT_GIVEN;
}

bool bench_size(const char *token, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(token, &end, 10);
    return end != token && *end == '\0' && errno == 0 && *value >= 1 && *value <= (int64_t)1 << 31;
}

bool bench_a_by_rows(enum catc_layout layout)
{
    return layout == CATC_TN || layout == CATC_TT;
}

bool bench_b_by_columns(enum catc_layout layout)
{
    return layout == CATC_TN || layout == CATC_NN;
}

bool bench_aligned(const struct bench_shape *s)
{
    int64_t const size_a = (int64_t)catc_type_size(s->type_a), size_d = (int64_t)catc_type_size(s->type_d);
    int64_t const row_a = bench_a_by_rows(s->layout) ? s->k : s->m;
    int64_t const row_b = bench_b_by_columns(s->layout) ? s->k : s->n;
    return row_a * size_a % 16 == 0 && row_b * size_a % 16 == 0 && s->n * size_d % 16 == 0;
}

double bench_flop(const struct bench_shape *s)
{
    return 2.0 * (double)s->m * (double)s->n * (double)s->k * (double)s->batch;
}

double bench_matrix_bytes(const struct bench_shape *s)
{
    double const m = (double)s->m, n = (double)s->n, k = (double)s->k;
    return (double)s->batch *
           ((m * k + k * n) * (double)catc_type_size(s->type_a) + m * n * (double)catc_type_size(s->type_d));
}

void bench_label(const struct bench_shape *s, char *out, size_t size)
{
    char batch[24] = "", type_d[16] = "";
    if (s->batch > 1) {
        snprintf(batch, sizeof batch, "%lldx", (long long)s->batch);
    }
    if (s->type_d != s->type_a) {
        snprintf(type_d, sizeof type_d, "->%s", catc_type_name(s->type_d));
    }
    snprintf(out, size, "%s%lldx%lldx%lld %s%s %s%s%s", batch, (long long)s->m, (long long)s->n, (long long)s->k,
             catc_type_name(s->type_a), type_d, catc_layout_name(s->layout), s->chain[0] ? " " : "", s->chain);
}

bool bench_shapes_add(struct bench_shapes *shapes, const struct bench_shape *shape)
{
    struct bench_shape *const items =
        (struct bench_shape *)realloc(shapes->items, ((size_t)shapes->count + 1) * sizeof *items);
    if (!items) {
        return bench_fail("shapes: out of memory after %d shapes", shapes->count);
    }
    shapes->items = items;
    items[shapes->count] = *shape;
    struct bench_shape *const s = &items[shapes->count++];
    s->batch = s->batch ? s->batch : 1;
    s->type_a = s->type_a ? s->type_a : CATC_BF16;
    s->type_d = s->type_d ? s->type_d : s->type_a;
    s->layout = s->layout ? s->layout : CATC_TN;
    return true;
}

void bench_shapes_free(struct bench_shapes *shapes)
{
    free(shapes->items);
    shapes->items = NULL;
    shapes->count = 0;
}

void bench_shapes_filter(struct bench_shapes *shapes, const char *filter)
{
    int kept = 0;
    for (int i = 0; i < shapes->count; ++i) {
        const struct bench_shape *const s = &shapes->items[i];
        char label[BENCH_LABEL];
        bench_label(s, label, sizeof label);
        bool const keep = strcmp(filter, "aligned") == 0     ? bench_aligned(s)
                          : strcmp(filter, "unaligned") == 0 ? !bench_aligned(s)
                                                             : fnmatch(filter, label, 0) == 0;
        if (keep) {
            shapes->items[kept++] = *s;
        }
    }
    shapes->count = kept;
}

/* One line of a list: m n k [batch] [a-type d-type layout epilogue]; false with the reason in bench_last(). */
static bool parse_line(char *line, struct bench_shape *s)
{
    static const char *const size_name[] = {"m", "n", "k"};
    char *token[10], *rest = line;
    int count = 0, at = 3;
    for (char *word; count < 10 && (word = strtok_r(count ? NULL : line, " \t\r\n", &rest)) != NULL;) {
        token[count++] = word;
    }
    memset(s, 0, sizeof *s);
    if (count < 3) {
        return bench_fail("a line must be m n k [batch] [a-type d-type layout epilogue]");
    }
    int64_t *const size[] = {&s->m, &s->n, &s->k};
    for (int i = 0; i < 3; ++i) {
        if (!bench_size(token[i], size[i])) {
            return bench_fail("%s=%s must be a whole number from 1 to 2^31", size_name[i], token[i]);
        }
    }
    if (at < count && token[at][0] >= '0' && token[at][0] <= '9') {
        if (!bench_size(token[at], &s->batch)) {
            return bench_fail("batch=%s must be a whole number from 1 to 2^31", token[at]);
        }
        ++at;
    }
    if (at == count) {
        return true;
    }
    if (count - at != 4) {
        return bench_fail(
            "after the sizes must come nothing or all of: a-type d-type layout epilogue ('-': no epilogue)");
    }
    s->type_a = bench_type(token[at]);
    s->type_d = bench_type(token[at + 1]);
    s->layout = bench_layout(token[at + 2]);
    if (!s->type_a || !s->type_d) {
        return bench_fail("type=%s must be f32, bf16 or f16", token[at + (s->type_a ? 1 : 0)]);
    }
    if (!s->layout) {
        return bench_fail("layout=%s must be tn, tt, nn or nt", token[at + 2]);
    }
    if (strlen(token[at + 3]) >= sizeof s->chain) {
        return bench_fail("epilogue=%s must be shorter than %d characters", token[at + 3], BENCH_CHAIN);
    }
    if (strcmp(token[at + 3], "-") != 0) {
        snprintf(s->chain, sizeof s->chain, "%s", token[at + 3]);
    }
    return true;
}

static FILE *open_list(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"bench/shapes", BENCH_SHAPES_DIR};
    FILE *file = NULL;
    snprintf(path, size, "%s", name);
    if (strpbrk(name, "/.") != NULL) {
        file = fopen(path, "r");
    }
    for (size_t i = 0; !file && i < sizeof folders / sizeof folders[0]; ++i) {
        snprintf(path, size, "%s/%s.txt", folders[i], name);
        file = fopen(path, "r");
    }
    return file;
}

bool bench_shapes_read(struct bench_shapes *shapes, const char *name, const struct bench_shape *given, bool has_chain)
{
    char path[1024], line[512];
    FILE *const file = open_list(name, path, sizeof path);
    if (!file) {
        return bench_fail("--shapes: list=%s must be a file that can be read, or the name of one in bench/shapes "
                          "(square, llm_prefill, llm_decode, odd, random); give its path",
                          name);
    }
    bool good = true;
    for (int number = 1; good && fgets(line, sizeof line, file); ++number) {
        struct bench_shape s;
        if (strlen(line) + 1 == sizeof line) {
            good = bench_fail("%s:%d: a line must be shorter than %d characters", path, number, (int)sizeof line - 1);
            break;
        }
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r\n")] == '\0') {
            continue;
        }
        if (!parse_line(line, &s)) {
            good = bench_fail("%s:%d: %s", path, number, bench_last());
            break;
        }
        s.batch = given->batch ? given->batch : s.batch;
        if (given->type_a) { /* another type of A takes D's along, unless that is given too */
            s.type_d = s.type_d == s.type_a ? CATC_TYPE_NOT_GIVEN : s.type_d;
            s.type_a = given->type_a;
        }
        s.type_d = given->type_d ? given->type_d : s.type_d;
        s.layout = given->layout ? given->layout : s.layout;
        if (has_chain) {
            memcpy(s.chain, given->chain, sizeof s.chain);
        }
        good = bench_shapes_add(shapes, &s);
    }
    fclose(file);
    return good;
}
