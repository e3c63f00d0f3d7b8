# SPDX-License-Identifier: Apache-2.0
"""Writing the generated folder: all texts are complete before the first is written, a file is replaced as a whole and
only when it differs, and files of the last run that are no longer generated are deleted."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Dict, List

from catlass_c.errors import failure

MANIFEST = "instances.json"


def replace(path: Path, text: str) -> bool:
    """Write `text` if the file does not hold it already; True if it was written. Never leaves half a file."""
    data = text.encode("utf-8")
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass  # missing or unreadable: the write below says why if it cannot be helped
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)  # mkstemp makes private files; these are ordinary ones
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise failure(f"{path}: cannot be written: {error.strerror}") from error
    return True


def _previous(folder: Path) -> List[str]:
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return [name for name in files if isinstance(name, str) and ".." not in Path(name).parts]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def write(folder: Path, files: Dict[str, str]) -> int:
    """Make `folder` hold exactly `files` (the manifest among them) beside what others put there; files written."""
    if not folder.parent.is_dir():
        raise failure(f"{folder}: the folder {folder.parent} does not exist; create it or correct --out")
    if folder.exists() and not folder.is_dir():
        raise failure(f"{folder}: is a file; --out must name a folder")
    orphans = [name for name in _previous(folder) if name not in files]
    # The manifest goes last: until it is replaced, the next run still knows which files are orphans.
    names = sorted(files, key=lambda name: (name == MANIFEST, name))
    written = sum(replace(folder / name, files[name]) for name in names[:-1])
    for name in orphans:
        (folder / name).unlink(missing_ok=True)
    return written + replace(folder / names[-1], files[names[-1]])
