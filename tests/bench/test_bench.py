# SPDX-License-Identifier: Apache-2.0
"""bench_gemm without a GPU: shape lists, options, selection, files. BENCH_GEMM and BENCH_PARTS name the programs; a
build without CUDA has no BENCH_GEMM."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHAPES = ROOT / "bench/shapes"
LISTS = ("square", "llm_prefill", "llm_decode", "odd", "random")
GEMM = os.environ.get("BENCH_GEMM")

needs_program = pytest.mark.skipif(not GEMM, reason="bench_gemm is built with CUDA only")


def bench(*arguments, **options):
    return subprocess.run([GEMM, *arguments], capture_output=True, text=True, timeout=60, **options)


def lines(name):
    text = (SHAPES / f"{name}.txt").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_random_list_comes_from_its_seed():
    written = subprocess.run([sys.executable, SHAPES / "random.py", "-"], capture_output=True, text=True, check=True)
    assert written.stdout == (SHAPES / "random.txt").read_text(encoding="utf-8")
    other = subprocess.run([sys.executable, SHAPES / "random.py", "--seed", "2", "-"], capture_output=True, text=True,
                           check=True)
    assert other.stdout != written.stdout
    seed = re.search(r"seed (\d+)", written.stdout)
    assert seed and seed.group(1) in (SHAPES / "random.py").read_text(encoding="utf-8")


def test_random_list_is_what_it_says():
    shapes = [tuple(map(int, line)) for line in lines("random")]
    assert len(shapes) == 200
    assert all(1 <= m <= 16384 and min(n, k) >= 63 and max(n, k) <= 16384 for m, n, k in shapes)
    odd = [(n, k) for _, n, k in shapes if n % 2 == 1 and k % 2 == 1]
    even = [(n, k) for _, n, k in shapes if n % 8 == 0 and k % 8 == 0]
    assert len(odd) == 66 and len(even) == 134
    # log-uniform: as many below the geometric middle as above
    assert 70 <= sum(m < 128 for m, _, _ in shapes) <= 130
    assert 70 <= sum(n < 1024 for _, n, _ in shapes) <= 130


@needs_program
@pytest.mark.parametrize("name", LISTS)
def test_lists_can_be_read(name):
    result = bench("--dry-run", "--shapes", name)
    assert result.returncode == 0, result.stderr
    assert f"{len(lines(name))} shapes, selection for h200" in result.stdout
    assert len(result.stdout.splitlines()) == len(lines(name)) + 1


@needs_program
def test_a_list_may_be_a_path_and_is_found_from_anywhere(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("# mine\n 64 64 64 # here\n\n64 64 64 3\n64 64 64 bf16 f32 nn bias,gelu\n")
    result = bench("--dry-run", "--shapes", str(file), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert [line.split(":")[0] for line in result.stdout.splitlines()[1:]] == [
        "64x64x64 bf16 tn", "3x64x64x64 bf16 tn", "64x64x64 bf16->f32 nn bias,gelu"]
    result = bench("--dry-run", "--shapes", str(file), "--type", "f16", "--layout", "tt", "--epilogue", "",
                   "--batch", "2")
    assert [line.split(":")[0] for line in result.stdout.splitlines()[1:]] == [
        "2x64x64x64 f16 tt", "2x64x64x64 f16 tt", "2x64x64x64 f16->f32 tt"]
    assert bench("--dry-run", "--shapes", "odd", cwd=tmp_path).returncode == 0


@needs_program
def test_selection_for_a_known_gpu():
    result = bench("--dry-run", "--m", "4096", "--n", "4096", "--k", "4096", "--type", "f32", "--device", "a100")
    assert result.returncode == 0, result.stderr
    assert "selection for a100" in result.stdout
    assert re.search(r"4096x4096x4096 f32 tn: (chosen: gemm_simt_f32|CATC_NOT_SUPPORTED)", result.stdout)
    result = bench("--dry-run", "--shapes", "random", "--filter", "aligned")
    assert result.stdout.startswith("134 shapes")
    result = bench("--dry-run", "--shapes", "random", "--filter", "unaligned")
    assert result.stdout.startswith("66 shapes") and "(unaligned)" in result.stdout
    result = bench("--dry-run", "--m", "64", "--n", "64", "--k", "64", "--epilogue", "no_such_operation")
    assert "operation=no_such_operation must be in the chain of a built cuda instance" in result.stdout


@needs_program
@pytest.mark.parametrize(("arguments", "sentence"), [
    (["--rounds", "0"], "--rounds: value=0 must be a number from 5 to 1000"),
    (["--rounds", "5.5"], "--rounds: value=5.5 must be a whole number"),
    (["--rounds"], "--rounds: a value must follow"),
    (["--min-ms", "nan"], "--min-ms: value=nan must be a number from 0.1 to 1000"),
    (["--m", "64"], "--m, --n and --k must be given together"),
    (["--m", "64", "--n", "0", "--k", "64"], "--n: value=0 must be a whole number from 1 to 2^31"),
    (["--m", "64", "--n", "64", "--k", "64", "--shapes", "odd"], "and not with --shapes"),
    (["--type", "f8"], "--type: value=f8 must be bf16, f16 or f32"),
    (["--type-d", "x"], "--type-d: value=x must be bf16, f16 or f32"),
    (["--layout", "xx"], "--layout: value=xx must be tn, tt, nn or nt"),
    (["--peer", "maybe"], "--peer: value=maybe must be on or off"),
    (["--again"], "--again: must come with --search"),
    (["--shapes", "no_such_list"], "list=no_such_list must be a file that can be read"),
    (["--filter", "no such shape"], "filter=no such shape must leave at least one shape"),
    (["--no-such-option", "1"], "--no-such-option: unknown option"),
    (["square"], "square: must be an option"),
    (["--dry-run", "--device", "gpu9"], "name=gpu9 must be a GPU that the library knows: a100"),
])
def test_a_wrong_command_line_gets_one_sentence(arguments, sentence):
    result = bench(*arguments)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1


@needs_program
@pytest.mark.parametrize(("line", "sentence"), [
    ("64 64", "a line must be m n k"),
    ("64 0 64", "n=0 must be a whole number"),
    ("64 64 6x", "k=6x must be a whole number"),
    ("64 64 64 0", "batch=0 must be a whole number"),
    ("64 64 64 bf16", "after the sizes must come nothing or all of"),
    ("64 64 64 bf16 f8 tn -", "type=f8 must be"),
    ("64 64 64 bf16 bf16 xx -", "layout=xx must be"),
    ("64 64 64 1 bf16 bf16 tn - more", "after the sizes must come nothing or all of"),
])
def test_a_wrong_line_is_named(tmp_path, line, sentence):
    file = tmp_path / "bad.txt"
    file.write_text(f"# head\n64 64 64\n{line}\n")
    result = bench("--dry-run", "--shapes", str(file))
    assert result.returncode == 2
    assert f"bad.txt:3: {sentence}" in result.stderr


@needs_program
def test_help_names_every_option():
    text = bench("--help").stdout
    source = (ROOT / "bench/gemm/options.c").read_text(encoding="utf-8")
    readme = (ROOT / "bench/README.md").read_text(encoding="utf-8")
    for option in set(re.findall(r'"(--[a-z-]+)"', source)):
        assert re.search(rf"{option}\b", text), option
        assert option in readme or option == "--help", option


@needs_program
def test_without_a_gpu_it_says_so():
    result = bench("--m", "64", "--n", "64", "--k", "64", env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    assert result.returncode == 1
    assert "must have a usable GPU and driver" in result.stderr


def test_a_written_table_is_one_that_code_generation_reads(tmp_path):
    table = tmp_path / "h200.yaml"
    subprocess.run([os.environ["BENCH_PARTS"], str(table)], check=True, timeout=60)
    result = subprocess.run([sys.executable, "-m", "catlass_c", "check", str(table)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 entries" in result.stdout


def row(size, tflops):
    time = {"name": "x", "us": {"median": 1, "q1": 1, "q3": 1}, "tflops": tflops}
    return {"m": size, "n": size, "k": size, "type": "bf16", "ours": time, "best": time, "peer_best": time}


def plot(tmp_path, data, **environment):
    results = tmp_path / "results.json"
    results.write_text(data if isinstance(data, str) else json.dumps(data))
    return subprocess.run([sys.executable, ROOT / "bench/plot.py", results, "--out", tmp_path / "out.svg"],
                          capture_output=True, text=True, env={**os.environ, **environment})


RESULTS = {"context": {"gpu": "NVIDIA H200", "peer": "cuBLASLt 13.1.0"},
           "ceilings": {"matmul_8192": [{"type": "bf16", "tflops": 700}]}, "rows": [row(512, 80), row(4096, None)]}


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    result = plot(tmp_path, RESULTS)
    assert result.returncode == 0, result.stderr
    first = (tmp_path / "out.svg").read_bytes()
    assert b"<svg" in first and b"NaN" not in first
    assert plot(tmp_path, RESULTS).returncode == 0
    assert (tmp_path / "out.svg").read_bytes() == first


def test_plot_says_what_is_missing(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here')\n")
    result = plot(tmp_path, RESULTS, PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("plot.py: matplotlib cannot be imported (not here); install it with")
    result = plot(tmp_path, "{}")
    assert result.returncode == 1
    assert "must be a file that bench_gemm --json wrote" in result.stderr
    assert len(result.stderr.splitlines()) == 1
