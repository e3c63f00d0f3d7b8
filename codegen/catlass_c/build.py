# SPDX-License-Identifier: Apache-2.0
"""What a build tree says about its instances: which are built, and what ptxas measured. A tree holds the
library's instances, those of targets of catc_add_instances, or both: one Build for each."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, List, Optional

from catlass_c.errors import failure
from catlass_c.naming import c_name
from catlass_c.output import MANIFEST
from catlass_c.place import LIBRARY, build_folders, generated_folders, installed_libraries


@dataclass(frozen=True)
class Kernel:
    target: str
    registers: int
    spill_stores: int
    spill_loads: int
    seconds: float  # of the compiler, the file's seconds shared by its instances

    def as_dict(self) -> Dict[str, object]:
        return dict(self.__dict__)


@dataclass(frozen=True)
class Build:
    folder: Path  # holds generated/
    content: Dict = field(repr=False)

    @property
    def instances(self) -> Dict[str, Dict]:
        return {instance["name"]: instance for instance in self.content["instances"]}

    @property
    def backends(self) -> List[str]:
        return self.content["backends"]

    @property
    def is_library(self) -> bool:
        return self.content["target"] == LIBRARY

    @property
    def driver(self) -> Path:
        """The test driver, whether built or not: where tests/CMakeLists.txt or catc_add_instances puts it."""
        if self.is_library:
            return self.folder / "tests" / "catc_gemm_driver"
        return self.folder.parent / f"{self.folder.name}_driver"

    @property
    def nvcc(self) -> str:
        """The one that CMake was configured with; empty without CUDA."""
        for folder in [self.folder, *list(self.folder.parents)[:3]]:  # the library may be a subproject
            cache = folder / "CMakeCache.txt"
            if cache.is_file():
                found = re.search("^CMAKE_CUDA_COMPILER:[A-Z]+=(.+)$", cache.read_text(errors="replace"), re.MULTILINE)
                return found.group(1) if found and "cuda" in self.backends else ""
        return ""

    @property
    def library(self) -> Path:
        """The shared library, whether built or not."""
        return self.folder / "libcatlass_c.so"

    def kernels(self, name: str) -> List[Kernel]:
        """One for each target that the instance was compiled for; empty without CUDA or before the build."""
        instance = self.instances[name]
        symbol = f"{self.content['prefix']}{c_name(name)}_cuda"
        result = []
        for path in sorted(self.folder.rglob(f"{instance['bucket']}.cu*.ptxas.json")):
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            share = data.get("seconds", 0.0) / max(data.get("instances", 1), 1)
            result += [Kernel(kernel["target"], kernel["registers"], kernel["spill_stores"], kernel["spill_loads"],
                              round(share, 3))
                       for kernel in data.get("kernels", []) if kernel["kernel"] == symbol]
        return result


def _open(folder: Path) -> Build:
    path = folder / "generated" / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not {"target", "prefix", "backends", "archs", "total", "built", "instances"} <= content.keys():
            raise ValueError("made by another version")
    except (OSError, ValueError, AttributeError) as error:
        raise failure(f"{folder}: is not a build tree of this catlass_c ({path}: {error}); configure it first: "
                      f"cmake -S . -B {folder}") from error
    return Build(folder, content)


def open_builds(folder: Path) -> List[Build]:
    """Everything in a build tree: the library's instances first, then those of other targets."""
    builds = [_open(found) for found in generated_folders(folder) or [folder]]
    return sorted(builds, key=lambda build: (not build.is_library, str(build.folder)))


def newest_builds() -> List[Build]:
    folders = build_folders()
    return open_builds(folders[0]) if folders else []


def given_or_newest(folder: Optional[Path]) -> List[Build]:
    builds = open_builds(folder) if folder else newest_builds()
    if not builds:
        raise failure("no build tree found in ./build*, ./build/* or ./out/*; name one with --build, or make one: "
                      "cmake -S . -B build && cmake --build build")
    return builds


def shared_library(folder: Optional[Path]) -> Path:
    """libcatlass_c.so of a build tree; of none in particular, the newest there is, or the installed one."""
    builds = [build for build in (open_builds(folder) if folder else [one for found in build_folders()
                                                                      for one in open_builds(found)])
              if build.is_library]
    found = [build.library for build in builds if build.library.is_file()] or ([] if folder else installed_libraries())
    if found:
        return max(found, key=lambda path: path.stat().st_mtime)
    if builds:
        raise failure(f"{builds[0].library}: is not built; cmake --build {builds[0].folder} --target catlass_c_shared "
                      "builds it")
    if folder:
        raise failure(f"{folder}: holds only instances of its own, whose library is elsewhere; name that one with "
                      "--library FILE")
    raise failure("no libcatlass_c.so found in ./build*, ./build/* or ./out/*, nor an installed one; build it: cmake "
                  "-S . -B build && cmake --build build --target catlass_c_shared, or name one with --library FILE")


def holding(builds: Iterable[Build], name: str) -> Optional[Build]:
    """The build with this instance; of several, one that can run it."""
    found = [build for build in builds if name in build.instances]
    return next((build for build in found if build.driver.is_file()), found[0] if found else None)
