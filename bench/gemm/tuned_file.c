/* SPDX-License-Identifier: Apache-2.0 */
#include "tuned_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

/* The head of a new file; its licence is spelt in two, so that it is not taken for that of this one. */
static const char head_licence[] = "Apache-2.0";
static const char head_text[] = "# Written by bench_gemm --search (bench/README.md): the fastest instance of each\n"
                                "# problem. One entry a line; comments in front are kept.\n";

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r\n");
    for (size_t n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]); --n) {
        text[n - 1] = '\0';
    }
    return text;
}

static bool read_whole(const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *out >= 1;
}

static bool copy(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text);
    return strlen(text) < size && text[0] != '\0';
}

/* "m: 4096, n: 4096, k: 1024, instance: NAME, microseconds: 101.5": the inside of the braces. */
static bool parse_entry(char *text, struct bench_tuned_entry *e)
{
    char *rest = text;
    memset(e, 0, sizeof *e);
    e->batch = 1;
    for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        char *const colon = strchr(part, ':');
        if (!colon) {
            return false;
        }
        *colon = '\0';
        const char *const key = trimmed(part), *const value = trimmed(colon + 1);
        const struct {
            const char *name;
            int64_t *size;
        } sizes[] = {{"m", &e->m}, {"n", &e->n}, {"k", &e->k}, {"batch", &e->batch}, {"samples", &e->samples}};
        bool good = false;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            if (strcmp(key, sizes[i].name) == 0) {
                good = read_whole(value, sizes[i].size);
            }
        }
        if (strcmp(key, "instance") == 0) {
            good = copy(e->instance, sizeof e->instance, value);
        } else if (strcmp(key, "record") == 0) {
            good = copy(e->record, sizeof e->record, value);
        } else if (strcmp(key, "microseconds") == 0) {
            char *end;
            e->microseconds = strtod(value, &end);
            good = *end == '\0' && isfinite(e->microseconds) && e->microseconds > 0;
        }
        if (!good) {
            return false;
        }
    }
    return e->m && e->n && e->k && e->instance[0];
}

bool bench_tuned_put(struct bench_tuned_file *file, int at, const struct bench_tuned_entry *entry)
{
    if (at < 0) {
        struct bench_tuned_entry *const entries =
            (struct bench_tuned_entry *)realloc(file->entries, ((size_t)file->count + 1) * sizeof *entries);
        if (!entries) {
            return bench_fail("tuned table: out of memory after %d entries", file->count);
        }
        file->entries = entries;
        at = file->count++;
    }
    file->entries[at] = *entry;
    return true;
}

/* One line; *key counts the lines schema, device, sms, cc and entries that were seen. */
static bool parse_line(struct bench_tuned_file *file, char *line, int *keys)
{
    struct bench_tuned_entry entry;
    char *const text = trimmed(line);
    size_t const length = strlen(text);
    int number;
    if (sscanf(text, "schema: %d", &number) == 1) {
        ++*keys;
        return number == 1;
    }
    if (sscanf(text, "device: %15s", file->device) == 1 || sscanf(text, "sms: %d", &file->sms) == 1 ||
        sscanf(text, "cc: %d", &file->cc) == 1 || strcmp(text, "entries:") == 0) {
        ++*keys;
        return true;
    }
    if (strncmp(text, "- {", 3) != 0 || text[length - 1] != '}') {
        return false;
    }
    text[length - 1] = '\0';
    return parse_entry(text + 3, &entry) && bench_tuned_put(file, -1, &entry);
}

bool bench_tuned_read(struct bench_tuned_file *file, const char *path, const char *device, int sms, int cc)
{
    char line[1024];
    int keys = 0;
    memset(file, 0, sizeof *file);
    errno = 0;
    FILE *const f = fopen(path, "r");
    if (!f) {
        if (errno != ENOENT) {
            return bench_fail("--tuned: file=%s must be readable (%s)", path, strerror(errno));
        }
        snprintf(file->head, sizeof file->head, "# SPDX-License%s: %s\n%s", "-Identifier", head_licence, head_text);
        snprintf(file->device, sizeof file->device, "%s", device);
        file->sms = sms, file->cc = cc;
        return true;
    }
    bool good = true;
    for (int number = 1; good && fgets(line, sizeof line, f); ++number) {
        const char *const first = line + strspn(line, " \t\r\n");
        size_t const used = strlen(file->head);
        if (*first == '#' && keys == 0 && used + strlen(line) < sizeof file->head) {
            snprintf(file->head + used, sizeof file->head - used, "%s", line);
        } else if (*first != '#' && *first != '\0' && !parse_line(file, line, &keys)) {
            good =
                bench_fail("%s:%d: must be a line as bench_gemm --search writes it (schema 1, one entry a line); give "
                           "--tuned another file, or rewrite this one",
                           path, number);
        }
    }
    fclose(f);
    if (good && (keys != 5 || strcmp(file->device, device) != 0 || file->sms != sms || file->cc != cc)) {
        good = bench_fail("%s: device=%s, sms=%d, cc=%d must be this GPU's: %s, %d, %d; give --tuned another file",
                          path, file->device, file->sms, file->cc, device, sms, cc);
    }
    if (!good) {
        bench_tuned_free(file);
    }
    return good;
}

/* The name that a table has while it is written. */
static FILE *open_beside(const char *path, char *beside, size_t size)
{
    snprintf(beside, size, "%s.part", path);
    FILE *const f = fopen(beside, "w");
    if (!f) {
        bench_fail("--tuned: file=%s must be writable (%s); run in the repository's root, or give a path", path,
                   strerror(errno));
    }
    return f;
}

bool bench_tuned_writable(const char *path)
{
    char beside[1024];
    FILE *const f = open_beside(path, beside, sizeof beside);
    if (!f) {
        return false;
    }
    fclose(f);
    (void)unlink(beside);
    return true;
}

bool bench_tuned_write(const struct bench_tuned_file *file, const char *path)
{
    char beside[1024];
    FILE *const f = open_beside(path, beside, sizeof beside);
    if (!f) {
        return false;
    }
    fprintf(f, "%sschema: 1\ndevice: %s\nsms: %d\ncc: %d\nentries:\n", file->head, file->device, file->sms, file->cc);
    for (int i = 0; i < file->count; ++i) {
        const struct bench_tuned_entry *const e = &file->entries[i];
        fprintf(f, "  - {m: %lld, n: %lld, k: %lld, ", (long long)e->m, (long long)e->n, (long long)e->k);
        if (e->batch > 1) {
            fprintf(f, "batch: %lld, ", (long long)e->batch);
        }
        fprintf(f, "instance: %s", e->instance);
        if (e->microseconds > 0) { /* never "1e+06": YAML 1.1 reads that as a text */
            fprintf(f, ", microseconds: %.3f", e->microseconds);
        }
        if (e->samples > 0) {
            fprintf(f, ", samples: %lld", (long long)e->samples);
        }
        if (e->record[0]) {
            fprintf(f, ", record: %s", e->record);
        }
        fprintf(f, "}\n");
    }
    bool const written = !ferror(f);
    if (fclose(f) != 0 || !written || rename(beside, path) != 0) {
        bench_fail("--tuned: file=%s could not be written (%s); it is as it was", path, strerror(errno));
        (void)unlink(beside);
        return false;
    }
    return true;
}

void bench_tuned_free(struct bench_tuned_file *file)
{
    free(file->entries);
    memset(file, 0, sizeof *file);
}
