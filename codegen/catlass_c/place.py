# SPDX-License-Identifier: Apache-2.0
"""Where the headers, templates and instance files lie: in a checkout, an installed tree, or a wheel."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Optional

from catlass_c.errors import failure

LIBRARY = "catlass_c"  # the name of the library's own target, and of its include folder
_PACKAGE = Path(__file__).resolve().parent


def templates_folder() -> Path:
    inside = _PACKAGE / "templates"  # a wheel carries its templates in the package
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def include_folder() -> Optional[Path]:
    """The include/ folder that belongs to this copy of the code generator."""
    for parent in [_PACKAGE / "data", *_PACKAGE.parents]:
        if (parent / "include" / "catlass_c" / "types.h").is_file():
            return parent / "include"
    return None


def instances_folder() -> Optional[Path]:
    """The library's own instance files; in an installed tree they lie beside codegen/, as in a checkout."""
    for parent in (_PACKAGE / "data", checkout()):
        if (parent / "instances").is_dir():
            return parent / "instances"
    return None


def library_files() -> Dict[str, Path]:
    """Sources beside the headers that a self-contained tree needs, by their place in it; the same in a checkout, an
    installation and a wheel."""
    root = _PACKAGE / "data" if (_PACKAGE / "data" / "lib").is_dir() else checkout()
    patterns = ("lib/*.c", "tests/gemm_driver.c", "tests/gemm/*.h", "LICENSE")
    found = {path.relative_to(root).as_posix(): path for pattern in patterns for path in sorted(root.glob(pattern))}
    found.pop("tests/gemm/simple.h", None)  # of other tests than the driver
    missing = [name for name in ("lib/catlass_c.c", "lib/host_runtime.c", "tests/gemm_driver.c") if name not in found]
    if missing:
        raise failure(f"{root / missing[0]}: is missing; a self-contained tree needs a checkout or a whole "
                      "installation of catlass_c")
    return found


def checkout() -> Path:
    """The folder that holds codegen/."""
    return _PACKAGE.parent.parent


def installed_libraries() -> List[Path]:
    """libcatlass_c.so of the installation that this code generator belongs to (<prefix>/share/catlass_c)."""
    if checkout().parent.name != "share":
        return []
    prefix = checkout().parent.parent
    return [path for pattern in ("lib*/libcatlass_c.so", "lib/*/libcatlass_c.so") for path in prefix.glob(pattern)]


def user_cache_folder() -> Path:
    """As catc_user_cache in cmake/catc_python.cmake and tools/setup.sh; a machine user may have no home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or "/tmp", ".cache")
    return Path(base) / "catlass_c"


_MARK = "generated/instances.json"


def generated_folders(folder: Path) -> List[Path]:
    """The folders in a build tree that hold generated/: the tree itself, the library as a subproject of another, and
    <target>_instances of catc_add_instances."""
    found = [folder / _MARK] if (folder / _MARK).is_file() else []
    for below in ("*/", "*/*/", "*/*/*/"):
        found += sorted(folder.glob(below + _MARK))
    return [mark.parent.parent for mark in found]


def build_folders() -> List[Path]:
    """Build trees with generated instances, the newest first: here, below here, and in the checkout."""
    found = {}
    for root in (Path.cwd(), checkout()):
        for pattern in (".", "build", "build*", "build/*", "out/*"):
            for folder in [root] if pattern == "." else root.glob(pattern):
                for mark in [folder / _MARK, *folder.glob(f"*_instances/{_MARK}")]:
                    if mark.is_file():
                        found[folder.resolve()] = max(mark.stat().st_mtime, found.get(folder.resolve(), 0.0))
    return sorted(found, key=lambda folder: -found[folder])
