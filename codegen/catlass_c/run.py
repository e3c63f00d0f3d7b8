# SPDX-License-Identifier: Apache-2.0
"""Running one instance: the test driver of the build tree does the work, and compares with an fp64 reference."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from catlass_c.build import Build, holding
from catlass_c.errors import failure
from catlass_c.progress import say
from catlass_c.selection import nothing

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
_NO_GPU = 77  # CTest's code: no driver or no GPU
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


@dataclass(frozen=True)
class Outcome:
    name: str
    backend: str
    state: str
    code: int  # the driver's exit status

    def as_dict(self) -> Dict[str, object]:
        return asdict(self)


def run(builds: Sequence[Build], name: str, backends: List[str], seed: int, sizes: Optional[Sizes] = None,
        case: Optional[str] = None, to_stderr: bool = False) -> List[Outcome]:
    """One outcome for each backend; what the driver prints goes straight through."""
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
    outcomes = []
    for backend in backends:
        sys.stdout.flush()
        words = command(build.driver, name, backend, seed, sizes, case)
        say(f"running {name} on {backend} ...")
        code = subprocess.run(words, check=False, stdout=sys.stderr if to_stderr else None).returncode
        outcomes.append(Outcome(name, backend, {0: PASSED, _NO_GPU: SKIPPED}.get(code, FAILED), code))
    return outcomes


def _advice(build: Build) -> str:
    if build.is_library:
        return f"cmake --build {build.folder} builds it where CATC_BUILD_TESTS is on"
    return (f"give TESTS to catc_add_instances and build {build.driver.name} (CMAKE_RUNTIME_OUTPUT_DIRECTORY must not "
            "put it elsewhere)")
