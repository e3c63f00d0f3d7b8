# SPDX-License-Identifier: Apache-2.0
"""Writing the generated folder: all texts are complete before the first is written, a file is replaced as a whole and
only when it differs, and files of the last run that are no longer generated are deleted."""

from __future__ import annotations

import json
import os
import shutil
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


def _previous(folder: Path, manifest: str) -> List[str]:
    """The files of the last run; a name that leads out of the folder is none of them."""
    try:
        files = json.loads((folder / manifest).read_text(encoding="utf-8"))["files"]
        return [name for name in files if isinstance(name, str) and ".." not in Path(name).parts
                and not Path(name).is_absolute()]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def check_folder(folder: Path) -> None:
    """Refuses what cannot be a folder to write."""
    if not folder.parent.is_dir():
        raise failure(f"{folder}: the folder {folder.parent} does not exist; create it or correct --out")
    if folder.exists() and not folder.is_dir():
        raise failure(f"{folder}: is a file; --out must name a folder")


def write(folder: Path, files: Dict[str, str], manifest: str = MANIFEST) -> int:
    """Make `folder` hold exactly `files` (the manifest, which lists them, among them) beside what others put there;
    files written."""
    check_folder(folder)
    orphans = [name for name in _previous(folder, manifest) if name not in files]
    # The manifest goes last: until it is replaced, the next run still knows which files are orphans.
    names = sorted(files, key=lambda name: (name == manifest, name))
    written = sum(replace(folder / name, files[name]) for name in names[:-1])
    for name in orphans:
        (folder / name).unlink(missing_ok=True)
    return written + replace(folder / names[-1], files[names[-1]])


def write_new(folder: Path, files: Dict[str, str], manifest: str) -> int:
    """The same for a folder that is missing or empty: all files appear there, or none."""
    check_folder(folder)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name[:40]}.", dir=folder.parent))
    except OSError as error:
        raise failure(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        whole = temporary / "whole"
        written = write(whole, files, manifest)
        try:
            if folder.is_dir():  # it stays the same folder, because somebody may be in it
                for path in sorted(whole.iterdir(), key=lambda path: path.name == manifest):
                    path.rename(folder / path.name)
            else:
                whole.rename(folder)
        except OSError as error:
            raise failure(f"{folder}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return written
