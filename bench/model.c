/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: how well does the cost model follow measured times? Reads measurements from standard input, one a line,
 *
 *   m n k batch a-type d-type layout chain|- instance µs
 *
 * those of one problem one after the other (bench/model.py makes them from the JSON of bench_gemm), and prints for each
 * problem the instance the model would take beside the fastest, and for all measurements predicted over measured time.
 * No GPU is needed; with --all, every measurement is printed.
 *
 *   bench_model DEVICE [--all] < measurements */
#define CATC_HOST_RUNTIME_ELSEWHERE /* the kernels come from the library, the model is part of this file */
#define CATC_IMPLEMENTATION
#include "catlass_c/catlass_c.h"

#include <math.h>

#include "gemm/problem.h"
#include "gemm/say.h"

enum { INSTANCES = 1024 };

struct measurement {
    const struct catc_gemm_instance *instance;
    double us;
    struct catc_gemm_cost cost;
};

struct totals {
    double log_ratio, log_square, least, most; /* predicted over measured */
    int measurements;
    double log_loss, worst; /* fastest over the model's choice */
    int problems;
};

static void add_measurement(struct totals *t, double ratio)
{
    t->log_ratio += log(ratio);
    t->log_square += log(ratio) * log(ratio);
    t->least = t->measurements == 0 || ratio < t->least ? ratio : t->least;
    t->most = ratio > t->most ? ratio : t->most;
    ++t->measurements;
}

/* What of a name differs between the instances of a problem: skeleton, tile and the rest. */
static const char *short_name(const struct catc_gemm_instance *i, char *out, size_t size)
{
    const char *tile = strstr(i->name, catc_layout_name(i->layout));
    snprintf(out, size, "%.9s %s", i->name, tile ? tile + 3 : i->name);
    return out;
}

static void finish_problem(struct totals *t, const char *label, const struct measurement *m, int count,
                           const struct catc_device *device, bool all)
{
    char fast_name[128], chosen_name[128], name[128];
    int fast = 0, chosen = 0;
    if (count == 0) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        fast = m[i].us < m[fast].us ? i : fast;
        chosen = m[i].cost.cycles < m[chosen].cost.cycles ? i : chosen;
        add_measurement(t, m[i].cost.cycles / device->clock_mhz / m[i].us);
    }
    double const loss = m[fast].us / m[chosen].us;
    t->log_loss += log(loss);
    t->worst = t->problems == 0 || loss < t->worst ? loss : t->worst;
    ++t->problems;
    printf("%-36s %5.3f  %s", label, loss, short_name(m[chosen].instance, chosen_name, sizeof chosen_name));
    printf(chosen == fast ? "\n" : "; fastest: %s\n", short_name(m[fast].instance, fast_name, sizeof fast_name));
    for (int i = 0; all && i < count; ++i) {
        const struct catc_gemm_cost *const c = &m[i].cost;
        double const us = c->cycles / device->clock_mhz;
        printf("    %10.2f us, predicted %10.2f, %5.2f  loop %9.0f l2 %9.0f dram %9.0f edges %8.0f  %s\n", m[i].us, us,
               us / m[i].us, c->loop, c->l2, c->dram, c->edges, short_name(m[i].instance, name, sizeof name));
    }
}

int main(int argc, char **argv)
{
    static char *const in = (char *)(uintptr_t)0x10000000000ull, *const out = (char *)(uintptr_t)0x20000000000ull;
    static struct measurement measurement[INSTANCES];
    const struct catc_device *const device = argc > 1 ? catc_device_find(argv[1]) : NULL;
    bool const all = argc > 2 && strcmp(argv[2], "--all") == 0;
    char line[1024], last[256] = "";
    struct totals totals;
    int count = 0, number = 0;
    memset(&totals, 0, sizeof totals);
    if (!device || argc > 2 + all) {
        fprintf(stderr, "usage: bench_model DEVICE [--all] < measurements; DEVICE=%s must be a known GPU (h200, …)\n",
                argc > 1 ? argv[1] : "");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        char type_a[16], type_d[16], layout[16], chain[BENCH_CHAIN], name[256], label[BENCH_LABEL];
        long long m, n, k, batch;
        double us;
        struct bench_shape shape;
        struct bench_problem problem;
        struct catc_gemm_problem full;
        struct catc_text nowhere = catc_text_open(NULL, 0);
        ++number;
        memset(&shape, 0, sizeof shape);
        if (sscanf(line, "%lld %lld %lld %lld %15s %15s %15s %127s %255s %lf", &m, &n, &k, &batch, type_a, type_d,
                   layout, chain, name, &us) != 10 ||
            !(us > 0)) {
            fprintf(stderr, "bench_model: line %d must be m n k batch a-type d-type layout chain instance µs: %s",
                    number, line);
            return 1;
        }
        shape.m = m, shape.n = n, shape.k = k, shape.batch = batch;
        shape.type_a = bench_type(type_a), shape.type_d = bench_type(type_d), shape.layout = bench_layout(layout);
        snprintf(shape.chain, sizeof shape.chain, "%s", strcmp(chain, "-") == 0 ? "" : chain);
        const struct catc_gemm_instance *const instance = catc_gemm_find(name);
        if (!instance || !bench_problem_make(&problem, &shape)) {
            fprintf(stderr, "bench_model: line %d: instance=%s is not in this build: left out\n", number, name);
            continue;
        }
        struct catc_gemm_args args = bench_problem_place(&problem, in, out);
        args.device = device;
        if (catc_gemm_problem_(&full, &args, sizeof args, &nowhere) != CATC_OK) {
            fprintf(stderr, "bench_model: line %d is no problem of the library\n", number);
            return 1;
        }
        bench_label(&shape, label, sizeof label);
        if (strcmp(label, last) != 0 || count == INSTANCES) {
            finish_problem(&totals, last, measurement, count, device, all);
            snprintf(last, sizeof last, "%s", label);
            count = 0;
        }
        struct catc_gemm_workload const workload = catc_gemm_workload_(&full, device);
        measurement[count].instance = instance;
        measurement[count].us = us;
        (void)catc_gemm_cost_(&measurement[count].cost, &workload, instance, HUGE_VAL);
        ++count;
    }
    finish_problem(&totals, last, measurement, count, device, all);
    if (totals.problems == 0) {
        fprintf(stderr, "bench_model: nothing to compare\n");
        return 1;
    }
    double const mean = totals.log_ratio / totals.measurements;
    printf(
        "%d measurements: predicted over measured time %.2f to %.2f, geometric mean %.2f, standard deviation %.0f %%\n"
        "%d problems: the model's choice at %.3f of the fastest instance's speed, the worst at %.3f\n",
        totals.measurements, totals.least, totals.most, exp(mean),
        100 * sqrt(totals.log_square / totals.measurements - mean * mean), totals.problems,
        exp(totals.log_loss / totals.problems), totals.worst);
    return 0;
}
