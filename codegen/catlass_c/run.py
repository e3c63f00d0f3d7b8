# SPDX-License-Identifier: Apache-2.0
"""Running one instance: the test driver of the build tree does the work, and compares with an fp64 reference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from catlass_c.build import Build, holding
from catlass_c.errors import failure
from catlass_c.selection import nothing

_SKIPPED = 77  # CTest's code: no driver or no GPU
Sizes = Tuple[int, int, int]


def command(driver: Path, name: str, backend: str, seed: int, sizes: Optional[Sizes], case: Optional[str]) -> List[str]:
    """One random problem of the given sizes, one fixed case, or every fixed case."""
    words = [str(driver), "--backend", backend, "--seed", str(seed)]
    if sizes is not None:
        for option, size in zip(("--m", "--n", "--k"), sizes):
            words += [option, str(size)]
    if case is not None:
        words += ["--case", case]
    return [*words, name]


def run(builds: Sequence[Build], name: str, backends: List[str], seed: int, sizes: Optional[Sizes] = None,
        case: Optional[str] = None) -> int:
    """0 if every backend gave the right result; what the driver prints goes straight through."""
    build = holding(builds, name)
    if build is None:
        known = [other for one in builds for other in one.instances]
        raise failure(nothing(name, known) + f"; {', '.join(str(one.folder) for one in builds)} "
                      f"hold{'s' if len(builds) == 1 else ''} {len(known)}, choose others with "
                      + ("CATC_INSTANCES" if builds[0].is_library else "SELECT of catc_add_instances"))
    instance = build.instances[name]
    for backend in backends:
        if backend not in instance["backends"]:
            raise failure(f"{name}: is not built for {backend} in {build.folder}, only for "
                          f"{', '.join(instance['backends'])}")
    if not build.driver.is_file():
        raise failure(f"{build.driver}: the test driver is not built; " + _advice(build))
    status = 0
    for backend in backends:
        sys.stdout.flush()
        code = subprocess.run(command(build.driver, name, backend, seed, sizes, case), check=False).returncode
        if code == _SKIPPED:
            print(f"{name}: was not run on {backend}: no usable GPU or driver here (catlass-c doctor says why)",
                  file=sys.stderr)
        elif code != 0:
            print(f"{name}: {backend} failed with status {code}", file=sys.stderr)
        status = status or (1 if code else 0)
    return status


def _advice(build: Build) -> str:
    if build.is_library:
        return f"cmake --build {build.folder} builds it where CATC_BUILD_TESTS is on"
    return (f"give TESTS to catc_add_instances and build {build.driver.name} (CMAKE_RUNTIME_OUTPUT_DIRECTORY must not "
            "put it elsewhere)")
