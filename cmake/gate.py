#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiler launcher of kernel files, and the report at the end of a build.

gate.py cuda [--allow GLOB]... -- nvcc ARGS    adds `-Xptxas -v`, swallows its output, writes <object>.ptxas.json and
                                               fails on register spills and on ptxas messages C75xx (serialised wgmma,
                                               ignored setmaxnreg), which no -Werror sees
gate.py host -- cc ARGS                        writes <object>.ptxas.json with the seconds only
gate.py report LISTFILE                        sums up the objects named in LISTFILE, one `<backend> <object>` a line

Runs under `python3 -I -S`: only the standard library, so that it starts in a few milliseconds.
"""

import fnmatch
import json
import os
import re
import resource
import subprocess
import sys

ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)' for '([^']+)'")
SPILL = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"ptxas info\s*: Used (\d+) registers")
BARRIERS = re.compile(r"used (\d+) barriers")
SMEM = re.compile(r"(\d+) bytes smem")
MILLISECONDS = re.compile(r"ptxas info\s*: Compile time = ([0-9.]+) ms")
# All forms that say "correct but slow": the code, its text, and the text of a setmaxnreg that was dropped.
LOSS = re.compile(r"\(?C75\d\d\)?|Potential Performance Loss|setmaxnreg ignored")
NOISE = re.compile(r"^(ptxas info\s*:|\s+\d+ bytes stack frame|\s*$)")
IN_FUNCTION = re.compile(r"in(?: the)? function '([^']+)'|in '([^']+)'")


def parse(text):
    """ptxas -v output -> (kernels, losses, what the user must still see)."""
    kernels, losses, rest = [], [], []
    current = None
    for line in text.splitlines():
        if LOSS.search(line):
            named = IN_FUNCTION.search(line)
            kernel = (named.group(1) or named.group(2)) if named else (current or {}).get("kernel", "")
            losses.append({"kernel": kernel, "message": line.strip()})
            continue
        if not NOISE.match(line):
            rest.append(line)
            continue
        entry = ENTRY.search(line)
        if entry:
            current = {"kernel": entry.group(1), "target": entry.group(2), "registers": 0, "stack": 0,
                       "spill_stores": 0, "spill_loads": 0, "smem": 0, "barriers": 0, "ms": 0.0}
            kernels.append(current)
        if current is None:
            continue
        spill, used, smem = SPILL.search(line), USED.search(line), SMEM.search(line)
        barriers, ms = BARRIERS.search(line), MILLISECONDS.search(line)
        if spill:
            current["stack"], current["spill_stores"], current["spill_loads"] = map(int, spill.groups())
        if used:
            current["registers"] = int(used.group(1))
        if smem:
            current["smem"] = int(smem.group(1))
        if barriers:
            current["barriers"] = int(barriers.group(1))
        if ms:
            current["ms"] = float(ms.group(1))
    return kernels, losses, rest


def allowed(kernel, globs):
    return any(fnmatch.fnmatchcase(kernel, "*" + glob.replace(".", "_") + "*") for glob in globs)


def after(args, flag):
    return args[args.index(flag) + 1] if flag in args[:-1] else ""


def count_instances(source):
    try:
        with open(source, encoding="utf-8") as file:
            return sum(1 for line in file if line.startswith("#include") and "params/" in line)
    except OSError:
        return 0


def compile_one(kind, globs, command):
    out, source = after(command, "-o"), after(command, "-c")
    if kind == "cuda":
        done = subprocess.run(command + ["-Xptxas", "-v"], stderr=subprocess.PIPE, check=False)
        text = done.stderr.decode("utf-8", "replace")
    else:
        done = subprocess.run(command, check=False)
        text = ""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = usage.ru_utime + usage.ru_stime  # not wall time: other jobs run beside this one
    kernels, losses, rest = parse(text)
    if rest:
        print("\n".join(rest), file=sys.stderr)
    if done.returncode or not out:
        return done.returncode
    with open(out + ".ptxas.json", "w", encoding="utf-8") as file:
        json.dump({"backend": kind, "source": source, "seconds": round(seconds, 3),
                   "instances": count_instances(source), "kernels": kernels, "losses": losses}, file, indent=1)
        file.write("\n")
    faults = [f"{k['kernel']} for {k['target']}: {k['spill_stores']} bytes of register spill stores, "
              f"{k['spill_loads']} of spill loads; use a smaller tile or a lower min_blocks"
              for k in kernels
              if (k["spill_stores"] or k["spill_loads"]) and not allowed(k["kernel"], globs)]
    faults += [f"{k['kernel']} for {k['target']}: {k['stack']} bytes of local memory; a register array is "
               "indexed at run time or its loop is not unrolled"
               for k in kernels
               if k["stack"] and not k["spill_stores"] and not k["spill_loads"] and not allowed(k["kernel"], globs)]
    faults += [f"{m['kernel'] or source}: {m['message']}" for m in losses if not allowed(m["kernel"], globs)]
    if not faults:
        return 0
    for fault in faults:
        print("catlass_c gate: error: " + fault, file=sys.stderr)
    print("catlass_c gate: such a kernel is correct but slow; to build it all the same: -DCATC_GATE_ALLOW=<name glob>",
          file=sys.stderr)
    os.unlink(out)  # or the next build would take the object as good
    return 1


def report(listfile):
    total = {}
    with open(listfile, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(" ", 1) for line in file if line.strip()]
    for backend, path in rows:
        try:
            with open(path + ".ptxas.json", encoding="utf-8") as file:
                data = json.load(file)
        except (OSError, ValueError):
            continue
        sums = total.setdefault(backend, {"instances": 0, "files": 0, "seconds": 0.0, "worst": (0.0, "")})
        sums["instances"] += data["instances"]
        sums["files"] += 1
        sums["seconds"] += data["seconds"]
        if data["instances"]:
            each = data["seconds"] / data["instances"]
            sums["worst"] = max(sums["worst"], (each, os.path.basename(path)))
    for backend in sorted(total):
        sums = total[backend]
        if sums["instances"]:
            worst, file = sums["worst"]
            print(f"catlass_c: {backend}: {sums['instances']} instances in {sums['files']} files, "
                  f"{sums['seconds']:.1f} s of compiler time, {sums['seconds'] / sums['instances']:.2f} s per instance "
                  f"(slowest file: {worst:.2f} s per instance, {file})")
    return 0


def main(argv):
    if len(argv) == 2 and argv[0] == "report":
        return report(argv[1])
    if not argv or argv[0] not in ("cuda", "host") or "--" not in argv:
        print(__doc__, file=sys.stderr)
        return 2
    split = argv.index("--")
    options, command = argv[1:split], argv[split + 1:]
    globs = [options[i + 1] for i in range(0, len(options) - 1, 2) if options[i] == "--allow"]
    return compile_one(argv[0], globs, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
