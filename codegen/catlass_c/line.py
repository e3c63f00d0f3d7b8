# SPDX-License-Identifier: Apache-2.0
"""One instance as the YAML line that makes it, and adding such a line to a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List

from catlass_c import schema, source
from catlass_c.errors import CodegenError, failure
from catlass_c.instances import Inputs, Instance, parse
from catlass_c.output import replace

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_NOT_TEXT = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def format_fields(fields: Dict[str, object]) -> str:
    """`{a: f32, tile: [128, 128, 8]}`, fields in the order of the schema."""
    order = list(schema.MACROS) + ["epilogue", "default"]
    names = sorted(fields, key=lambda name: order.index(name) if name in order else len(order))
    return "{" + ", ".join(f"{name}: {_value(fields[name])}" for name in names) + "}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, str) and (not _BARE.match(value) or value.lower() in _NOT_TEXT):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


def minimal_fields(config: schema.Gemm, words: List[str]) -> Dict[str, object]:
    """The fields of an instance without those at their defaults."""
    fields: Dict[str, object] = {}
    for name in type(config).model_fields:
        value = getattr(config, name)
        default = config.a if name in ("b", "d") else config.derived_default(name)
        if name != "epilogue" and value != default:
            fields[name] = value
    if words:
        fields["epilogue"] = words
    return fields


def of_instance(instance: Instance) -> str:
    words = [position.spelled(instance.config.d) for position in instance.chain]
    return format_fields(minimal_fields(instance.config, words))


def file_text(skeleton: str, fields: str) -> str:
    """A whole instance file with one line."""
    return f"schema: {schema.VERSION}\nskeleton: {skeleton}\ninstances:\n  - {fields}\n"


def append(path: Path, instance: Instance, inputs: Inputs) -> None:
    """Add the line of `instance` at the end of the file (made if missing), if the file then means what it should."""
    fields = of_instance(instance)
    if not path.exists():
        if not path.parent.is_dir():
            raise failure(f"{path}: the folder {path.parent} does not exist")
        replace(path, file_text(instance.skeleton, fields))
        return
    text = path.read_bytes().decode("utf-8")  # as it is: the file's line ends stay
    before = parse(text, path, inputs)
    entries = source.parse(text, str(path)).values["instances"]
    indent = " " * (entries.position.column - 1)
    end = "\r\n" if "\r\n" in text else "\n"
    new_text = text + ("" if text.endswith("\n") else end) + f"{indent}- {fields}{end}"
    try:
        after = parse(new_text, path, inputs)
    except CodegenError as error:
        if any(instance.name == problem.instance for problem in error.problems):
            raise  # the file has it already
        raise failure(f"{path}: the line cannot be added ({error.problems[0].message}); 'instances' must be the last "
                      "key, with one '- ' line per entry") from error
    names = [other.name for other in after if other.name not in {first.name for first in before}]
    if names != [instance.name]:
        raise failure(f"{path}: the line would give {', '.join(names) or 'nothing'} there, not {instance.name}, "
                      "because of the file's skeleton or defaults; add it to another file")
    replace(path, new_text)
