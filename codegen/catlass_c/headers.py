# SPDX-License-Identifier: Apache-2.0
"""What the C headers say: the tokens of types.h. The lists have one home, and it is not here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

from catlass_c.errors import failure

_LISTS = {
    "types": "CATC_TYPES",
    "layouts": "CATC_LAYOUTS",
    "schedules": "CATC_SCHEDULES",
    "backends": "CATC_BACKENDS",
    "kinds": "CATC_EPI_KINDS",
}


@dataclass(frozen=True)
class Tokens:
    types: Tuple[str, ...]
    layouts: Tuple[str, ...]
    schedules: Tuple[str, ...]
    backends: Tuple[str, ...]
    kinds: Tuple[str, ...]
    enumerators: Dict[str, str]  # backend token -> enumerator


def token_pairs(text: str, macro: str) -> List[Tuple[str, str]]:
    """(enumerator, token) of a list `#define CATC_…(X) X(enumerator, token…) …`; empty if there is none."""
    line = re.search(rf"^#define {macro}\(X\)(.*)$", text.replace("\\\n", " "), re.MULTILINE)
    return re.findall(r"X\(\s*(\w+)\s*,\s*(\w+)", line.group(1)) if line else []


def read_tokens(include: Path) -> Tokens:
    path = include / "catlass_c" / "types.h"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise failure(f"{path}: cannot be read: {error.strerror}; --include must name the folder that holds "
                      "catlass_c/types.h") from error
    found: Dict[str, Tuple[str, ...]] = {}
    enumerators: Dict[str, str] = {}
    for name, macro in _LISTS.items():
        pairs = token_pairs(text, macro)
        if not pairs:
            raise failure(f"{path}: the list {macro}(X) must name at least one token")
        found[name] = tuple(token for _, token in pairs)
        if name == "backends":
            enumerators = {token: enumerator for enumerator, token in pairs}
    return Tokens(enumerators=enumerators, **found)
