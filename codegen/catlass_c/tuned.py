# SPDX-License-Identifier: Apache-2.0
"""Tuned tables: for one GPU, which instance was the fastest at which sizes. A file of instances/tuned/ is

schema: 1
device: h200
sms: 132
cc: 90
entries:
  - {m: 4096, n: 4096, k: 1024, instance: gemm_simt_…, microseconds: 101.5}

Types, layout and chain of an entry are those of its instance. An entry of an instance that is gone or left out of the
build is dropped: measurements outlive names."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from catlass_c import source
from catlass_c.errors import CodegenError, Position, Problem, did_you_mean
from catlass_c.hashing import fnv1a_64
from catlass_c.instances import Inputs, Instance, quoted, version_problem
from catlass_c.registry import key_text

_TOP = ("schema", "device", "sms", "cc", "entries")
_SIZES = ("m", "n", "k", "batch")
# How an entry was measured; goes into a comment of the generated table.
_MEASURED = ("microseconds", "samples", "record")
_FIELDS = (*_SIZES, "instance", *_MEASURED)
_SIZE_MAX = 1 << 40
_DEVICE = re.compile(r"[A-Za-z0-9_-]{1,15}\Z")
_RECORD = re.compile(r"[A-Za-z0-9_./:-]{1,100}\Z")  # nothing that could end a comment


@dataclass(frozen=True)
class Entry:
    instance: Instance
    m: int
    n: int
    k: int
    batch: int
    measured: Tuple[Tuple[str, object], ...]
    position: Position
    source: str  # "tuned/h200.yaml:7"

    @property
    def key(self) -> int:
        return fnv1a_64(key_text(self.instance))

    @property
    def order(self) -> Tuple:
        return self.key, self.n, self.k, self.m, self.batch, self.instance.name

    @property
    def problem(self) -> Tuple:
        """Two entries with equal ones contradict each other. Operand types are no part of the key, but of this."""
        return (self.key, self.m, self.n, self.k, self.batch, *(position.type for position in self.instance.chain))

    @property
    def comment(self) -> str:
        return ", ".join([self.source, *(f"{name} {value}" for name, value in self.measured)])


@dataclass(frozen=True)
class Table:
    """Everything that was measured on one device."""

    device: str
    sms: int
    cc: int
    entries: Tuple[Entry, ...]  # in the order of the generated table


@dataclass(frozen=True)
class Tuned:
    tables: Tuple[Table, ...]
    warnings: Tuple[str, ...]

    def count(self, path: Path) -> int:
        """Entries of one file."""
        return sum(entry.position.file == str(path) for table in self.tables for entry in table.entries)


def _holds_measurements(path: Path) -> bool:
    try:
        keys = source.read(path, decimals=True).keys
    except CodegenError:  # whoever reads it in earnest says what is wrong
        return path.parent.name == "tuned"
    return any(key in keys for key in _TOP[1:]) and not any(key in keys for key in ("skeleton", "instances"))


def apart(inputs: Inputs) -> Inputs:
    """The same with files of measurements among the instance files put where they belong."""
    measured = [path for path in inputs.files if _holds_measurements(path)]
    tuned = dict.fromkeys([*measured, *inputs.tuned])
    return replace(inputs, files=tuple(path for path in inputs.files if path not in measured), tuned=tuple(tuned))


def check(inputs: Inputs, found: Sequence[Instance], library: Callable[[], Inputs]) -> Tuned:
    """The entries of inputs.tuned, whose instances are those `found` in inputs.files, in the folder above a file of
    tuned/, or where there are none, in `library`."""
    read = {path.resolve() for path in inputs.files}
    more = [path for file in inputs.tuned for path in sorted(file.resolve().parent.parent.glob("*.yaml"))
            if file.resolve().parent.name == "tuned" and path not in read]
    instances = list(found) + replace(inputs, files=tuple(dict.fromkeys(more))).load()
    if not instances:
        instances = library().load()
    return load(inputs.tuned, instances, instances)


def load(files: Sequence[Path], instances: Sequence[Instance], built: Sequence[Instance]) -> Tuned:
    """The entries of `built` instances, by device; CodegenError for anything that is wrong in a file."""
    known = {instance.name: instance for instance in instances}
    names = {instance.name for instance in built}
    problems: List[Problem] = []
    warnings: List[str] = []
    devices: Dict[Tuple[str, int, int], List[Entry]] = {}
    for path in files:
        try:
            file = _File(source.read(path, decimals=True), path, known)
            device, entries = file.load()
        except CodegenError as error:
            problems += error.problems
            continue
        warnings += file.warnings
        left_out = sum(entry.instance.name not in names for entry in entries)
        if left_out:
            warnings.append(f"{path}: {left_out} of {len(entries)} entries name instances that this build leaves out; "
                            "they are ignored")
        devices.setdefault(device, []).extend(entries)
    for entries in devices.values():
        problems += _contradictions(entries)
    if problems:
        raise CodegenError(problems)
    tables = []
    for (name, sms, cc), entries in sorted(devices.items()):
        kept = sorted((entry for entry in entries if entry.instance.name in names), key=lambda entry: entry.order)
        if kept:
            tables.append(Table(name, sms, cc, tuple(kept)))
    return Tuned(tuple(tables), tuple(warnings))


def _contradictions(entries: Sequence[Entry]) -> List[Problem]:
    first: Dict[Tuple, Entry] = {}
    problems = []
    for entry in entries:
        other = first.setdefault(entry.problem, entry)
        if other is not entry:
            problems.append(Problem(
                f"has the sizes, types and chain of the entry at {other.position}; keep one of them", entry.position,
                entry.instance.name))
    return problems


class _File:
    """One file; collects every problem before it gives up."""

    def __init__(self, root: source.Mapping, path: Path, known: Dict[str, Instance]):
        self.root = root
        self.label = source.label(path)
        self.known = known
        self.problems: List[Problem] = []
        self.warnings: List[str] = []

    def add(self, message: str, position: Position, where: str = "", field: str = "") -> None:
        self.problems.append(Problem(message, position, where, field))

    def fail_if_problems(self) -> None:
        if self.problems:
            raise CodegenError(self.problems)

    def load(self) -> Tuple[Tuple[str, int, int], List[Entry]]:
        version = version_problem(self.root)
        if version:  # a newer schema has other fields: complaints about those would only mislead
            raise CodegenError([version])
        self.unknown(self.root, _TOP)
        device = self.value(self.root, "device", "the short name of a GPU, such as h200",
                            lambda value: isinstance(value, str) and _DEVICE.match(value))
        sms = self.whole(self.root, "sms", "its multiprocessors, a whole number from 1", 1 << 16)
        cc = self.whole(self.root, "cc", "its compute capability times 10, such as 90", 1 << 16)
        nodes = self.root.values.get("entries")
        if nodes is None:
            self.add("is missing; a list of entries", self.root.position, field="entries")
        elif not isinstance(nodes, source.Sequence) or not nodes.items:
            self.add("must be a list with at least one entry", nodes.position, field="entries")
        self.fail_if_problems()
        entries = [self.entry(node, f"entry {number}") for number, node in enumerate(nodes.items, start=1)]
        self.fail_if_problems()
        return (device, sms, cc), [entry for entry in entries if entry is not None]

    def entry(self, node: source.Node, where: str) -> Optional[Entry]:
        if not isinstance(node, source.Mapping):
            self.add("must be a mapping of fields such as {m: 64, n: 64, k: 64, instance: …}", node.position, where)
            return None
        before = len(self.problems)
        self.unknown(node, _FIELDS, where)
        sizes = {}
        for name in _SIZES:
            if name in node.values or name != "batch":
                sizes[name] = self.whole(node, name, f"a whole number from 1 to {_SIZE_MAX}", _SIZE_MAX, where)
        name = self.value(node, "instance", "the name of an instance", lambda value: isinstance(value, str), where)
        measured = [(field, self.measured(node, field, where)) for field in _MEASURED if field in node.values]
        if len(self.problems) > before:
            return None
        if name not in self.known:
            position = node.values["instance"].position
            self.warnings.append(str(Problem(f"warning: '{name}' is no instance (renamed or removed); the entry is "
                                             "ignored", position, where, "instance")))
            return None
        return Entry(self.known[name], sizes["m"], sizes["n"], sizes["k"], sizes.get("batch", 1), tuple(measured),
                     node.position, f"{self.label}:{node.position.line}")

    def measured(self, node: source.Mapping, field: str, where: str) -> object:
        if field == "samples":
            return self.whole(node, field, "the number of measurements, from 1", _SIZE_MAX, where)
        if field == "record":
            return self.value(node, field, "the name of a record: letters, digits and _./:-",
                              lambda value: isinstance(value, str) and _RECORD.match(value), where)
        return self.value(node, field, "a time above 0, such as 101.5",
                          lambda value: type(value) in (int, float) and 0 < value < math.inf, where)

    def whole(self, node: source.Mapping, field: str, description: str, maximum: int, where: str = "") -> int:
        return self.value(node, field, description, lambda value: type(value) is int and 1 <= value <= maximum, where)

    def value(self, node: source.Mapping, field: str, description: str, accepts, where: str = ""):
        """The value of a field; a problem if it is missing or not accepted."""
        child = node.values.get(field)
        if child is None:
            self.add(f"is missing; {description}", node.position, where, field)
            return None
        value = source.plain(child)
        if not accepts(value):
            self.add(f"must be {description}; not {quoted(value)}", child.position, where, field)
        return value

    def unknown(self, mapping: source.Mapping, known: Sequence[str], where: str = "") -> None:
        for key, position in mapping.keys.items():
            if key not in known:
                self.add(f"unknown {'field' if where else 'key'}{did_you_mean(key, known)}", position, where, key)
