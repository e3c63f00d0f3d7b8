# SPDX-License-Identifier: Apache-2.0
"""The probe: one C program over all instances that prints their derived numbers and every rule they break. The rules
are those of include/catlass_c/check/; compiling them is the only way to ask them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from catlass_c.errors import CodegenError, Position, Problem, failure
from catlass_c.instances import Inputs, Instance
from catlass_c.output import replace
from catlass_c.place import user_cache_folder
from catlass_c.progress import say
from catlass_c.render import Renderer
from catlass_c.schema import MACROS

_CACHED_MAX = 5000
_PART_MIN = 100  # instances that are worth a compiler process of their own
_SENTENCE = re.compile(r"(?P<name>\w+) (?P<rest>must .*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Failure:
    rule: str
    value: int
    limit: int
    sentence: str

    @property
    def subject(self) -> str:
        """The parameter that the sentence starts with; empty where it starts with something computed."""
        match = _SENTENCE.match(self.sentence)
        return match["name"] if match else ""

    def text(self, instance: Instance) -> str:
        """`tile_m=100 must be a multiple of warp_m (64); change tile or warp`."""
        written = getattr(instance.config, self.subject, None)
        if isinstance(written, str):  # a word: its number and the rule's say nothing to a reader
            return self.sentence.replace(self.subject, f"{self.subject}={written}", 1)
        rule, separator, change = self.sentence.partition("; ")
        named = re.search(rf"(?<!\d){self.limit}(?!\d)", rule)
        if self.subject:
            rule = f"{self.subject}={self.value}{rule[len(self.subject):]}" + ("" if named else f" ({self.limit})")
        else:
            rule += f" (now {self.value})" if named else f" (now {self.value}, limit {self.limit})"
        return rule + separator + change


@dataclass(frozen=True)
class Numbers:
    threads: int
    smem_bytes: int
    regs_per_thread: int
    align: Tuple[int, ...]  # bytes, of A, B, C and D
    failed: Tuple[Failure, ...]

    def as_dict(self) -> Dict[str, object]:
        return {"threads": self.threads, "smem_bytes": self.smem_bytes, "regs_per_thread": self.regs_per_thread,
                "align": list(self.align)}


class Probe:
    """Asks the rules. Answers are kept by instance in one file, so that a new YAML line compiles one instance."""

    def __init__(self, inputs: Inputs, cache: Optional[Path], renderer: Optional[Renderer] = None):
        self.inputs = inputs
        self.cache = cache
        self.renderer = renderer or Renderer()
        self._rules = ""
        self._answers: Dict[str, Dict] = {}

    def run(self, instances: Sequence[Instance]) -> Dict[str, Numbers]:
        """Numbers by name, for legal and illegal instances alike."""
        compiler = find_compiler()
        self._rules = self._hash(compiler)
        self._answers = self._load()
        unknown = [instance for instance in instances if _question(instance) not in self._answers]
        questions = {instance.name: _question(instance) for instance in instances}
        for line in self._ask(unknown, compiler):
            answer = json.loads(line)
            self._answers[questions[answer["name"]]] = answer
        return {name: _numbers(self._answers[question]) for name, question in questions.items()}

    def refuse_illegal(self, instances: Sequence[Instance]) -> Dict[str, Numbers]:
        """As run(); CodegenError with one problem for each rule that an instance breaks."""
        numbers = self.run(instances)
        problems = [Problem(fail.text(instance), _position(instance, fail), instance.name, fail.rule)
                    for instance in instances for fail in numbers[instance.name].failed]
        if problems:
            raise CodegenError(problems)
        return numbers

    def remember(self) -> None:
        """Keep the answers. Left to the caller, because a generator that fails writes nothing; a cache that cannot be
        written is only slower."""
        if self.cache is None:
            return
        newest = dict(list(self._answers.items())[-_CACHED_MAX:])
        with contextlib.suppress(CodegenError):
            replace(self.cache, json.dumps({"rules": self._rules, "answers": newest}) + "\n")

    def _load(self) -> Dict[str, Dict]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(self.cache.read_text(encoding="utf-8")) if self.cache else {}
            if content.get("rules") == self._rules:
                return dict(content["answers"])
        return {}

    def _hash(self, compiler: List[str]) -> str:
        """Of everything an answer depends on beside the instance."""
        digest = hashlib.sha256()
        headers = sorted((self.inputs.include / "catlass_c").rglob("*.h"))
        for path in headers + sorted(self.renderer.folder.glob("*.j2")):
            digest.update(path.name.encode() + path.read_bytes())
        stat = os.stat(compiler[0])
        digest.update(repr((compiler, stat.st_size, stat.st_mtime_ns)).encode())
        return digest.hexdigest()

    def _ask(self, instances: Sequence[Instance], compiler: List[str]) -> List[str]:
        """The lines that the probe prints; for many instances as several programs at a time."""
        if not instances:
            return []
        if len(instances) >= _PART_MIN:
            say(f"asking the rules about {len(instances)} instances ...")
        parts = min(os.cpu_count() or 1, 1 + len(instances) // _PART_MIN)
        programs = [self.renderer.probe(instances[part::parts]) for part in range(parts)]
        with ThreadPoolExecutor(parts) as pool:
            outputs = list(pool.map(lambda program: self._compile_and_run(program, compiler), programs))
        return "".join(outputs).splitlines()

    def _compile_and_run(self, program: str, compiler: List[str]) -> str:
        with tempfile.TemporaryDirectory(prefix="catlass-c-probe-") as folder:
            source, binary = Path(folder, "probe.c"), Path(folder, "probe")
            source.write_text(program, encoding="utf-8")
            command = [*compiler, "-std=gnu11", "-O0", "-w", "-I", str(self.inputs.include), str(source), "-o",
                       str(binary)]
            compiled = subprocess.run(command, capture_output=True, text=True, check=False)
            if compiled.returncode != 0:
                lines = [line for line in compiled.stderr.splitlines() if "error" in line] or [compiled.stderr.strip()]
                raise failure("the probe does not compile (" + " ".join(compiler) + "):\n" + "\n".join(lines[:5]))
            ran = subprocess.run([str(binary)], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                raise failure(f"the probe ended with status {ran.returncode}: {ran.stderr.strip()}")
            return ran.stdout


def _question(instance: Instance) -> str:
    """What the rules see of an instance: its name has a place for every field, only the kinds of operations are not
    in it."""
    return " ".join([instance.name, *(position.operation.kind for position in instance.chain)])


def find_compiler() -> List[str]:
    """$CC, else cc, gcc or clang; the first word is a full path."""
    words = shlex.split(os.environ.get("CC", ""))
    candidates = [words] if words else [["cc"], ["gcc"], ["clang"]]
    for candidate in candidates:
        path = shutil.which(candidate[0])
        if path:
            return [path, *candidate[1:]]
    raise failure(f"no C compiler found ({' or '.join(c[0] for c in candidates)}); install one or set CC: the legality "
                  "rules are C")


def user_cache() -> Path:
    """For the commands that have no build tree."""
    return user_cache_folder() / "probe.json"


def _numbers(item: Dict) -> Numbers:
    failed = tuple(Failure(f["id"], f["value"], f["limit"], f["sentence"]) for f in item["failed"])
    return Numbers(item["threads"], item["smem_bytes"], item["regs_per_thread"], tuple(item["align"]), failed)


def _position(instance: Instance, fail: Failure) -> Position:
    """Where the parameter that the rule's sentence starts with is written, else the entry."""
    macro = MACROS[fail.subject][0] if fail.subject in MACROS else fail.subject.upper()
    return instance.field_position(macro)
