/* SPDX-License-Identifier: Apache-2.0 */
#include "context.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* One line of comma-separated values; anything unexpected leaves the texts empty. */
struct bench_smi bench_smi_ask(const char *bus)
{
    struct bench_smi smi;
    char command[256], line[256] = "";
    memset(&smi, 0, sizeof smi);
    snprintf(
        command, sizeof command,
        "nvidia-smi -i %s --query-gpu=driver_version,clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw,"
        "power.limit --format=csv,noheader,nounits 2>/dev/null",
        bus);
    FILE *const pipe = popen(command, "r");
    if (!pipe) {
        return smi;
    }
    if (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "%31[^,], %15[^,], %15[^,], %15[^,], %15[^,], %15[^,], %15[^,\n]", smi.driver, smi.sm_mhz,
                   smi.mem_mhz, smi.max_sm_mhz, smi.celsius, smi.watts, smi.limit_watts) != 7) {
            memset(&smi, 0, sizeof smi);
        }
    }
    if (pclose(pipe) != 0) {
        memset(&smi, 0, sizeof smi);
    }
    return smi;
}

static void ask_cpu(char *out, size_t size)
{
    char line[256];
    FILE *const file = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

void bench_context_open(struct bench_context *c, const struct bench_device *device)
{
    time_t const now = time(NULL);
    int ordinal = 0;
    memset(c, 0, sizeof *c);
    snprintf(c->gpu, sizeof c->gpu, "%s", device->properties.name);
    (void)cudaGetDevice(&ordinal);
    if (cudaDeviceGetPCIBusId(c->bus, sizeof c->bus, ordinal) != cudaSuccess) {
        c->bus[0] = '\0';
    }
    (void)cudaDriverGetVersion(&c->driver_api);
    (void)cudaRuntimeGetVersion(&c->runtime);
    (void)cudaGetLastError();
    strftime(c->date, sizeof c->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    ask_cpu(c->host_cpu, sizeof c->host_cpu);
    c->before = bench_smi_ask(c->bus);
}

void bench_context_close(struct bench_context *c)
{
    c->after = bench_smi_ask(c->bus);
}
