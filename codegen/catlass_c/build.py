# SPDX-License-Identifier: Apache-2.0
"""What a build tree says about its instances: which are built, and what ptxas measured."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

from catlass_c.errors import failure
from catlass_c.naming import c_name
from catlass_c.output import MANIFEST
from catlass_c.place import build_folders

DRIVER = Path("tests") / "catc_gemm_driver"


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
    folder: Path
    content: Dict = field(repr=False)

    @property
    def instances(self) -> Dict[str, Dict]:
        return {instance["name"]: instance for instance in self.content["instances"]}

    @property
    def backends(self) -> List[str]:
        return self.content["backends"]

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


def open_build(folder: Path) -> Build:
    path = folder / "generated" / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not {"prefix", "backends", "archs", "total", "built", "instances"} <= content.keys():
            raise ValueError("made by another version")
    except (OSError, ValueError, AttributeError) as error:
        raise failure(f"{folder}: is not a build tree of this catlass_c ({path}: {error}); configure it first: "
                      f"cmake -S . -B {folder}") from error
    return Build(folder, content)


def newest_build() -> Optional[Build]:
    folders = build_folders()
    return open_build(folders[0]) if folders else None


def given_or_newest(folder: Optional[Path]) -> Build:
    build = open_build(folder) if folder else newest_build()
    if build is None:
        raise failure("no build tree found in ./build*, ./build/* or ./out/*; name one with --build, or make one: "
                      "cmake -S . -B build && cmake --build build")
    return build
