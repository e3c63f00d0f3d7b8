# SPDX-License-Identifier: Apache-2.0
"""What the tests of the code generator share: the package on the path, and instance files in a folder of their own."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "codegen"))

HEAD = "schema: 1\nskeleton: gemm_simt\ninstances:\n"
GOOD = "{a: f32, layout: tn, tile: [64, 64, 8], warp: [32, 32], thread: [8, 4], stages: 2}"
GOOD_NAME = "gemm_simt_f32_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt"


def good(**changes):
    """GOOD with fields changed, added, or (None) removed."""
    fields = {"a": "f32", "layout": "tn", "tile": "[64, 64, 8]", "warp": "[32, 32]", "thread": "[8, 4]", "stages": "2"}
    fields.update(changes)
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items() if value is not None) + "}"


@pytest.fixture
def c_compiler():
    """As words: $CC, else what the code generator itself would take."""
    from catlass_c.probe import find_compiler

    return find_compiler()


@pytest.fixture
def cxx_compiler():
    words = shlex.split(os.environ.get("CXX", ""))
    for candidate in [words] if words else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(candidate[0]):
            return candidate
    return pytest.skip("no C++ compiler: neither $CXX nor c++, g++ or clang++")


@dataclass
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def include():
    return ROOT / "include"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test reads or fills the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def write(tmp_path):
    """Write instances/<name> with the usual head before `lines`, or with `text` alone."""
    folder = tmp_path / "instances"
    folder.mkdir()

    def write(*lines, text=None, name="gemm_simt.yaml"):
        path = folder / name
        path.write_text(text if text is not None else HEAD + "".join(f"  - {line}\n" for line in lines))
        return path

    return write


@pytest.fixture
def cli(capfd):
    """Run `catlass-c` in this process; exit code, stdout and stderr, those of child processes included."""
    from catlass_c.cli import main

    def cli(*args):
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main([str(arg) for arg in args], prog_name="catlass-c")
        captured = capfd.readouterr()
        return Result(ended.value.code or 0, captured.out, captured.err)

    return cli
