# SPDX-License-Identifier: Apache-2.0
"""YAML with positions: every value knows the file, line and column it was written at.

PyYAML's constructors drop positions, take the last of two equal keys and read `010` as eight, so the node graph is
read here instead. Only what an instance file needs is accepted: mappings with text keys, lists, text, whole numbers,
true and false; for measurements also numbers such as 1.5."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Union

import yaml

from catlass_c.errors import CodegenError, Position, Problem

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where PyYAML was built with libyaml
_DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)\Z")
_FRACTION = re.compile(r"[+-]?[0-9]+\.[0-9]*([eE][+-][0-9]+)?\Z")
# The last: bytes of a name that are no UTF-8.
_NO_LABEL = re.compile(r"[\"\\*\x00-\x1f\x7f\ud800-\udfff]")
_DIGITS_MAX = 40  # Python refuses to convert thousands, and no field takes even these
_DEPTH_MAX = 16  # an anchor that contains itself would otherwise never end


@dataclass(frozen=True)
class Scalar:
    value: Union[str, int, bool, float]
    position: Position


@dataclass(frozen=True)
class Sequence:
    items: List[Node]
    position: Position


@dataclass(frozen=True)
class Mapping:
    values: Dict[str, Node]
    position: Position
    keys: Dict[str, Position] = field(default_factory=dict)


Node = Union[Scalar, Sequence, Mapping]


def plain(node: Node) -> object:
    """The value without its positions."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.values.items()}


def label(path: Path) -> str:
    """How generated files name a source: folder and file, so that they do not depend on where the tree lies. It goes
    into C strings, #line and comments, so that CodegenError refuses characters that mean something there."""
    text = f"{path.resolve().parent.name}/{path.name}"
    if _NO_LABEL.search(text):
        raise CodegenError([Problem(f"{str(path)!r}: generated C names this file and its folder, and a quote, "
                                    "backslash, * or control character would break it; rename the file or folder")])
    return text


def read(path: Path, decimals: bool = False) -> Mapping:
    """The top-level mapping of a YAML file; CodegenError with a position for anything else."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CodegenError([Problem(f"cannot be read: {reason}", Position(str(path), 1, 1))]) from error
    return parse(text, str(path), decimals)


def parse(text: str, file: str, decimals: bool = False) -> Mapping:
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        words = " ".join(part for part in (error.context, error.problem) if part)
        raise CodegenError([Problem(f"not valid YAML: {words}", Position(file, line, column))]) from error
    except yaml.YAMLError as error:
        raise CodegenError([Problem(f"not valid YAML: {error}", Position(file, 1, 1))]) from error
    if root is None:
        raise CodegenError([Problem("the file is empty; it must start with 'schema: 1'", Position(file, 1, 1))])
    reader = _Reader(file, decimals)
    node = reader.node(root, 0)
    if not isinstance(node, Mapping):
        reader.refuse(root, "must be a mapping that starts with 'schema: 1'")
    if reader.problems:
        raise CodegenError(reader.problems)
    return node


class _Reader:
    def __init__(self, file: str, decimals: bool):
        self.file = file
        self.decimals = decimals
        self.problems: List[Problem] = []

    def position(self, node: yaml.Node) -> Position:
        return Position(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def refuse(self, node: yaml.Node, message: str, key: str = "") -> None:
        self.problems.append(Problem(message, self.position(node), field=key))

    def node(self, node: yaml.Node, depth: int, key: str = "") -> Node:
        if depth > _DEPTH_MAX:
            self.refuse(node, "is nested too deeply", key)
            return Scalar("", self.position(node))
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, depth)
        if isinstance(node, yaml.SequenceNode):
            items = [self.node(item, depth + 1, key) for item in node.value]
            return Sequence(items, self.position(node))
        return Scalar(self.scalar(node, key), self.position(node))

    def mapping(self, node: yaml.MappingNode, depth: int) -> Mapping:
        result = Mapping({}, self.position(node))
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.refuse(key_node, "a key must be a word")
                continue
            key = key_node.value
            value = self.node(value_node, depth + 1, key)
            if key in result.values:
                first = result.keys[key]
                self.refuse(key_node, f"is given twice; first at line {first.line}, column {first.column}", key)
                continue
            result.values[key] = value
            result.keys[key] = self.position(key_node)
        return result

    def scalar(self, node: yaml.ScalarNode, key: str) -> Union[str, int, bool, float]:
        kind = node.tag.rsplit(":", 1)[-1]
        if kind == "str":
            return node.value
        if kind == "bool":
            return node.value.lower() in ("true", "yes", "on")
        if kind == "int" and _DECIMAL.match(node.value):
            if len(node.value) <= _DIGITS_MAX:
                return int(node.value)
            self.refuse(node, f"is a number of {len(node.value)} digits; at most {_DIGITS_MAX}", key)
            return ""
        if kind == "float" and self.decimals and _FRACTION.match(node.value):
            return float(node.value)
        if kind == "null":
            self.refuse(node, "has no value; leave the key out for its default", key)
        else:
            self.refuse(node, f"must be text, a whole decimal number, true or false, not {node.value}", key)
        return ""
