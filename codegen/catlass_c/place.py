# SPDX-License-Identifier: Apache-2.0
"""Where the headers, templates and instance files lie: in a checkout, an installed tree, or a wheel."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

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
    for parent in (_PACKAGE / "data", _PACKAGE.parent.parent):
        if (parent / "instances").is_dir():
            return parent / "instances"
    return None


def build_folders() -> List[Path]:
    """Build trees with generated instances, the newest first: here, below here, and in the checkout."""
    found = {}
    for root in (Path.cwd(), _PACKAGE.parent.parent):
        for pattern in (".", "build", "build*", "build/*", "out/*"):
            for folder in [root] if pattern == "." else root.glob(pattern):
                mark = folder / "generated" / "instances.json"
                if mark.is_file():
                    found[folder.resolve()] = mark.stat().st_mtime
    return sorted(found, key=lambda folder: -found[folder])
