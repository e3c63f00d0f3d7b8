# SPDX-License-Identifier: Apache-2.0
"""Running one instance: the test driver of the build tree does the work, and compares with an fp64 reference."""

from __future__ import annotations

import subprocess
import sys
from typing import List

from catlass_c.build import DRIVER, Build
from catlass_c.errors import failure
from catlass_c.selection import nothing

_SKIPPED = 77  # CTest's code: no driver or no GPU


def command(build: Build, name: str, backend: str, m: int, n: int, k: int, seed: int) -> List[str]:
    return [str(build.folder / DRIVER), "--backend", backend, "--seed", str(seed), "--m", str(m), "--n", str(n), "--k",
            str(k), name]


def run(build: Build, name: str, backends: List[str], m: int, n: int, k: int, seed: int) -> int:
    """0 if every backend gave the right result; what the driver prints goes straight through."""
    instance = build.instances.get(name)
    if instance is None:
        raise failure(nothing(name, list(build.instances)) + f"; {build.folder} holds {len(build.instances)}, choose "
                      "others with CATC_INSTANCES")
    for backend in backends:
        if backend not in instance["backends"]:
            raise failure(f"{name}: is not built for {backend} in {build.folder}, only for "
                          f"{', '.join(instance['backends'])}")
    if not (build.folder / DRIVER).is_file():
        raise failure(f"{build.folder / DRIVER}: the test driver is not built; cmake --build {build.folder} builds it "
                      "where CATC_BUILD_TESTS is on")
    status = 0
    for backend in backends:
        sys.stdout.flush()
        code = subprocess.run(command(build, name, backend, m, n, k, seed), check=False).returncode
        if code == _SKIPPED:
            print(f"{name}: was not run on {backend}: no usable GPU or driver here (catlass-c doctor says why)",
                  file=sys.stderr)
        elif code != 0:
            print(f"{name}: {backend} failed with status {code}", file=sys.stderr)
        status = status or (1 if code else 0)
    return status
