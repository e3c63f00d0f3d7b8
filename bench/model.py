#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost model beside measurements: turns JSON of bench_gemm into the lines that bench_model reads.

python3 bench/model.py RESULTS.json... | BUILD/bench/bench_model h200
"""

import json
import sys


def lines(results: dict):
    for row in results["rows"]:
        head = [row[name] for name in ("m", "n", "k", "batch", "type", "type_d", "layout")]
        for instance in row.get("instances", []):
            if instance["us"]:  # null: left out, or failed
                yield " ".join(map(str, [*head, row["epilogue"] or "-", instance["name"], instance["us"]]))


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in lines(json.load(file)):
                print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
