# SPDX-License-Identifier: Apache-2.0
"""The library's own selection for a problem that nobody has to own: sizes, types and layout are the caller's, the
addresses are made up. catc_gemm_explain follows none of them."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from typing import Dict, List

from catlass_c.epilogue import Chain
from catlass_c.errors import failure
from catlass_c.library import Library

MATRICES = ("a", "b", "c", "d")
_INT64_MAX = (1 << 63) - 1
# Two operands must not overlap, whatever the sizes: each has 64 PiB to itself, on a boundary of any alignment.
_ROOM = 1 << 56


@dataclass(frozen=True)
class Problem:
    """What is asked; types, layout, backend and device as words, empty for the library's default."""

    m: int
    n: int
    k: int
    layout: str
    a: str
    b: str = ""
    d: str = ""
    acc: str = ""
    batch: int = 1
    beta: float = 0.0
    chain: Chain = ()
    backend: str = ""
    device: str = ""
    fixed_m: bool = False
    ld: Dict[str, int] = field(default_factory=dict)      # of a, b, c, d; packed where missing
    offset: Dict[str, int] = field(default_factory=dict)  # elements between the address and a 256-byte boundary


@dataclass(frozen=True)
class Explanation:
    status: str  # name of the status that the call would have
    text: str

    @property
    def ok(self) -> bool:
        return self.status == "CATC_OK"

    @property
    def reached_selection(self) -> bool:
        """False: the arguments themselves were refused, and the text is that one sentence."""
        return self.ok or self.text.startswith("gemm ")

    def _lines(self, word: str) -> List[str]:
        return [line[len(word) + 2:].strip() for line in self.text.splitlines() if line.startswith(f"  {word} ")]

    def as_dict(self) -> Dict[str, object]:
        chosen = re.search(r"^chosen: ([^\s,]+)", self.text, re.MULTILINE)
        yaml = re.search(r"^  - (\{.*\})$", self.text, re.MULTILINE)
        candidates: List[Dict[str, object]] = []
        for word in ("legal", "refused"):
            for line in self._lines(word):
                name, _, detail = line.partition(":")
                detail = " ".join(detail.split())
                if detail == "the same":  # as the line above; here each stands alone
                    detail = candidates[-1]["detail"]
                candidates.append({"name": name, "legal": word == "legal", "detail": detail})
        return {"status": self.status, "chosen": chosen.group(1) if chosen else None, "candidates": candidates,
                "tuned": self._lines("tuned"), "yaml": yaml.group(1) if yaml else None, "text": self.text}


def _value(words: Dict[str, int], word: str, option: str, optional: bool = True) -> int:
    """The enumerator of a word; 0, the library's default, for an optional one that is empty."""
    if word not in words and not (optional and not word):
        raise failure(f"--{option}: '{word}' is unknown; known: {', '.join(words)}")
    return words.get(word, 0)


def _fits(value: int, option: str) -> int:
    """ctypes would cut it off without a word."""
    if value > _INT64_MAX:
        raise failure(f"--{option}: {value} must be at most {_INT64_MAX} (2^63 - 1)")
    return value


def _arguments(library: Library, problem: Problem) -> ctypes.Structure:
    args = library.gemm_args()
    args.m, args.n, args.k = _fits(problem.m, "m"), _fits(problem.n, "n"), _fits(problem.k, "k")
    args.layout = _value(library.layouts, problem.layout, "layout", optional=False)
    args.type_a = _value(library.types, problem.a, "a", optional=False)
    args.type_b = _value(library.types, problem.b, "b")
    args.type_d = _value(library.types, problem.d, "d")
    args.type_acc = _value(library.types, problem.acc, "acc")
    args.backend = _value(library.backends, problem.backend, "backend")
    args.fixed_m = int(problem.fixed_m)
    types = {"a": args.type_a, "b": args.type_b, "c": args.type_d, "d": args.type_d}
    # In memory: how many lines of how many elements. Layout t n: A is [M, K] and B is stored [N, K].
    shapes = {"a": (problem.m, problem.k) if problem.layout[0] == "t" else (problem.k, problem.m),
              "b": (problem.n, problem.k) if problem.layout[1] == "n" else (problem.k, problem.n),
              "c": (problem.m, problem.n), "d": (problem.m, problem.n)}
    for number, name in enumerate(MATRICES, start=1):
        if name == "c" and problem.beta == 0:
            continue
        element = library.lib.catc_type_size(types[name] or args.type_a)
        setattr(args, name, number * _ROOM + problem.offset.get(name, 0) * element)
        lines, length = shapes[name]
        ld = problem.ld.get(name, 0)
        setattr(args, f"ld{name}", ld)
        if problem.batch != 1:  # packed, one problem behind the other; what overflows is refused by the library
            setattr(args, f"stride_{name}", min(max(lines * (ld or length), 1), _INT64_MAX))
    args.batch = _fits(problem.batch, "batch")
    if problem.beta != 0:
        args.held = ctypes.c_float(problem.beta)  # lives as long as the struct that points at it
        args.beta = ctypes.addressof(args.held)
    if len(problem.chain) > len(args.epi):
        raise failure(f"--epilogue: {len(problem.chain)} operations must be at most {len(args.epi)}; make the chain "
                      "shorter")
    for i, position in enumerate(problem.chain):
        args.epi[i].op = library.op_id(position.operation.name)
        if position.operation.typed:
            args.epi[i].type = _value(library.types, position.type, "epilogue")
        args.epi[i].ptr = (5 + 2 * i) * _ROOM
        args.epi[i].out = (6 + 2 * i) * _ROOM
        if position.operation.kind == "TAP":  # each problem has its own place; other operands are shared by all
            args.epi[i].batch_stride = args.stride_d
    args.n_epi = len(problem.chain)
    return args


def gemm(library: Library, problem: Problem) -> Explanation:
    known = library.devices()
    if problem.device and problem.device not in known:
        raise failure(f"--device: '{problem.device}' is unknown; known: {', '.join(known)}")
    args = _arguments(library, problem)
    if problem.device:
        args.device = ctypes.addressof(known[problem.device])
    status, text = library.gemm_explain(args)
    # The library knows the names of those operations only that it has instances of.
    words = [position.spelled(problem.d or problem.a) for position in problem.chain]
    for word, position in zip(words, problem.chain):
        text = text.replace(f"<operation 0x{library.op_id(position.operation.name):08x}>", word)
    text = re.sub(r"\A(gemm .*, chain )[^,\n]*", lambda match: match.group(1) + " ".join(words), text)
    name = library.status_name(status)
    if name == "CATC_NO_DEVICE" and not problem.device:
        text = f"{text.rstrip()}; or name a GPU with --device: {', '.join(known)}\n"
    return Explanation(name, text)
