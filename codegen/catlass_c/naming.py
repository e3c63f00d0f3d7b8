# SPDX-License-Identifier: Apache-2.0
"""Names of instances, formatted and parsed:

<skeleton>_<A>_<B>_<acc>_<D>_<layout>_<M>x<N>x<K>[_w<M>x<N>][_t<M>x<N>][_c<M>x<N>]_s<stages>_<schedule>
    [_swap][_r<producer>-<consumer>][_rb<n>][_u<n>][_lb<n>][_<op>[.<type>]…]

Each field of the schema has one place here and is left out at its default. A chain that would read back as another one
has two underscores before each word: [gelu, tanh] is __gelu__tanh, because _gelu_tanh is [gelu_tanh]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from catlass_c.epilogue import Chain, Operation, resolve
from catlass_c.headers import Tokens
from catlass_c.schema import MODELS, Gemm, ValidationError, sentence

LENGTH_MAX = 200


@dataclass(frozen=True)
class _Place:
    field: str
    prefix: str = ""
    separator: str = "x"
    count: int = 1
    kind: str = "number"  # number, word or flag
    always: bool = False

    @property
    def pattern(self) -> str:
        one = {"number": "-?[0-9]+", "word": "[a-z0-9]+", "flag": ""}[self.kind]
        return f"{self.prefix}(?P<{self.field}>{self.separator.join([one] * self.count)})"

    def format(self, value: object) -> str:
        if self.kind == "flag":
            return self.prefix
        values = value if isinstance(value, tuple) else (value,)
        return self.prefix + self.separator.join(str(v) for v in values)

    def parse(self, text: str) -> object:
        if self.kind == "flag":
            return True
        if self.kind == "word":
            return text
        numbers = re.match(self.separator.join(["(-?[0-9]+)"] * self.count) + r"\Z", text).groups()
        return int(numbers[0]) if self.count == 1 else [int(n) for n in numbers]


PLACES = (
    _Place("a", kind="word", always=True),
    _Place("b", kind="word", always=True),
    _Place("acc", kind="word", always=True),
    _Place("d", kind="word", always=True),
    _Place("layout", kind="word", always=True),
    _Place("tile", count=3, always=True),
    _Place("warp", "w", count=2),
    _Place("thread", "t", count=2),
    _Place("cluster", "c", count=2),
    _Place("stages", "s", always=True),
    _Place("schedule", kind="word", always=True),
    _Place("swap", "swap", kind="flag"),
    _Place("regs", "r", separator="-", count=2),
    _Place("reg_buffers", "rb"),
    _Place("unroll", "u"),
    _Place("min_blocks", "lb"),
)


def format_name(skeleton: str, config: Gemm, chain: Chain, operations: Dict[str, Operation]) -> str:
    parts = [skeleton]
    for place in PLACES:
        if place.field in type(config).model_fields:
            value = getattr(config, place.field)
            if place.always or value != config.derived_default(place.field):
                parts.append(place.format(value))
    words = [position.spelled(config.d) for position in chain]
    plain = "".join("_" + word for word in words)
    if _split_chain(plain, operations) != words:
        plain = "".join("__" + word for word in words)
    return "_".join(parts) + plain


def parse_name(name: str, operations: Dict[str, Operation], tokens: Tokens) -> Tuple[str, Gemm, Chain]:
    """The skeleton, fields and chain of a name; ValueError if it is not one."""
    for skeleton, model in MODELS.items():
        if not name.startswith(skeleton + "_"):
            continue
        places = [place for place in PLACES if place.field in model.model_fields]
        pattern = re.escape(skeleton)
        for place in places:
            pattern += f"_{place.pattern}" if place.always else f"(?:_{place.pattern})?"
        match = re.match(pattern + r"(?P<chain_>(?:_.+)?)\Z", name)
        if match is None:
            break
        raw = {p.field: p.parse(match.group(p.field)) for p in places if match.group(p.field) is not None}
        words = _split_chain(match.group("chain_"), operations)
        if words is None:
            raise ValueError(f"'{name}': '{match.group('chain_')[1:]}' is not a chain of known operations")
        try:
            config = model.model_validate({**raw, "epilogue": words}, context={"tokens": tokens})
        except ValidationError as error:
            detail = error.errors()[0]
            field = str(detail["loc"][0])
            raise ValueError(f"'{name}': {field}: {sentence(detail, model, str(raw.get(field, '')))}") from error
        return skeleton, config, tuple(resolve(word, config.d, operations, tokens) for word in words)
    raise ValueError(f"'{name}' is not the name of an instance")


def _split_chain(text: str, operations: Dict[str, Operation]) -> Optional[List[str]]:
    """`_bias_row_gelu.f32` as words; operation names hold `_` too, so the longest that leaves a legal rest wins."""
    if not text:
        return []
    for operation in sorted(operations, key=len, reverse=True):
        match = re.match(rf"__?({re.escape(operation)}(?:\.[a-z0-9]+)?)(?=_|\Z)", text)
        if match:
            rest = _split_chain(text[match.end():], operations)
            if rest is not None:
                return [match.group(1)] + rest
    return None


def c_name(name: str) -> str:
    """The name as part of a C identifier."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
