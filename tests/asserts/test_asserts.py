# SPDX-License-Identifier: Apache-2.0
"""Configurations that must not compile (cases.yaml): each is refused with its sentence by the C compiler, by nvcc and
by `catlass-c check`, and by each with exactly the same rules, while its legal neighbour passes all three (CG-05)."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Optional, Set

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "codegen"))

from catlass_c.instances import Inputs, Instance, parse  # noqa: E402
from catlass_c.probe import find_compiler  # noqa: E402
from catlass_c.render import Renderer  # noqa: E402

INPUTS = Inputs.find(ROOT / "include", [])
TARGETS = {"gemm_simt": "arch=compute_80,code=sm_80", "gemm_sm80": "arch=compute_80,code=sm_80",
           "gemm_sm90": "arch=compute_90a,code=sm_90a"}
# Hold while the others do: there is no fourth type of D.
UNBREAKABLE = {"gemm_sm90": {"type_d"}}
AT_ONCE = 2  # compilers that run at a time
PER_NVCC = 6  # illegal files of one run; nvcc gives up after 100 errors, some of which only follow from the others


def yaml_file(skeleton: str, fields: Dict) -> str:
    """JSON is YAML, and needs no care about quotes."""
    entry = {key: value for key, value in fields.items() if value is not None}
    return f"schema: 1\nskeleton: {skeleton}\ninstances:\n  - {json.dumps(entry)}\n"


def instance_of(skeleton: str, fields: Dict) -> Instance:
    return parse(yaml_file(skeleton, fields), Path("asserts/cases.yaml"), INPUTS)[0]


def parameter_file(instance: Instance) -> str:
    return Renderer().parameters(instance, f"catlass_c/skeleton/{instance.skeleton}.skel.h")


def edited(text: str, macro: str, value: Optional[object]) -> str:
    """With another value of CATC_P_<macro>; without the line where the value is None."""
    line = "" if value is None else f"#define CATC_P_{macro} {value}\n"
    text, count = re.subn(rf"^#define CATC_P_{macro}\b.*\n", line, text, flags=re.MULTILINE)
    assert count == 1, macro
    return text


@dataclass(frozen=True)
class Case:
    name: str
    skeleton: str
    legal: Dict
    illegal: Dict
    sentence: str
    check: str
    rule: str = ""
    also: tuple = ()
    macros: Optional[Dict] = None

    @property
    def id(self) -> str:
        return f"{self.skeleton}.{self.name}"

    @property
    def rules(self) -> Set[str]:
        return {self.rule, *self.also} if self.rule else set()

    @property
    def legal_instance(self) -> Instance:
        return instance_of(self.skeleton, self.legal)

    @property
    def illegal_name(self) -> str:
        return f"{self.legal_instance.name}_{self.name}" if self.macros else self.illegal_instance.name

    @property
    def illegal_instance(self) -> Instance:
        return instance_of(self.skeleton, {**self.legal, **self.illegal})

    @property
    def illegal_file(self) -> str:
        if not self.macros:
            return parameter_file(self.illegal_instance)
        text = parameter_file(replace(self.legal_instance, name=self.illegal_name))
        for macro, value in self.macros.items():
            text = edited(text, macro, value)
        return text


CASES = [Case(skeleton=f"gemm_{group}", **case)
         for group, cases in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text()).items()
         for case in cases]
LEGAL = {instance.name: instance for instance in (case.legal_instance for case in CASES)}

every_case = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])


# ---- compilers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiled:
    code: int
    text: str

    @property
    def errors(self) -> List[str]:
        """Without the source lines that compilers quote: those hold every sentence of the list of rules."""
        return [line for line in self.text.splitlines() if re.search(r"\berror\b", line)]

    def rules(self, name: str) -> Dict[str, str]:
        """Sentence by rule, of the static assertions of one instance."""
        pattern = re.compile(re.escape(name) + r": (\w+): ([^\"]*)")
        # gcc writes an apostrophe in a sentence as the source could have: \'
        return {match[1]: match[2].replace("\\'", "'") for match in map(pattern.search, self.errors) if match}


def run(command: List[str], text: str) -> Compiled:
    """Compile what comes from standard input."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    return Compiled(done.returncode, done.stdout + done.stderr)


def c_compiler(text: str, *flags: str) -> Compiled:
    include = str(ROOT / "include")
    return run([*find_compiler(), "-std=gnu11", "-fsyntax-only", *flags, "-I", include, "-x", "c", "-"], text)


