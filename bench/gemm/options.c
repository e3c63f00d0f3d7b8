/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

void bench_options_help(FILE *file)
{
    fputs(
        "bench_gemm: GEMM of catlass_c against cuBLASLt on this GPU (bench/README.md); --help: this text\n"
        "\n"
        "what to measure\n"
        "  --shapes NAME|FILE   a list of bench/shapes (square, llm_prefill, llm_decode, odd, random) or a file like\n"
        "                       those; may be repeated; default: square\n"
        "  --m M --n N --k K    one shape instead\n"
        "  --batch B --type bf16|f16|f32 --type-d T --layout tn|tt|nn|nt --epilogue bias,gelu\n"
        "                       for that shape, or instead of what the lists say; --epilogue '' is none\n"
        "  --filter WHAT        only these shapes: aligned, unaligned, or a glob such as '*x4096x* bf16 *'\n"
        "  --instances GLOB     the instances among which our best is looked for, or that are searched; default: *\n"
        "\n"
        "how\n"
        "  --rounds R           interleaved rounds, 5 to 1000; default: 5\n"
        "  --min-ms T           least time of one replay in a round, 0.1 to 1000; default: 2\n"
        "  --peer on|off        cuBLASLt beside ours; default: on\n"
        "  --best on|off        time every legal instance and report the best beside the selected one; default: on\n"
        "  --ceilings on|off    measure the ceilings first; default: on\n"
        "\n"
        "what else\n"
        "  --host-time          CPU time of a call instead of shapes (beside them, if shapes are given)\n"
        "  --search             time all instances, write the fastest of each shape into a tuned table; shapes that "
        "are\n"
        "                       in it already are skipped\n"
        "  --again              with --search: measure and replace those too\n"
        "  --tuned FILE         the table; default: instances/tuned/<gpu>.yaml under the current folder\n"
        "  --faulted NAME       leave out an instance and list it as failed; a search that an instance breaks starts\n"
        "                       itself again with this; may be repeated\n"
        "  --dry-run            print what would be run, and what would be selected; needs no GPU\n"
        "  --device NAME        the GPU that --dry-run selects for; default: h200\n"
        "\n"
        "output\n"
        "  --json FILE          results with context, written again after every row\n"
        "  --commit TEXT        of the library, for the JSON; default: $CATC_COMMIT\n"
        "\n"
        "exit: 0 done; 1 failed, or a result was wrong; 2 the command line is wrong; 3 a search is incomplete\n",
        file);
}

static bool read_switch(const char *option, const char *value, bool *out)
{
    *out = strcmp(value, "on") == 0;
    return *out || strcmp(value, "off") == 0 || bench_fail("%s: value=%s must be on or off", option, value);
}

static bool read_number(const char *option, const char *value, double least, double most, double *out)
{
    char *end;
    *out = strtod(value, &end);
    return (end != value && *end == '\0' && *out >= least && *out <= most) ||
           bench_fail("%s: value=%s must be a number from %g to %g", option, value, least, most);
}

static bool append(const char *option, const char *value, const char **list, int *count, int most)
{
    if (*count == most) {
        return bench_fail("%s: may be given at most %d times", option, most);
    }
    list[(*count)++] = value;
    return true;
}

/* An option with a value. */
static bool read_value(struct bench_options *o, const char *option, const char *value)
{
    const struct {
        const char *name;
        int64_t *size;
    } sizes[] = {{"--m", &o->given.m}, {"--n", &o->given.n}, {"--k", &o->given.k}, {"--batch", &o->given.batch}};
    const struct {
        const char *name;
        const char **text;
    } texts[] = {{"--instances", &o->instances}, {"--filter", &o->filter}, {"--json", &o->json},
                 {"--tuned", &o->tuned},         {"--device", &o->device}, {"--commit", &o->commit}};
    const struct {
        const char *name;
        bool *on;
    } switches[] = {{"--peer", &o->peer}, {"--best", &o->best}, {"--ceilings", &o->ceilings}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        if (strcmp(option, sizes[i].name) == 0) {
            return bench_size(value, sizes[i].size) ||
                   bench_fail("%s: value=%s must be a whole number from 1 to 2^31", option, value);
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        if (strcmp(option, texts[i].name) == 0) {
            *texts[i].text = value;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; ++i) {
        if (strcmp(option, switches[i].name) == 0) {
            return read_switch(option, value, switches[i].on);
        }
    }
    if (strcmp(option, "--shapes") == 0) {
        return append(option, value, o->lists, &o->n_lists, BENCH_LISTS);
    }
    if (strcmp(option, "--faulted") == 0) {
        return append(option, value, o->faulted, &o->n_faulted, BENCH_FAULTED);
    }
    if (strcmp(option, "--type") == 0 || strcmp(option, "--type-d") == 0) {
        enum catc_type *const type = option[6] ? &o->given.type_d : &o->given.type_a;
        *type = bench_type(value);
        return *type || bench_fail("%s: value=%s must be bf16, f16 or f32", option, value);
    }
    if (strcmp(option, "--layout") == 0) {
        o->given.layout = bench_layout(value);
        return o->given.layout || bench_fail("--layout: value=%s must be tn, tt, nn or nt", value);
    }
    if (strcmp(option, "--epilogue") == 0) {
        o->has_chain = true;
        if (strlen(value) >= sizeof o->given.chain) {
            return bench_fail("--epilogue: value=%s must be shorter than %d characters", value, BENCH_CHAIN);
        }
        snprintf(o->given.chain, sizeof o->given.chain, "%s", strcmp(value, "-") == 0 ? "" : value);
        return true;
    }
    if (strcmp(option, "--rounds") == 0) {
        double rounds = 0;
        bool const good = read_number(option, value, 5, 1000, &rounds);
        o->rounds = (int)rounds;
        return good && (rounds == floor(rounds) || bench_fail("--rounds: value=%s must be a whole number", value));
    }
    if (strcmp(option, "--min-ms") == 0) {
        return read_number(option, value, 0.1, 1000, &o->min_ms);
    }
    return bench_fail("%s: unknown option; bench_gemm --help lists them", option);
}

bool bench_options_read(struct bench_options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        bool *on;
    } flags[] = {{"--host-time", &o->host_time}, {"--search", &o->search}, {"--again", &o->again},
                 {"--dry-run", &o->dry_run},     {"--help", &o->help},     {"-h", &o->help}};
    memset(o, 0, sizeof *o);
    o->instances = "*";
    o->device = "h200";
    o->commit = getenv("CATC_COMMIT");
    o->rounds = 5;
    o->min_ms = 2;
    o->peer = o->best = o->ceilings = true;
    for (int a = 1; a < argc; ++a) {
        bool known = false;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
            if (strcmp(argv[a], flags[i].name) == 0) {
                *flags[i].on = known = true;
            }
        }
        if (known) {
            continue;
        }
        if (strncmp(argv[a], "--", 2) != 0) {
            return bench_fail("%s: must be an option; bench_gemm --help lists them", argv[a]);
        }
        if (a + 1 == argc) {
            return bench_fail("%s: a value must follow; bench_gemm --help lists the options", argv[a]);
        }
        if (!read_value(o, argv[a], argv[a + 1])) {
            return false;
        }
        ++a;
    }
    int const sizes = (o->given.m != 0) + (o->given.n != 0) + (o->given.k != 0);
    if (sizes != 0 && (sizes != 3 || o->n_lists > 0)) {
        return bench_fail("--m, --n and --k must be given together, and not with --shapes");
    }
    if (o->again && !o->search) {
        return bench_fail("--again: must come with --search");
    }
    return true;
}
