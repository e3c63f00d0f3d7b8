# SPDX-License-Identifier: Apache-2.0
"""`catlass-c generate`: the self-contained tree. tests/consumer/run.sh builds one with make; here is what is in it, and
what happens to a folder that is there already."""

import json
import os
import shutil
import subprocess

import pytest
from catlass_c import output, tree
from conftest import GOOD, GOOD_NAME, ROOT, good

SM90 = "schema: 1\nskeleton: gemm_sm90\ninstances:\n  - {a: bf16, layout: tn, tile: [128, 256, 64], stages: 4}\n"


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def generate(cli, write, tmp_path):
    """generate --out <name> with these instances; the folder, after exit code 0."""
    def generate(*lines, out="out", more=()):
        result = cli("generate", "--instances", write(*lines), "--out", tmp_path / out, "--select", "all", *more)
        assert result.code == 0, result.err
        return tmp_path / out

    return generate


def test_contents(generate, include):
    out = generate(good(epilogue="[[], [bias, gelu]]"))
    files, data = contents(out), json.loads((out / "sources.json").read_text())
    assert sorted(files) == data["files"]
    for name in ("Makefile", "LICENSE", "lib/catlass_c.c", "lib/host_runtime.c", "tests/gemm_driver.c",
                 "tests/gemm/reference.h", "include/catlass_c/instances.h", "include/catlass_c/operations.h",
                 "generated/registry.c", "generated/registry_cuda_90a.c", f"generated/params/{GOOD_NAME}.h"):
        assert name in files
    for path in (include / "catlass_c").rglob("*.h"):
        assert files[f"include/{path.relative_to(include).as_posix()}"] == path.read_bytes()
    assert [one["name"] for one in data["instances"]] == [GOOD_NAME, f"{GOOD_NAME}_bias_gelu"]
    assert data["instances"][0] == {
        "name": GOOD_NAME, "source": "instances/gemm_simt.yaml:4", "yaml": GOOD, "skeleton": "gemm_simt",
        "parameters": f"generated/params/{GOOD_NAME}.h", "targets": [800, 900, -800]}
    assert {name for row in data["compile"] for name in row["sources"]} | {"generated/registry_cuda.c"} == {
        name for name in files if name.endswith((".c", ".cu")) and not name.startswith("tests/")}
    # nothing in it knows where it was made
    assert not [name for name, text in files.items() if str(out).encode() in text or str(ROOT).encode() in text]


def test_as_json(cli, write, tmp_path):
    result = cli("generate", "--instances", write(GOOD, good(stages="3")), "--out", tmp_path / "out", "--select",
                 GOOD_NAME, "--json")
    assert result.code == 0 and result.err == ""
    files = len(contents(tmp_path / "out"))
    assert json.loads(result.out) == {"out": str(tmp_path / "out"), "built": 1, "total": 2, "files_written": files}


def test_second_run(generate, cli, write, tmp_path):
    out = generate(good(stages="[2, 3]"))
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    (out / "build").mkdir()
    (out / "build" / "mine.o").write_text("x")
    generate(good(stages="[2, 3]"))
    assert {path: path.stat().st_mtime_ns for path in before} == before
    generate(GOOD)
    assert (out / "build" / "mine.o").is_file()  # what others put there stays
    assert [path.name for path in (out / "generated" / "params").iterdir()] == [f"{GOOD_NAME}.h"]
    assert "_s3_" not in "".join(json.loads((out / "sources.json").read_text())["files"])