def nvcc() -> str:
    name = os.environ.get("CUDACXX") or "nvcc"  # CMake says `none` in a build without CUDA
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no nvcc: CUDACXX or, if that is not set, PATH gives {name}, which is not there")
    return found


def cuda_compiler(folder: Path, name: str, skeleton: str, text: str, *flags: str) -> Compiled:
    """As far as PTX; a refused file never gets past the front end."""
    source = folder / f"{name}.cu"
    source.write_text(text)
    host = os.environ.get("CUDAHOSTCXX")
    return run([nvcc(), *(["-ccbin", host] if host else []), *shlex.split(os.environ.get("CUDAFLAGS", "")), *flags,
                "-gencode", TARGETS[skeleton], "--ptx", "-Xcicc", "-O0", "-I", str(ROOT / "include"), "-o",
                str(folder / f"{name}.ptx"), str(source)], "")


def expect_refusal(case: Case, compiled: Compiled) -> None:
    assert compiled.code != 0, "it compiles"
    found = compiled.rules(case.illegal_name)
    if case.rule:
        assert found.get(case.rule) == case.sentence, compiled.errors
        assert set(found) == case.rules, compiled.errors
    else:
        assert any(case.sentence in line for line in compiled.errors), compiled.errors


@every_case
def test_c(case):
    expect_refusal(case, c_compiler(case.illegal_file, "-w"))


@pytest.mark.parametrize("name", LEGAL)
def test_c_takes_the_legal_neighbour(name):
    strict = ["-Wall", "-Wextra", "-Wc++-compat", "-Werror"]
    compiled = c_compiler(parameter_file(LEGAL[name]), *strict)
    assert compiled.code == 0 and not compiled.text, compiled.text


@pytest.fixture(scope="module")
def by_nvcc(tmp_path_factory):
    """What nvcc says about each illegal file, by case. Starting nvcc costs more than reading a file, so that a run
    takes several: an assertion names its instance. What is no assertion goes alone."""
    nvcc()
    folder = tmp_path_factory.mktemp("nvcc")
    runs = [[case] for case in CASES if not case.rule]
    for skeleton in TARGETS:
        cases = [case for case in CASES if case.rule and case.skeleton == skeleton]
        runs += [cases[first:first + PER_NVCC] for first in range(0, len(cases), PER_NVCC)]

    def compile_run(cases: List[Case]) -> Compiled:
        text = "".join(case.illegal_file for case in cases)
        return cuda_compiler(folder, cases[0].id, cases[0].skeleton, text)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = zip(runs, pool.map(compile_run, runs))
        return {case.id: result for cases, result in results for case in cases}


@every_case
def test_nvcc(case, by_nvcc):
    expect_refusal(case, by_nvcc[case.id])


@pytest.mark.parametrize("skeleton", TARGETS)
def test_nvcc_takes_the_legal_neighbours(skeleton, tmp_path):
    text = "".join(parameter_file(instance) for instance in LEGAL.values() if instance.skeleton == skeleton)
    compiled = cuda_compiler(tmp_path, skeleton, skeleton, text, "-Werror=all-warnings", "--diag-suppress=177")
    assert compiled.code == 0, compiled.errors


# ---- catlass-c check -------------------------------------------------------------------------------------------------


