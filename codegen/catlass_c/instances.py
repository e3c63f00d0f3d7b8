# SPDX-License-Identifier: Apache-2.0
"""From YAML files to instances: lists expand to products, fields are checked, names are given and compared."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Type

from catlass_c import naming, schema, source
from catlass_c.epilogue import Chain, Operation, find_operations, resolve
from catlass_c.errors import CodegenError, Position, Problem, did_you_mean
from catlass_c.headers import Tokens, read_tokens

_TOP = ("schema", "skeleton", "defaults", "instances")
_LISTS = {"tile": 1, "warp": 1, "thread": 1, "cluster": 1, "regs": 1, "epilogue": 1}  # fields whose value is a list
_PRODUCT_MAX = 20000


@dataclass(frozen=True)
class Instance:
    name: str
    skeleton: str
    config: schema.Gemm
    chain: Chain
    position: Position
    source: str  # "instances/gemm_simt.yaml:41"
    fields: Dict[str, Tuple[Position, ...]]  # where each field, and each element of a list field, is written
    entry: Dict[str, object]  # the fields as written in YAML, one combination of the product

    @property
    def c_name(self) -> str:
        return naming.c_name(self.name)

    def field_position(self, macro: str) -> Position:
        """Where the value behind a macro such as TILE_N is written; the entry itself where it is a default."""
        for field, names in schema.MACROS.items():
            if macro in names and field in self.fields:
                places = self.fields[field]
                return places[names.index(macro)] if len(places) > 1 else places[0]
        return self.position


@dataclass(frozen=True)
class Inputs:
    """Everything that instance files may refer to, and the files themselves."""

    include: Path
    epilogues: Tuple[Path, ...]
    files: Tuple[Path, ...]
    tokens: Tokens
    operations: Dict[str, Operation]
    tuned: Tuple[Path, ...] = ()  # files of tuned.py

    @classmethod
    def find(cls, include: Path, instances: Iterable[Path], epilogues: Iterable[Path] = (),
             tuned: Iterable[Path] = ()) -> Inputs:
        """`tuned`: files and folders; none means the folder tuned/ of each folder of instances."""
        tokens = read_tokens(include)
        instances, epilogues = tuple(instances), tuple(epilogues)
        tuned = tuple(tuned) or tuple(place / "tuned" for place in instances if (place / "tuned").is_dir())
        return cls(include, epilogues, tuple(_files(instances)), tokens, find_operations(include, epilogues, tokens),
                   tuple(_files(tuned, "measurements")))

    def load(self) -> List[Instance]:
        problems: List[Problem] = []
        instances: List[Instance] = []
        for path in self.files:
            try:
                instances += _File(source.read(path), path, self).instances()
            except CodegenError as error:
                problems += error.problems
        problems += _clashes(instances)
        if problems:
            raise CodegenError(problems)
        return instances


def parse(text: str, path: Path, inputs: Inputs) -> List[Instance]:
    """The instances of a text that is not, or not yet, the content of the file at `path`."""
    instances = _File(source.parse(text, str(path)), path, inputs).instances()
    problems = _clashes(instances)
    if problems:
        raise CodegenError(problems)
    return instances


def _files(places: Iterable[Path], content: str = "instances") -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(place.glob("*.yaml"))
        elif place.is_file():
            yield place
        else:
            raise CodegenError([Problem(f"{place}: no such file or folder of {content}")])


def _clashes(instances: Sequence[Instance]) -> List[Problem]:
    problems = []
    exact: Dict[str, Instance] = {}
    folded: Dict[str, Instance] = {}
    for instance in instances:
        first = exact.get(instance.name)
        near = folded.get(instance.c_name.lower())
        if first is not None:
            problems.append(Problem(f"is the same instance as the one at {first.position}; remove one of them",
                                    instance.position, instance.name))
        elif near is not None:
            problems.append(Problem(
                f"clashes with {near.name} at {near.position}: the names differ only in characters that C "
                "identifiers or file systems do not tell apart", instance.position, instance.name))
        exact.setdefault(instance.name, instance)
        folded.setdefault(instance.c_name.lower(), instance)
    return problems


class _File:
    """One instance file; collects every problem before it gives up."""

    def __init__(self, root: source.Mapping, path: Path, inputs: Inputs):
        self.root = root
        self.label = source.label(path)
        self.inputs = inputs
        self.problems: List[Problem] = []

    def add(self, message: str, position: Position, instance: str = "", field: str = "") -> None:
        self.problems.append(Problem(message, position, instance, field))

    def fail_if_problems(self) -> None:
        if self.problems:
            raise CodegenError(self.problems)

    def instances(self) -> List[Instance]:
        model, skeleton = self.head()
        defaults = self.root.values.get("defaults", source.Mapping({}, self.root.position))
        entries = self.root.values.get("instances")
        if not isinstance(defaults, source.Mapping):
            self.add("must be a mapping of fields", defaults.position, field="defaults")
            defaults = source.Mapping({}, self.root.position)
        if entries is None:
            self.add("is missing; a list of instances", self.root.position, field="instances")
        elif not isinstance(entries, source.Sequence) or not entries.items:
            self.add("must be a list with at least one instance", entries.position, field="instances")
        self.unknown(defaults, model, "defaults")
        self.fail_if_problems()
        result: List[Instance] = []
        for number, entry in enumerate(entries.items, start=1):
            where = f"entry {number}"
            if not isinstance(entry, source.Mapping):
                self.add("must be a mapping of fields such as {a: f32, …}", entry.position, where)
                continue
            self.unknown(entry, model, where)
            result += self.expand(entry, defaults, model, skeleton, where)
        self.fail_if_problems()
        return result

    def head(self) -> Tuple[Type[schema.Gemm], str]:
        root = self.root
        for key, position in root.keys.items():
            if key not in _TOP:
                self.add(f"unknown key{did_you_mean(key, _TOP)}", position, field=key)
        version = version_problem(root)
        if version:
            self.problems.append(version)
        skeleton = root.values.get("skeleton")
        name = source.plain(skeleton) if skeleton is not None else None
        if skeleton is None:
            self.add(f"is missing; known: {', '.join(schema.MODELS)}", root.position, field="skeleton")
        elif not isinstance(name, str) or name not in schema.MODELS:
            self.add(f"{quoted(name)} is unknown{did_you_mean(str(name), list(schema.MODELS))}", skeleton.position,
                     field="skeleton")
        self.fail_if_problems()
        return schema.MODELS[name], name

    def unknown(self, mapping: source.Mapping, model: Type[schema.Gemm], where: str) -> None:
        for key, position in mapping.keys.items():
            if key not in model.model_fields:
                self.add(schema.unknown_field(key, model), position, where, key)

    def expand(self, entry: source.Mapping, defaults: source.Mapping, model: Type[schema.Gemm], skeleton: str,
               where: str) -> List[Instance]:
        nodes = {**defaults.values, **entry.values}
        choices: Dict[str, List[source.Node]] = {}
        size = 1
        for field, node in nodes.items():
            if field not in model.model_fields:
                continue
            choices[field] = _choices(field, node)
            size *= len(choices[field])
            if not choices[field]:
                self.add("is an empty list, which gives no instance", node.position, where, field)
        if size > _PRODUCT_MAX:
            self.add(f"expands to {size} instances; at most {_PRODUCT_MAX}", entry.position, where)
            return []
        result = []
        for combination in itertools.product(*choices.values()):
            instance = self.instance(dict(zip(choices, combination)), entry, model, skeleton, where)
            if instance is not None:
                result.append(instance)
        return result

    def instance(self, nodes: Dict[str, source.Node], entry: source.Mapping, model: Type[schema.Gemm],
                 skeleton: str, where: str) -> Optional[Instance]:
        raw = {field: source.plain(node) for field, node in nodes.items()}
        try:
            config = model.model_validate(raw, context={"tokens": self.inputs.tokens})
        except schema.ValidationError as error:
            for detail in error.errors():
                self.detail(detail, nodes, entry, model, where)
            return None
        chain = self.chain(config, nodes.get("epilogue"), where)
        if chain is None:
            return None
        name = naming.format_name(skeleton, config, chain, self.inputs.operations)
        if len(name) > naming.LENGTH_MAX:
            self.add(f"the name has {len(name)} characters; at most {naming.LENGTH_MAX}: shorten the epilogue chain",
                     entry.position, name)
            return None
        fields = {field: _positions(node) for field, node in nodes.items()}
        return Instance(name, skeleton, config, chain, entry.position, f"{self.label}:{entry.position.line}", fields,
                        raw)

    def detail(self, detail: dict, nodes: Dict[str, source.Node], entry: source.Mapping, model: Type[schema.Gemm],
               where: str) -> None:
        """One pydantic error as a problem."""
        field = str(detail["loc"][0]) if detail["loc"] else ""
        node = nodes.get(field)
        if node is None:
            self.add(schema.sentence(detail, model, ""), entry.position, where, field)
            return
        index = next((part for part in detail["loc"][1:] if isinstance(part, int)), None)
        position = node.position
        if index is not None and isinstance(node, source.Sequence) and index < len(node.items):
            position = node.items[index].position
        self.add(schema.sentence(detail, model, quoted(source.plain(node))), position, where, field)

    def chain(self, config: schema.Gemm, node: Optional[source.Node], where: str) -> Optional[Chain]:
        positions, good = [], True
        for index, word in enumerate(config.epilogue):
            try:
                positions.append(resolve(word, config.d, self.inputs.operations, self.inputs.tokens))
            except ValueError as error:
                self.add(str(error), node.items[index].position, where, "epilogue")
                good = False
        return tuple(positions) if good else None


def version_problem(root: source.Mapping) -> Optional[Problem]:
    """What is wrong with the line `schema: 1` of a file, if anything."""
    node = root.values.get("schema")
    if node is None:
        return Problem(f"is missing; the file must start with 'schema: {schema.VERSION}'", root.position,
                       field="schema")
    value = source.plain(node)
    if type(value) is not int:
        message = f"must be the whole number {schema.VERSION}, not {quoted(value)}"
    elif value > schema.VERSION:
        message = f"{value} is newer than {schema.VERSION}, the newest that this catlass_c reads; update it"
    elif value < schema.VERSION:
        message = f"must be {schema.VERSION}, not {value}"
    else:
        return None
    return Problem(message, node.position, field="schema")


def _choices(field: str, node: source.Node) -> List[source.Node]:
    """The values that a field takes in turn: a list where one value is expected, a list of lists where a list is."""
    if not isinstance(node, source.Sequence):
        return [node]
    if field not in _LISTS:
        return list(node.items)
    if node.items and all(isinstance(item, source.Sequence) for item in node.items):
        return list(node.items)
    return [node]


def _positions(node: source.Node) -> Tuple[Position, ...]:
    if isinstance(node, source.Sequence) and node.items:
        return tuple(item.position for item in node.items)
    return (node.position,)


def quoted(value: object) -> str:
    """A value as YAML would write it, text in quotes so that "64" and 64 look different."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}" (text)'
    if isinstance(value, list):
        return "[" + ", ".join(quoted(item) for item in value) + "]"
    if isinstance(value, dict):
        return "a mapping"
    return str(value)
