# SPDX-License-Identifier: Apache-2.0
"""The command line: what a filter without a match, a misspelt word or a missing folder ends with (CL-01), and what each
command prints."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import GOOD, GOOD_NAME, ROOT, good

COMMANDS = ("check", "doctor", "explain", "generate", "list", "new", "run", "show")


EXPLAIN = ("explain", "gemm", "--m", "64", "--n", "64", "--k", "64", "--a", "f32", "--layout", "tn")


@pytest.fixture
def build(write, cli, tmp_path):
    """A build tree with GOOD and a test driver that prints what it was asked."""
    folder = tmp_path / "build"
    (folder / "tests").mkdir(parents=True)
    path = write(GOOD, good(stages="3"))
    result = cli("generate-build", "--instances", path, "--out", folder / "generated", "--select", GOOD_NAME,
                 "--backends", "host,cuda")
    assert result.code == 0 and result.out.startswith("1 of 2 instances generated, 1 left out; "), result.err
    driver = folder / "tests" / "catc_gemm_driver"
    driver.write_text('#!/bin/sh\necho "driver $*"\nexit ${DRIVER_STATUS:-0}\n')
    driver.chmod(0o755)
    return folder


def test_help_for_a_newcomer(cli):
    result = cli("--help")
    assert result.code == 0 and result.err == "" and all(command in result.out for command in COMMANDS)
    for words in ("one compiled kernel", "Read on", "docs/architecture.md", "catlass-c explain gemm --m"):
        assert words in result.out
    assert "generate-build" not in result.out  # what only CMake calls is not for people
    for command in (*COMMANDS, "explain gemm"):
        result = cli(*command.split(), "--help")
        assert result.code == 0 and result.err == "" and f"Usage: catlass-c {command}" in result.out
        assert command == "explain" or f"\n  catlass-c {command}" in result.out.partition("Examples:")[2], result.out


def all_commands(group=None, path=()):
    from catlass_c.cli import main

    for name, command in (group or main).commands.items():
        if hasattr(command, "commands"):
            yield from all_commands(command, (*path, name))
        elif not command.hidden:
            yield (*path, name), command


def test_examples_are_commands():
    """Every example has a command and options that exist, with values of their types."""
    from catlass_c.cli import main

    commands = dict(all_commands())
    lines = [words for group in (main, *commands.values()) for words, _ in group.examples]
    assert len(lines) > 15
    for text in lines:
        program, *words = shlex.split(text)
        path = next(path for path in commands if tuple(words[:len(path)]) == path)
        assert program == "catlass-c"
        commands[path].make_context(" ".join(path), words[len(path):])


def test_instance_of_the_examples(cli):
    from catlass_c.cli import _INSTANCE

    assert f"{_INSTANCE} " in cli("list", "--filter", "default").out


def test_new_has_an_option_for_every_field():
    from catlass_c.cli import main
    from catlass_c.schema import MODELS

    options = {option.name: option for option in main.commands["new"].params}
    for skeleton, model in MODELS.items():
        assert set(model.model_fields) <= set(options)
        assert skeleton in options["skeleton"].help


def test_json_wherever_data_is_printed():
    for path, command in all_commands():
        assert "as_json" in [option.name for option in command.params], path


def test_manual_is_up_to_date(cli):
    if not (ROOT / "docs").is_dir():
        pytest.skip("an installed copy has no documents")
    text = cli("manual").out
    assert text == (ROOT / "docs" / "catlass-c.md").read_text(encoding="utf-8"), (
        "the definitions of the commands have changed: catlass-c manual > docs/catlass-c.md")
    for path, command in all_commands():
        assert f"\n### catlass-c {' '.join(path)}\n" in text
        assert all(option.opts[0] in text for option in command.params if option.opts[0].startswith("--"))


@pytest.mark.parametrize(("args", "message"), [
    ((), "a command is missing; one of check, doctor"),
    (("lst",), "no command 'lst'; did you mean 'list'?"),
    (("list", "--fliter", "x"),
     "catlass-c list: no option '--fliter'; did you mean '--filter'? (see catlass-c list --help)\n"),
    (("--verson",), "catlass-c: no option '--verson'; did you mean '--version'?"),
    (("new", "--no-swop"), "no option '--no-swop'; did you mean '--no-swap'?"),
    (("list", "--zzzzzz"), "catlass-c list: no option '--zzzzzz' (see"),
    (("run", GOOD_NAME, "--m", "5"), "--m, --n and --k go together"),
    (("run", GOOD_NAME, "--m", "5", "--n", "0", "--k", "1", "--case", "exact"), "--case has sizes of its own"),
    (("run", GOOD_NAME, "--seed", str(1 << 64)), "is not in the range"),
    (("new", "--tile", "64x64x--8"), "'64x64x--8' must be 3 whole numbers"),
    (("run", GOOD_NAME, "--m", "0x"), "'0x' is not a valid integer"),
    (("run", GOOD_NAME, "--m", "-1"), "-1 is not in the range"),
    (("run", GOOD_NAME, "--backend", "cpu"), "'cpu' is not one of"),
    (("show",), "NAME"),
    (("check",), "FILE"),
    (("new", "--tile", "64x64"), "'64x64' must be 3 whole numbers such as 64x64x64"),
    (("check", "--instances", "a.yaml", "b.yaml"), "no option '--instances'"),
    (("explain",), "catlass-c explain: an operator is missing; one of gemm"),
    (("explain", "gem"), "no command 'gem'; did you mean 'gemm'?"),
    (("explain", "gemm"), "catlass-c explain gemm: Missing option '--m'"),
    (("explain", "gemm", "--m", "0x"), "'0x' is not a valid integer"),
    ((*EXPLAIN, "--layuot", "tn"), "no option '--layuot'; did you mean '--layout'?"),
    ((*EXPLAIN, "--ld", "e=3"), "'e=3' must be whole numbers up to"),
    ((*EXPLAIN, "--ld", "a=3,a=4"), "for some of a, b, c and d, such as a=64,d=128"),
    ((*EXPLAIN, "--offset", "a=-1"), "'a=-1' must be whole numbers up to"),
    ((*EXPLAIN, "--beta", "x"), "'x' is not a valid float"),
    (("generate",), "Missing option '--out'"),
    (("generate", "--out", "x", "--prefix", "y_"), "no option '--prefix'"),
])
def test_misuse(args, message, cli):
    result = cli(*args)
    assert result.code == 2 and result.out == "" and message in result.err, result.err
    assert result.err.startswith("catlass-c") and result.err.count("\n") == 1, result.err


@pytest.mark.parametrize("pattern", ["nosuch*", "gemm_simt_fp61*", ""])
def test_filter_that_matches_nothing(pattern, write, cli, tmp_path):
    path = write(GOOD, good(a="f16", tile="[64, 64, 16]"))
    result = cli("list", "--instances", path, "--filter", pattern)
    assert result.code == 1 and result.out == "" and result.err.count("\n") == 1
    assert result.err.startswith(f"0 of 2 instances match '{pattern}'; nearest: gemm_simt_"), result.err
    if pattern:
        for command in ("generate", "generate-build"):
            result = cli(command, "--instances", path, "--out", tmp_path / "out", "--select", f"{GOOD_NAME};{pattern}")
            assert result.code == 1 and result.err.startswith(f"0 of 2 instances match '{pattern}'")
            assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["generate", "generate-build"])
def test_default_set_that_is_empty(command, write, cli, tmp_path):
    result = cli(command, "--instances", write(GOOD), "--out", tmp_path / "out")
    assert result.code == 1
    assert result.err.startswith("0 of 1 instances match 'default'; mark some with 'default: true'")


@pytest.mark.parametrize("command", ["generate", "generate-build"])
def test_output_in_a_missing_folder(command, write, cli, tmp_path):
    result = cli(command, "--instances", write(GOOD), "--out", tmp_path / "no" / "out", "--select", "all")
    assert result.code == 1 and "does not exist; create it or correct --out" in result.err
    assert not (tmp_path / "no").exists()


def test_list(write, cli, build):
    path = write(good(default="true"), good(stages="3"))
    result = cli("list", "--instances", path)
    assert result.code == 0 and result.err == ""
    assert [line.split() for line in result.out.splitlines()] == [
        [GOOD_NAME, "instances/gemm_simt.yaml:4", "default"],
        [GOOD_NAME.replace("_s2_", "_s3_"), "instances/gemm_simt.yaml:5"]]
    assert len(cli("list", "--instances", path, "--filter", "default").out.splitlines()) == 1
    assert len(cli("list", "--instances", path, "--filter", "*_s3_*").out.splitlines()) == 1
    data = json.loads(cli("list", "--instances", path, "--json", "--build", build).out)
    assert data[0] == {"name": GOOD_NAME, "source": "instances/gemm_simt.yaml:4", "default": True,
                       "built": ["host", "cuda"]}
    assert data[1]["built"] == []
    assert "not built" in cli("list", "--instances", path, "--build", build).out


def test_list_of_the_library(cli):
    result = cli("list")
    assert result.code == 0 and "gemm_simt_f32_f32_f32_f32_tn_" in result.out and "gemm_sm90_" in result.out


def test_show(write, cli, build):
    from catlass_c.generation import bucket

    objects = build / "CMakeFiles" / "x.dir"
    objects.mkdir(parents=True)
    kernel = {"kernel": f"catc_{GOOD_NAME}_cuda", "target": "sm_90", "registers": 77, "spill_stores": 0,
              "spill_loads": 0}
    (objects / f"gemm_simt-b-{bucket(GOOD_NAME):02d}.cu.o.ptxas.json").write_text(json.dumps(
        {"seconds": 3.0, "instances": 2, "kernels": [kernel, {**kernel, "kernel": "other"}]}))
    path = write(good(epilogue="[[], [bias.bf16, gelu]]"))
    result = cli("show", "--instances", path, "--build", build, GOOD_NAME)
    assert result.code == 0 and result.err == ""
    rows = dict(line.strip().split("  ", 1) for line in result.out.splitlines()[1:])
    rows = {key: value.strip() for key, value in rows.items()}
    assert rows["threads"] == "128 per block" and rows["source"] == "instances/gemm_simt.yaml:4"
    assert rows["yaml"] == f"- {GOOD}" and rows["tile_k"] == "8" and rows["epilogue"] == "none"
    assert rows["ptxas sm_90"] == "77 registers, 0 bytes spilled, 1.50 s to compile"
    assert rows["built"] == f"host, cuda in {build}"
    data = json.loads(cli("show", "--instances", path, "--build", build, "--json", f"{GOOD_NAME}_bias.bf16_gelu").out)
    assert data["epilogue"][0] == {"op": "bias", "kind": "COL", "type": "bf16"} and data["backends"] == []
    assert data["yaml"].endswith("epilogue: [bias.bf16, gelu]}") and data["parameters"]["tile_m"] == 64


def test_show_what_is_not_there(write, cli):
    result = cli("show", "--instances", write(GOOD), GOOD_NAME + "x")
    assert result.code == 1 and result.out == ""
    assert result.err == f"0 of 1 instances match '{GOOD_NAME}x'; nearest: {GOOD_NAME}\n"


def test_check(write, cli):
    first, second = write(GOOD, name="a.yaml"), write(good(stages="[3, 4]"), name="b.yaml")
    result = cli("check", first, second)
    assert result.code == 0 and result.out == f"{first}: 1 instance, all legal\n{second}: 2 instances, all legal\n"
    data = json.loads(cli("check", "--json", first).out)
    assert data[0]["name"] == GOOD_NAME and data[0]["threads"] == 128


NEW = ("new", "--a", "f32", "--layout", "tn", "--tile", "64x64x8", "--warp", "32x32", "--thread", "8x4", "--stages")


def test_new(cli):
    result = cli(*NEW, "2", "--epilogue", "bias,gelu", "--default")
    assert result.code == 0 and result.err == ""
    assert result.out == "  - " + GOOD[:-1] + ", epilogue: [bias, gelu], default: true}\n"
    args = ("new", "--from", f"{GOOD_NAME}_u4_bias", "--stages", "3", "--swap")
    result, wanted = cli(*args), good(stages="3", swap="true", unroll="4", epilogue="[bias]")
    assert result.out == f"  - {wanted}\n"
    assert json.loads(cli(*args, "--json").out) == {
        "name": GOOD_NAME.replace("_s2_", "_s3_") + "_swap_u4_bias", "yaml": wanted, "file": None}


@pytest.mark.parametrize(("args", "message"), [
    ((*NEW, "1"), "stages=1 must be from 2 to 8; change stages"),
    ((*NEW, "2", "--cluster", "2x1"), "cluster: unknown field"),
    ((*NEW, "2", "--epilogue", "gelo"), "operation 'gelo' is unknown; did you mean 'gelu'?"),
    ((*NEW, "2", "--skeleton", "gemm"), "--skeleton: 'gemm' is unknown"),
    (("new", "--a", "f32"), "tile: is missing"),
    (("new", "--from", "gemm_x"), "--from: 'gemm_x' is not the name of an instance"),
    (("new", "--from", GOOD_NAME[:-5]), f"is not the name of an instance; the nearest instance is {GOOD_NAME[:14]}"),
    (("new", "--from", GOOD_NAME.replace("f32", "f33", 1)), "': a: 'f33' is unknown; did you mean 'f32'?\n"),
    ((*NEW, "2147483648"), "stages: 2147483648 is out of range"),
    (("new", "--from", GOOD_NAME, "--a", "a: b, c"), "is unknown; known: f32"),
])
def test_new_that_is_refused(args, message, cli, tmp_path):
    result = cli(*args, "--append", tmp_path / "x.yaml")
    assert result.code == 1 and result.out == "" and message in result.err, result.err
    assert not (tmp_path / "x.yaml").exists()


def test_append(cli, tmp_path):
    path = tmp_path / "x.yaml"
    for stages in ("2", "3"):
        result = cli(*NEW, stages, "--append", path)
        assert result.code == 0 and result.err.startswith(f"{path}: added gemm_simt_"), result.err
    assert path.read_text() == f"schema: 1\nskeleton: gemm_simt\ninstances:\n  - {GOOD}\n  - {good(stages='3')}\n"
    assert len(cli("list", "--instances", path).out.splitlines()) == 2


@pytest.mark.parametrize(("text", "message"), [
    (f"schema: 1\nskeleton: gemm_simt\ninstances:\n  - {GOOD}\n", "is the same instance as the one at"),
    (f"schema: 1\nskeleton: gemm_simt\ninstances: [{good(stages='4')}]\n", "the line cannot be added"),
    (f"schema: 1\ninstances:\n  - {good(stages='4')}\nskeleton: gemm_simt\n", "the line cannot be added"),
    (f"schema: 1\nskeleton: gemm_simt\ndefaults: {{swap: true}}\ninstances:\n  - {good(stages='4')}\n",
     "because of the file's skeleton or defaults"),
    ("schema: 1\n", "skeleton: is missing"),
])
def test_append_that_is_refused(text, message, cli, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    result = cli(*NEW, "2", "--append", path)
    assert result.code == 1 and message in result.err, result.err
    assert path.read_text() == text


def test_run_of_fixed_cases(cli, build):
    result = cli("run", GOOD_NAME, "--build", build)
    assert result.code == 0 and result.out == f"driver --backend host --seed 1 {GOOD_NAME}\n"
    result = cli("run", GOOD_NAME, "--build", build, "--case", "exact", "--seed", "3")
    assert result.out == f"driver --backend host --seed 3 --case exact {GOOD_NAME}\n"
    result = cli("run", GOOD_NAME, "--build", build, "--m", "0", "--n", "0", "--k", "0")
    assert result.out == f"driver --backend host --seed 1 --m 0 --n 0 --k 0 {GOOD_NAME}\n"


@pytest.mark.parametrize("library", [None, "catlass c", "_deps/catlass_c-build"])
def test_run_for_a_target_of_catc_add_instances(library, cli, write, tmp_path):
    """Its generated folder and driver lie beside each other, in the folder of the CMakeLists.txt that calls it; the
    library may be a subproject with an instance of the same name."""
    tree = tmp_path / "user build"
    path = write(GOOD)
    generated = tree / "sub" / "main_instances" / "generated"
    generated.parent.mkdir(parents=True)
    assert cli("generate-build", "--instances", path, "--out", generated, "--select", "all", "--prefix", "mine_",
               "--name", "mine").code == 0
    if library:
        (tree / library).mkdir(parents=True)
        assert cli("generate-build", "--instances", path, "--out", tree / library / "generated", "--select",
                   "all").code == 0
    driver = tree / "sub" / "main_instances_driver"
    if not library:
        result = cli("run", GOOD_NAME, "--build", tree)
        assert result.code == 1 and result.err == (
            f"{driver}: the test driver is not built; give TESTS to catc_add_instances and build main_instances_driver "
            "(CMAKE_RUNTIME_OUTPUT_DIRECTORY must not put it elsewhere)\n")
    driver.write_text('#!/bin/sh\necho "own driver $*"\n')
    driver.chmod(0o755)
    for folder in (tree, tree / "sub", generated.parent):
        result = cli("run", GOOD_NAME, "--build", folder, "--case", "exact")
        assert result.code == 0, result.err
        assert result.out == f"own driver --backend host --seed 1 --case exact {GOOD_NAME}\n"
    assert "built: host" in cli("list", "--instances", path, "--build", tree).out
    assert str(generated.parent) in cli("show", "--instances", path, "--build", tree, GOOD_NAME).out
    result = cli("run", "nosuch", "--build", generated.parent)
    assert result.code == 1 and "hold 1" not in result.err and "SELECT of catc_add_instances" in result.err


@pytest.fixture
def path_of_driver():
    path = Path(os.environ.get("CATC_BUILD", "")) / "tests" / "catc_gemm_driver"
    return path if path.is_file() else pytest.skip("CATC_BUILD names no build tree with the test driver")


def test_repeat_line_of_the_driver(cli, path_of_driver):
    """What the driver prints when a case fails is a command that runs that case."""
    folder = path_of_driver.parent.parent
    source = re.sub(r'"\s*\n\s*"', "", (ROOT / "tests" / "gemm_driver.c").read_text())  # literals in a row are one
    lines = re.findall(r'catlass-c run ([^"\\]*)', source)
    assert any("--case %s" in line for line in lines)
    name = json.loads((folder / "generated" / "instances.json").read_text())["instances"][0]["name"]
    values = {"--backend": "host", "--case": "exact", "--seed": "7", "--m": "5", "--n": "6", "--k": "7"}
    for line in lines:
        words = line.split()
        words = [values.get(words[i - 1], name) if word.startswith("%") else word for i, word in enumerate(words)]
        assert words[0] == name
        result = cli("run", *words, "--build", folder)
        assert result.code == 0, result.out + result.err


def test_driver_that_is_killed_says_how_to_repeat(path_of_driver):
    content = json.loads((path_of_driver.parent.parent / "generated" / "instances.json").read_text())
    name = content["instances"][0]["name"]
    size = ["--m", "3000", "--n", "3000", "--k", "3000"]  # a minute on the emulator
    with subprocess.Popen([str(path_of_driver), *size, name], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          text=True) as driver:
        while driver.poll() is None:
            caught = re.search("SigCgt:\\s*(\\w+)", Path(f"/proc/{driver.pid}/status").read_text()).group(1)
            if int(caught, 16) >> (signal.SIGABRT - 1) & 1:
                driver.send_signal(signal.SIGABRT)
                break
            time.sleep(0.01)
        assert driver.stderr.read() == f"  repeat: catlass-c run {name} --backend host --seed 1 {' '.join(size)}\n"
    assert driver.returncode == -signal.SIGABRT


def test_run(cli, build):
    result = cli("run", GOOD_NAME, "--build", build, "--backend", "both", "--m", "5", "--n", "6", "--k", "7", "--seed",
                 "9")
    assert result.code == 0 and result.err == ""
    assert result.out.splitlines() == [f"driver --backend {backend} --seed 9 --m 5 --n 6 --k 7 {GOOD_NAME}"
                                       for backend in ("host", "cuda")]


def test_run_that_fails(cli, build, monkeypatch):
    monkeypatch.setenv("DRIVER_STATUS", "3")
    result = cli("run", GOOD_NAME, "--build", build)
    assert result.code == 1 and result.err == f"{GOOD_NAME}: host failed with status 3\n"
    monkeypatch.setenv("DRIVER_STATUS", "77")
    result = cli("run", GOOD_NAME, "--build", build, "--backend", "cuda")
    assert result.code == 1 and "was not run on cuda: no usable GPU or driver here" in result.err
    result = cli("run", GOOD_NAME, "--build", build, "--backend", "both", "--json")
    assert result.code == 1 and "driver --backend host" in result.err
    assert json.loads(result.out) == [{"name": GOOD_NAME, "backend": backend, "state": "skipped", "code": 77}
                                      for backend in ("host", "cuda")]


def test_run_what_is_not_there(cli, build, tmp_path):
    name = GOOD_NAME.replace("_s2_", "_s3_")
    result = cli("run", name, "--build", build)
    assert result.code == 1 and result.err.startswith(f"0 of 1 instances match '{name}'; nearest: {GOOD_NAME}")
    (build / "tests" / "catc_gemm_driver").unlink()
    result = cli("run", GOOD_NAME, "--build", build)
    assert result.code == 1 and "the test driver is not built" in result.err
    result = cli("run", GOOD_NAME, "--build", tmp_path / "nothing")
    assert result.code == 1 and "is not a build tree of this catlass_c" in result.err
    (build / "generated" / "instances.json").write_text("{}")
    assert cli("run", GOOD_NAME, "--build", build).code == 1


def test_doctor_names_the_nvcc_of_a_build(cli, build, monkeypatch, tmp_path):
    from catlass_c import doctor
    from catlass_c.build import open_builds

    (tmp_path / "CMakeCache.txt").write_text("X:STRING=1\nCMAKE_CUDA_COMPILER:FILEPATH=/opt/cuda 13/bin/nvcc\n")
    assert open_builds(build)[0].nvcc == "/opt/cuda 13/bin/nvcc"
    monkeypatch.chdir(tmp_path)
    detail = doctor._build().detail
    assert "host and cuda for 80 90 90a by /opt/cuda 13/bin/nvcc" in detail
    (build / "CMakeCache.txt").write_text("CMAKE_CUDA_COMPILER:FILEPATH=\n")
    assert open_builds(build)[0].nvcc == ""


def test_progress_is_for_terminals(monkeypatch, capfd):
    from catlass_c.progress import say

    say("working ...")
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    say("working ...")
    assert capfd.readouterr().err == "working ...\n"


def test_doctor(cli, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = cli("doctor", "--json")
    data = json.loads(result.out)
    assert {step["state"] for step in data["steps"]} <= {"ok", "missing", "failed"}
    assert [step["name"] for step in data["steps"]] == [
        "python", "packages", "headers", "c compiler", "instances", "cmake", "nvcc", "driver", "gpu", "build"]
    assert data["ok"] == (result.code == 0)


def program(path, text="echo release 13.0"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_doctor_looks_for_nvcc_where_the_build_does(cli, monkeypatch, tmp_path):
    from catlass_c import doctor

    for name in ("CUDACXX", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(doctor, "_CUDA_DEFAULT_ROOT", str(tmp_path / "usual"))
    monkeypatch.setattr(doctor, "checkout", lambda: tmp_path / "checkout")
    wheel = Path("lib", "python3.11", "site-packages", "nvidia", "cu13", "bin", "nvcc")

    def found():
        step = doctor._nvcc()
        return step.state, step.detail

    assert doctor.find_nvcc() == ("", "") and found()[0] == doctor.MISSING
    cache = tmp_path / "cache" / "catlass_c" / "venv"  # XDG_CACHE_HOME of these tests
    places = [(cache / wheel, f"the virtual environment {cache}"),
              (tmp_path / "checkout" / ".venv" / wheel, f"the virtual environment {tmp_path / 'checkout' / '.venv'}"),
              (tmp_path / "venv" / wheel, f"the virtual environment {tmp_path / 'venv'}"),
              (tmp_path / "usual" / "bin" / "nvcc", "the usual folder"),
              (tmp_path / "cuda path" / "bin" / "nvcc", "CUDA_PATH"), (tmp_path / "home" / "bin" / "nvcc", "CUDA_HOME"),
              (tmp_path / "path" / "nvcc", "PATH"), (tmp_path / "named", "CUDACXX")]
    variables = {"CUDA_PATH": "cuda path", "CUDA_HOME": "home", "CUDACXX": "named", "VIRTUAL_ENV": "venv"}
    for path, place in places:  # each goes before those that are there already
        program(path, "echo release 13.0")
        variable = "VIRTUAL_ENV" if path.is_relative_to(tmp_path / "venv") else place
        if variable in variables:
            monkeypatch.setenv(variable, str(tmp_path / variables[variable]))
        assert doctor.find_nvcc() == (str(path), place)
    assert found() == (doctor.OK, f"release 13.0 at {tmp_path / 'named'} (from CUDACXX)")
    program(tmp_path / "named", "echo release 11.8")
    assert found()[0] == doctor.FAILED
    (tmp_path / "named").unlink()
    assert found() == (doctor.FAILED, f"CUDACXX names {tmp_path / 'named'}, which does not exist")
    monkeypatch.setenv("CUDACXX", "nvcc")
    assert doctor.find_nvcc() == (str(tmp_path / "path" / "nvcc"), "CUDACXX")


def test_doctor_with_nothing_around(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "")
    monkeypatch.setenv("CUDACXX", str(tmp_path / "nvcc"))
    (tmp_path / "nvcc").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "nvcc").chmod(0o755)
    result = cli("doctor")
    assert result.code == 1 and "Traceback" not in result.err
    assert "first failing step: c compiler" in result.err
    assert "cmake       failed   not on PATH" in result.out
    assert "nvcc        failed" in result.out


def test_missing_packages_are_one_sentence(tmp_path):
    (tmp_path / "click.py").write_text("raise ImportError(\"No module named 'click'\")\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT / "codegen")])
    ran = subprocess.run([sys.executable, "-m", "catlass_c", "list"], env={**os.environ, "PYTHONPATH": path},
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and ran.stderr.startswith("catlass-c: No module named 'click'; sh tools/setup.sh")
    assert ran.stderr.count("\n") == 1


def test_help_imports_no_heavy_package():
    code = ("import sys; sys.argv = ['x', '--help']\nfrom catlass_c.cli import main\n"
            "try: main()\nexcept SystemExit: pass\n"
            "print([name for name in ('pydantic', 'jinja2', 'yaml') if name in sys.modules], file=sys.stderr)")
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "codegen")},
                         capture_output=True, text=True, check=False)
    assert ran.stderr.strip() == "[]"