@pytest.mark.parametrize("marker", [None, "{}", "[]", "not JSON", '{"made_by": "somebody else", "files": []}'])
def test_folder_of_somebody_else(marker, cli, write, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    if marker is not None:
        (out / "sources.json").write_text(marker)
    before = contents(out)
    result = cli("generate", "--instances", write(GOOD), "--out", out, "--select", "all")
    assert result.code == 1 and result.out == "" and result.err == (
        f"{out}: is not empty and was not made by catlass-c generate (no sources.json of its own in it); name a new or "
        "an empty folder with --out\n")
    assert contents(out) == before


def test_list_of_files_that_leads_out_of_the_folder(generate, tmp_path):
    """Orphans are deleted by the list of the last run; no list can make that delete anything else."""
    out = generate(GOOD)
    victim = tmp_path / "victim"
    victim.write_text("x")
    data = json.loads((out / "sources.json").read_text())
    data["files"] += [str(victim), "../victim"]
    (out / "sources.json").write_text(json.dumps(data))
    generate(good(stages="3"))
    assert victim.is_file()


def test_folder_that_is_empty(generate, cli, write, tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    result = cli("generate", "--instances", write(GOOD), "--out", ".", "--select", "all")
    assert result.code == 0, result.err
    assert os.path.samefile(".", out) and (out / "Makefile").is_file()  # it is still the folder that somebody is in


@pytest.mark.parametrize("there", [False, True])
def test_nothing_half_written(there, cli, write, tmp_path, monkeypatch):
    out = tmp_path / "out"
    if there:
        out.mkdir()
    count = []

    def fail(path, text):
        count.append(path)
        if len(count) == 20:
            raise output.failure(f"{path}: cannot be written: No space left on device")
        return real(path, text)

    real = output.replace
    monkeypatch.setattr(output, "replace", fail)
    result = cli("generate", "--instances", write(GOOD), "--out", out, "--select", "all")
    assert result.code == 1 and "No space left on device" in result.err
    assert out.is_dir() == there and (not there or not any(out.iterdir()))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("lines", [(good(tiles="1"),), (good(stages="0"),)])
def test_refused_instances_write_nothing(lines, cli, write, tmp_path):
    result = cli("generate", "--instances", write(*lines), "--out", tmp_path / "out", "--select", "all")
    assert result.code == 1 and not (tmp_path / "out").exists()


def test_file_in_the_place_of_the_folder(cli, write, tmp_path):
    (tmp_path / "out").write_text("x")
    result = cli("generate", "--instances", write(GOOD), "--out", tmp_path / "out", "--select", "all")
    assert result.code == 1 and result.err == f"{tmp_path / 'out'}: is a file; --out must name a folder\n"


def test_sources_json_is_enough_to_build(generate, c_compiler, tmp_path):
    """Somebody else's build system: compile every row of the host build with its flags, link, run the driver."""
    out = generate(GOOD, good(layout="nt", epilogue="[bias, relu]"))
    data = json.loads((out / "sources.json").read_text())
    objects = []
    for row in data["compile"]:
        if row["build"] in ("host", "both") and row["compiler"] == "cc":
            for source in row["sources"]:
                objects.append(str(tmp_path / f"{len(objects)}.o"))
                subprocess.run([*c_compiler, *row["flags"], "-c", source, "-o", objects[-1]], cwd=out, check=True)
    driver = str(tmp_path / "driver")
    subprocess.run([*c_compiler, "-std=gnu11", "-O1", "-ffp-contract=off", "-Iinclude", "-Itests", "-DCATC_WITH_CUDA=0",
                    "tests/gemm_driver.c", *objects, *data["link"]["host"], "-o", driver], cwd=out, check=True)
    ran = subprocess.run([driver], capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stdout.count("ok   host gemm_simt_") == 2, ran.stdout + ran.stderr


@pytest.fixture
def make(tmp_path):
    """make -n with an nvcc that only exists: the commands."""
    if not shutil.which("make"):
        pytest.skip("no make")
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)

    def make(folder, *words):
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("MAKEFLAGS", "MAKELEVEL", "CFLAGS")}
        ran = subprocess.run(["make", "-n", *words, f"NVCC={nvcc}"], cwd=folder, capture_output=True, text=True,
                             check=False, env=environment)
        return ran.returncode, ran.stdout, ran.stderr

    return make


@pytest.mark.parametrize("archs", [("80", "90", "90a"), ("100", "90a", "80"), ("80",), ("120", "90")])
def test_targets_of_make(archs, generate, write, make):
    """What the Makefile makes of ARCHS is what code generation and CMake make of it."""
    write(text=SM90, name="gemm_sm90.yaml")
    out = generate(GOOD, more=("--instances", write(text=SM90, name="gemm_sm90.yaml")))
    code, text, err = make(out, "CUDA=1", f"ARCHS={' '.join(archs)}", "lib")
    assert code == 0, err
    for skeleton in ("gemm_simt", "gemm_sm90"):
        numbers = tree.targets(skeleton, archs)
        lines = [line for line in text.splitlines() if f"generated/{skeleton}-b-" in line and " -c " in line]
        host = [line for line in lines if ".host.o" in line]
        device = [line for line in lines if ".cuda.o" in line]
        assert len(host) == 1 and len(device) == (1 if numbers else 0)
        assert f"-DCATC_TARGETS={','.join(map(str, numbers)) or 0} " in host[0]
        for line in device:
            assert "'-DCATC_TARGETS=" + "\\,".join(map(str, numbers)) + "'" in line
            assert [word for word in line.split() if word.startswith("-gencode")] == tree._code(numbers)
    registry = "registry_cuda_90a" if "90a" in archs else "registry_cuda"
    assert f"-c generated/{registry}.c " in text
    code, text, _ = make(out, "lib")
    assert code == 0 and "-c generated/registry.c " in text and "nvcc" not in text


def test_registries_of_the_tree(generate, write):
    """Without 90a in ARCHS no sm_90 kernel exists, so that no table may name one."""
    out = generate(GOOD, more=("--instances", write(text=SM90, name="gemm_sm90.yaml")))
    simt, sm90 = "gemm_simt_f32_", "gemm_sm90_bf16_"
    for name, cuda in (("registry", ()), ("registry_cuda", (simt,)), ("registry_cuda_90a", (simt, sm90))):
        text = (out / "generated" / f"{name}.c").read_text()
        for skeleton in (simt, sm90):
            assert f"&catc_{skeleton}" in text
            declared = [line for line in text.splitlines() if f"catc_{skeleton}" in line and "_cuda_instance" in line]
            assert bool(declared) == (skeleton in cuda), (name, skeleton)


def test_make_that_is_refused(generate, make):
    out = generate(GOOD)
    code, _, err = make(out, "ARCHS=90a")
    assert code == 2 and 'ARCHS=90a must hold at least one target without a letter, such as ARCHS="90 90a"' in err
    ran = subprocess.run(["make", "-n", "CUDA=1", "NVCC=no-such-nvcc"], cwd=out, capture_output=True, text=True,
                         check=False)
    assert ran.returncode == 2 and "NVCC=no-such-nvcc is not a program here" in ran.stderr


def test_installation_without_sources(monkeypatch, cli, write, tmp_path):
    from catlass_c import place

    path = write(GOOD)
    monkeypatch.setattr(place, "checkout", lambda: tmp_path)
    result = cli("generate", "--instances", path, "--include", ROOT / "include", "--out", tmp_path / "out", "--select",
                 "all")
    assert result.code == 1 and "lib/catlass_c.c: is missing; a self-contained tree needs" in result.err
    assert not (tmp_path / "out").exists()
