# SPDX-License-Identifier: Apache-2.0
"""The order of a registry: instances that share types, layout and chain stand together, groups sorted by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence

from catlass_c.errors import CodegenError, Problem
from catlass_c.hashing import fnv1a_64
from catlass_c.instances import Instance


@dataclass(frozen=True)
class Group:
    key: int
    text: str
    first: int
    count: int


def key_text(instance: Instance) -> str:
    """What catc_gemm_key() of registry.h hashes."""
    config = instance.config
    text = f"{config.a},{config.b},{config.acc},{config.d},{config.layout}"
    for position in instance.chain:
        text += f",{position.operation.id:08x}"
    return text


def in_order(instances: Sequence[Instance]) -> List[Instance]:
    return sorted(instances, key=lambda instance: (fnv1a_64(key_text(instance)), instance.name))


def groups(ordered: Sequence[Instance]) -> List[Group]:
    texts: Dict[int, str] = {}
    counts: Dict[int, int] = {}
    for instance in ordered:
        text = key_text(instance)
        key = fnv1a_64(text)
        if texts.setdefault(key, text) != text:
            raise CodegenError([Problem(f"has the same 64-bit registry key as another group ({texts[key]} and {text}); "
                                        "rename an operation", instance.position, instance.name)])
        counts[key] = counts.get(key, 0) + 1
    result, first = [], 0
    for key, count in counts.items():
        result.append(Group(key, texts[key], first, count))
        first += count
    return result
