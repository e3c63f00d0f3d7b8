#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TFLOP/s over size, ours and the peer's, as an SVG.

    python3 bench/plot.py RESULTS.json… --out FILE.svg [--best]

RESULTS: what `bench_gemm --json` wrote. The size of a problem is the cube root of m n k; with a batch, of one problem
of it. --best: our best instance too, where it is not the selected one. Needs matplotlib (`sh tools/setup.sh --dev`)."""

import argparse
import io
import json
import pathlib
import sys

LICENCE = "SPDX-License" + "-Identifier: Apache-2.0"  # of the plot

SERIES = (("ours", "catlass_c, selected", "#1f77b4", "o"), ("best", "catlass_c, best instance", "#17becf", "^"),
          ("peer_best", "{peer}, best of 24", "#555555", "s"))


def fail(sentence):
    print(f"plot.py: {sentence}", file=sys.stderr)
    sys.exit(1)


def load(path):
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return data["context"], data["ceilings"], data["rows"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path}: must be a file that bench_gemm --json wrote ({type(error).__name__}: {error})")
        raise


def points(rows, series):
    """(size, TFLOP/s) of the rows that have it, by size."""
    return sorted(((row["m"] * row["n"] * row["k"]) ** (1 / 3), row[series]["tflops"]) for row in rows
                  if row[series]["tflops"] is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--best", action="store_true")
    arguments = parser.parse_args()
    files = [load(path) for path in arguments.results]
    rows = [row for _, _, file_rows in files for row in file_rows]
    if not any(points(rows, series) for series, *_ in SERIES):
        fail("there is no measured row to draw; run bench_gemm again")
    try:
        import matplotlib
    except ImportError as error:
        fail(f"matplotlib cannot be imported ({error}); install it with `sh tools/setup.sh --dev`, or any other way")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "catlass_c"  # the same bytes from the same results
    from matplotlib import pyplot, ticker

    context, ceilings, _ = files[0]
    types = sorted({row["type"] for row in rows})
    figure, axes = pyplot.subplots(figsize=(8, 4.5), constrained_layout=True)
    for series, label, color, marker in SERIES:
        found = points(rows, series)
        if not found or (series == "best" and not arguments.best):
            continue
        cube = all(row["m"] == row["n"] == row["k"] for row in rows)
        axes.plot(*zip(*found), marker=marker, markersize=4, color=color, label=label.format(peer=context["peer"]),
                  linestyle="-" if cube and len(types) == 1 else "none")
    for ceiling in ceilings["matmul_8192"]:
        if ceiling["type"] in types:
            axes.axhline(ceiling["tflops"], color="#bbbbbb", linewidth=1, linestyle="--")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    axes.set_ylim(bottom=0)
    axes.set_xlabel("size: cube root of m n k")
    axes.set_ylabel("TFLOP/s")
    axes.set_title(f"GEMM, {', '.join(types)}, {context['gpu']}", fontsize=10)
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    svg = io.StringIO()
    figure.savefig(svg, format="svg", metadata={"Date": None})
    declaration, rest = svg.getvalue().split("\n", 1)
    arguments.out.write_text(f"{declaration}\n<!-- {LICENCE} -->\n{rest}", encoding="utf-8")
    print(f"{arguments.out}: {len(rows)} problems")


if __name__ == "__main__":
    main()
