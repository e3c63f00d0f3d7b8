#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bench/shapes/random.txt: 200 problems as users might have them, from a seed.

    python3 bench/shapes/random.py [--seed S] [--count C] [FILE]     default: random.txt beside this script; '-': stdout

M is log-uniform from 1 to 16384, N and K from 64 to 16384. In every third problem N and K are odd, in the others they
are multiples of 8, so that rows of A, B and D are multiples of 16 bytes (`bench_gemm --filter aligned`). The generator
is written out here (splitmix64), so that the file does not depend on the version of Python."""

import argparse
import math
import pathlib
import sys

MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed & MASK

    def uniform(self):
        """A number in [0, 1) with 53 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) / (1 << 53)


def log_uniform(random, least, most):
    # a size is a whole number: the last digit of exp() does not reach it but once in 1e12
    return min(most, int(least * math.exp(random.uniform() * math.log((most + 1) / least))))


def shapes(seed, count):
    random = SplitMix64(seed)
    for index in range(count):
        m = log_uniform(random, 1, 16384)
        n, k = (log_uniform(random, 64, 16384) for _ in range(2))
        if index % 3 == 2:
            n, k = (size - 1 + size % 2 for size in (n, k))
        else:
            n, k = (size // 8 * 8 for size in (n, k))
        yield m, n, k


def text(seed, count):
    head = ["# SPDX-License" + "-Identifier: Apache-2.0",
            f"# {count} problems from seed {seed}, written by random.py, which says how; a test compares.",
            "# Columns: m n k"]
    return "\n".join([*head, *(f"{m} {n} {k}" for m, n, k in shapes(seed, count))]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("file", nargs="?", default=str(pathlib.Path(__file__).with_name("random.txt")))
    arguments = parser.parse_args()
    written = text(arguments.seed, arguments.count)
    if arguments.file == "-":
        sys.stdout.write(written)
    else:
        pathlib.Path(arguments.file).write_text(written, encoding="utf-8")
        print(f"{arguments.file}: {arguments.count} problems from seed {arguments.seed}")


if __name__ == "__main__":
    main()
