# SPDX-License-Identifier: Apache-2.0
"""Which instances are built or listed: `default`, `all`, or name patterns with *, ? and […], with `;` between them."""

from __future__ import annotations

import difflib
import fnmatch
import re
from typing import List, Sequence

from catlass_c.errors import CodegenError, Problem
from catlass_c.instances import Instance


def select(instances: Sequence[Instance], patterns: str) -> List[Instance]:
    """In the order of `instances`. A pattern that matches nothing is an error, also beside others that do."""
    chosen = set()
    problems = []
    words = [word.strip() for word in re.split("[;,]", patterns) if word.strip()]
    for word in words:
        if word == "all":
            matches = [instance.name for instance in instances]
        elif word == "default":
            matches = [instance.name for instance in instances if instance.config.default]
        else:
            matches = [instance.name for instance in instances if fnmatch.fnmatchcase(instance.name, word)]
        if not matches:
            problems.append(Problem(nothing(word, [instance.name for instance in instances])))
        chosen.update(matches)
    if not words:
        problems.append(Problem(nothing("", [instance.name for instance in instances])))
    if problems:
        raise CodegenError(problems)
    return [instance for instance in instances if instance.name in chosen]


def nothing(pattern: str, names: Sequence[str]) -> str:
    """The one line for a pattern without a match."""
    if pattern == "default":
        hint = "mark some with 'default: true', or use all or a pattern"
    else:
        near = difflib.get_close_matches(pattern.replace("*", ""), names, n=3, cutoff=0.0)
        hint = f"nearest: {', '.join(near)}" if near else "there are no instances"
    return f"0 of {len(names)} instances match '{pattern}'; {hint}"