def check(files: List[Path], cache: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codegen"), "XDG_CACHE_HOME": str(cache)}
    return subprocess.run([sys.executable, "-m", "catlass_c", "check", *map(str, files)], capture_output=True,
                          text=True, check=False, env=environment)


@pytest.fixture(scope="module")
def by_check(tmp_path_factory):
    """What `check` prints about each illegal file, by case. The schema speaks before any rule is asked, so that its
    cases need a call of their own."""
    folder = tmp_path_factory.mktemp("check")
    lines: Dict[str, List[str]] = {}
    for cases in ([case for case in CASES if not case.macros], [case for case in CASES if case.macros]):
        paths = {}
        for case in cases:
            paths[case.id] = folder / f"{case.id}.yaml"
            paths[case.id].write_text(yaml_file(case.skeleton, {**case.legal, **case.illegal}))
        done = check(list(paths.values()), folder)
        assert done.returncode == 1 and done.stdout == "", done.stderr
        for name, path in paths.items():
            lines[name] = [line[len(str(path)):] for line in done.stderr.splitlines() if line.startswith(f"{path}:")]
    return lines


@every_case
def test_check(case, by_check):
    lines = by_check[case.id]
    if case.macros:  # the schema names the field
        assert len(lines) == 1 and lines[0].endswith(f": {next(iter(case.illegal))}: {case.check}"), lines
        return
    pattern = re.compile(r":4:\d+: " + re.escape(case.illegal_name) + r": (\w+): (.*)\Z")
    found = dict(pattern.match(line).groups() for line in lines)
    assert found.get(case.rule) == case.check, lines
    assert set(found) == case.rules, lines


def test_check_takes_the_legal_neighbours(tmp_path):
    paths = []
    for number, instance in enumerate(LEGAL.values()):
        paths.append(tmp_path / f"{number}.yaml")
        paths[-1].write_text(yaml_file(instance.skeleton, instance.entry))
    done = check(paths, tmp_path)
    assert done.returncode == 0 and done.stdout.count("all legal") == len(paths), done.stderr


# ---- every parameter -------------------------------------------------------------------------------------------------


def parameters(skeleton: str) -> Dict[str, str]:
    """Macro and value, in the first legal file of a skeleton."""
    text = parameter_file(next(i for i in LEGAL.values() if i.skeleton == skeleton))
    return dict(re.findall(r"^#define CATC_P_(\w+)(?:\(X\))? ?(.*)$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("skeleton", TARGETS)
def test_no_parameter_may_be_missing(skeleton):
    text = parameter_file(next(i for i in LEGAL.values() if i.skeleton == skeleton))
    for macro in parameters(skeleton):
        compiled = c_compiler(edited(text, macro, None), "-w")
        assert any(f"CATC_P_{macro} is missing" in line for line in compiled.errors), macro
        assert compiled.code != 0


@pytest.mark.parametrize("skeleton", TARGETS)
def test_no_word_may_be_misspelt(skeleton):
    text = parameter_file(next(i for i in LEGAL.values() if i.skeleton == skeleton))
    words = [macro for macro in parameters(skeleton) if macro in ("LAYOUT", "SCHEDULE") or macro.startswith("TYPE_")]
    assert len(words) == 6
    for macro in words:
        compiled = c_compiler(edited(text, macro, "bogus"), "-w")
        assert compiled.code != 0 and any("_bogus" in line for line in compiled.errors), macro


@pytest.mark.parametrize("skeleton", TARGETS)
@pytest.mark.parametrize("value", [0, -1, 2147483647])
def test_no_number_is_a_puzzle(skeleton, value):
    """An absurd number is refused by a rule about it, not by whatever a compiler meets first."""
    instance = next(i for i in LEGAL.values() if i.skeleton == skeleton)
    text = parameter_file(instance)
    for macro, legal in parameters(skeleton).items():
        if legal.lstrip("-").isdigit() and not (macro == "SWAP" and value == 0):
            if macro == "N_EPI" and value == 0:
                continue  # its legal value
            compiled = c_compiler(edited(text, macro, value), "-w")
            sentences = compiled.rules(instance.name)
            assert compiled.code != 0 and any(macro.lower() in text for text in sentences.values()), (macro, sentences)


@pytest.mark.parametrize("skeleton", TARGETS)
def test_length_of_the_chain(skeleton):
    """Code generation cannot get this wrong; a file written by hand can."""
    legal = next(case.legal for case in CASES if case.skeleton == skeleton)
    instance = instance_of(skeleton, {**legal, "epilogue": ["relu"]})
    compiled = c_compiler(edited(parameter_file(instance), "N_EPI", 2), "-w")
    assert compiled.rules(instance.name) == {
        "epi_list": "n_epi must be the length of the epilogue list; generate the parameter file again"}


@pytest.mark.parametrize("skeleton", TARGETS)
def test_every_rule_has_a_case(skeleton):
    """A rule that no case breaks may be one that nothing can break, or whose numbers are wrong."""
    text = (ROOT / "include" / "catlass_c" / "check" / f"{skeleton}.h").read_text()
    rules = set(re.findall(r"CATC_RULE\([\s\\]*(\w+),", text))
    broken = {case.rule for case in CASES if case.skeleton == skeleton}
    assert rules - broken == UNBREAKABLE.get(skeleton, set())


def test_enough_cases():
    assert len(CASES) >= 15 and len({case.id for case in CASES}) == len(CASES)
