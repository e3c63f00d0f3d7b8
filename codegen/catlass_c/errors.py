# SPDX-License-Identifier: Apache-2.0
"""Problems found in input, and the sentence each becomes: `file:line:column: instance: field: message`."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence


@dataclass(frozen=True, order=True)
class Position:
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    message: str
    position: Optional[Position] = None
    instance: str = ""
    field: str = ""

    def __str__(self) -> str:
        place = str(self.position) if self.position else ""
        return ": ".join(part for part in (place, self.instance, self.field, self.message) if part)


class CodegenError(Exception):
    """One or more problems, in the order of their positions, each said once."""

    def __init__(self, problems: Iterable[Problem]):
        unique = dict.fromkeys(problems)
        nowhere = Position("", 0, 0)
        self.problems: List[Problem] = sorted(unique, key=lambda problem: problem.position or nowhere)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def failure(message: str) -> CodegenError:
    return CodegenError([Problem(message)])


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """`; did you mean 'tile'?` with the nearest known word, or the list of all known words."""
    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), list(folded), n=1, cutoff=0.6)
    if near:
        return f"; did you mean '{folded[near[0]]}'?"
    return f"; known: {', '.join(known)}"
