# SPDX-License-Identifier: Apache-2.0
"""Epilogue operations: found in headers, named in YAML as `op` or `op.type`, resolved to chain positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

from catlass_c.errors import CodegenError, Problem, did_you_mean
from catlass_c.hashing import fnv1a_32
from catlass_c.headers import Tokens

_DECLARATION = re.compile(r"^[ \t]*CATC_EPI_OP\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
# Words that an instance name uses for its other fields; an operation that starts with one would make names ambiguous.
_FIELD_WORD = re.compile(r"(swap|sk[0-9]+|rb[0-9]+|u[0-9]+|lb[0-9]+)(_|\Z)")
_TYPED_KINDS = ("COL", "ROW", "TILE", "TAP")
NO_TYPE = "none"


@dataclass(frozen=True)
class Operation:
    name: str
    kind: str
    include: str  # as written in #include
    header: str   # the file it was found in, for messages

    @property
    def id(self) -> int:
        return fnv1a_32(self.name)

    @property
    def typed(self) -> bool:
        return self.kind in _TYPED_KINDS


@dataclass(frozen=True)
class ChainPosition:
    operation: Operation
    type: str  # token, or `none`

    def spelled(self, type_d: str) -> str:
        """As in YAML and in names: the type is left out where it is D's."""
        if self.type in (NO_TYPE, type_d):
            return self.operation.name
        return f"{self.operation.name}.{self.type}"


Chain = Tuple[ChainPosition, ...]


def find_operations(include: Path, folders: Iterable[Path], tokens: Tokens) -> Dict[str, Operation]:
    """All operations of the library and of the user's folders, by name."""
    found: Dict[str, Operation] = {}
    problems: List[Problem] = []
    places = [(include / "catlass_c" / "epilogue", "catlass_c/epilogue/")] + [(Path(f), "") for f in folders]
    for folder, prefix in places:
        if not folder.is_dir():
            problems.append(Problem(f"{folder}: is not a folder of epilogue operations"))
            continue
        for path in sorted(folder.glob("*.h")):
            for name, kind in _DECLARATION.findall(path.read_text(encoding="utf-8", errors="replace")):
                operation = Operation(name, kind, prefix + path.name, str(path))
                problems += _refusals(operation, path, found, tokens)
                found.setdefault(name, operation)
    if problems:
        raise CodegenError(problems)
    return found


def _refusals(operation: Operation, path: Path, found: Dict[str, Operation], tokens: Tokens) -> List[Problem]:
    def problem(message: str) -> Problem:
        return Problem(f"{path}: operation {operation.name}: {message}")

    problems = []
    if operation.kind not in tokens.kinds:
        problems.append(problem(f"kind {operation.kind} is unknown{did_you_mean(operation.kind, tokens.kinds)}"))
    if path.stem != operation.name:
        problems.append(problem(f"must be declared in a file of its own name, {operation.name}.h"))
    if not re.match(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*\Z", operation.name):
        problems.append(problem("the name must be letters, digits and single _ between them, and start with a letter"))
    if _FIELD_WORD.match(operation.name):
        problems.append(problem("the name must not start with swap, sk<n>, rb<n>, u<n> or lb<n>: instances are named "
                                "with them"))
    for other in found.values():
        if other.name == operation.name:
            problems.append(problem(f"is also declared in {other.header}; rename one of them"))
        elif other.id == operation.id:
            problems.append(problem(f"has the same 32-bit id as {other.name} ({other.header}); rename one of them"))
    return problems


def resolve(word: str, type_d: str, operations: Dict[str, Operation], tokens: Tokens) -> ChainPosition:
    """`bias` or `bias.f32` as a position; ValueError with the sentence if it is neither."""
    name, _, type_ = word.partition(".")
    operation = operations.get(name)
    if operation is None:
        raise ValueError(f"operation '{name}' is unknown{did_you_mean(name, sorted(operations))}")
    if "." not in word:
        return ChainPosition(operation, type_d if operation.typed else NO_TYPE)
    if not operation.typed:
        raise ValueError(f"operation '{name}' is of kind {operation.kind} and takes no operand type; write '{name}'")
    if type_ not in tokens.types:
        raise ValueError(f"operand type '{type_}' of '{name}' is unknown{did_you_mean(type_, tokens.types)}")
    return ChainPosition(operation, type_)


def includes(chain: Sequence[ChainPosition]) -> List[str]:
    return list(dict.fromkeys(position.operation.include for position in chain))
