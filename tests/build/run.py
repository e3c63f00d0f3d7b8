# SPDX-License-Identifier: Apache-2.0
"""The tests build.*: what a user meets when something about the machine, the paths or the YAML is not as usual."""

import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

SKIP = 77
LIMIT_ERROR = 15.0  # seconds within which a broken compiler must be reported
LIMIT_YAML = 10.0  # seconds from an added YAML line to its passing test
SMALL = "gemm_simt_f32_*_tn_64x64x8_*_simt"
NOT_COPIED = (".git", "build", ".venv")  # of the top folder

options = argparse.Namespace()


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def check(condition, sentence, text=""):
    if not condition:
        raise Failed(sentence + (":\n" + text if text else ""))


def run(*command, cwd=None, env=None, drop=()):
    """(exit code, all output, seconds)"""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("CUDACXX", "CUDAHOSTCXX", "CATC_WERROR", "CUDA_HOME", "CUDA_PATH", *drop)}
    environment.update(env or {})
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), time.monotonic() - start


def must(*command, **keywords):
    code, text, seconds = run(*command, **keywords)
    check(code == 0, f"exit code {code} of {' '.join(str(word) for word in command)}", text)
    return text, seconds


def folder(name):
    path = Path(options.work) / name
    if path.exists():
        for parent, names, _ in os.walk(path):
            for entry in names:
                os.chmod(os.path.join(parent, entry), stat.S_IRWXU)
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path


def copy_tree(target):
    def ignored(directory, names):
        return [name for name in names
                if name == "__pycache__" or (directory == options.source and name in NOT_COPIED)]

    shutil.copytree(options.source, target, ignore=ignored, symlinks=True)
    return target


def configure(source, build, *more, python=sys.executable, **keywords):
    # CMake wraps messages at words; one line per message is easier to compare.
    code, text, seconds = run(options.cmake, "-G", options.generator, "-S", source, "-B", build,
                              f"-DCMAKE_C_COMPILER={options.cc}", f"-DPython3_EXECUTABLE={python}", *more, **keywords)
    return code, re.sub(r"\s+", " ", text), seconds


def listing(root):
    return {str(path.relative_to(root)): path.stat().st_mtime_ns for path in root.rglob("*")}


def paths():
    """CM-01: spaces and brackets everywhere, a source tree that cannot be written to, one instance from configure to
    installation."""
    top = folder("my proj (1)")
    source = copy_tree(top / "catlass c")
    for path in [source, *source.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    before = listing(source)
    build = top / "b dir"
    more = [f"-DCMAKE_CUDA_COMPILER={options.nvcc}"] if options.nvcc else ["-DCATC_CUDA=OFF"]
    code, text, _ = configure(source, build, f"-DCATC_INSTANCES={SMALL}", "-DCATC_ARCHS=80", *more)
    check(code == 0, "configure", text)
    must(options.cmake, "--build", build, "--target", "catc_gemm_driver", "catlass_c_shared", "catlass_c_static")
    text, _ = must(options.ctest, "--test-dir", build, "--output-on-failure", "-R", "^host[.]")
    check("100% tests passed" in text, "ctest", text)
    must(options.cmake, "--install", build, "--prefix", top / "in st")
    check(list((top / "in st").rglob("catlass_cConfig.cmake")), "nothing was installed")
    after = listing(source)
    check(before == after, "the build wrote into the source tree",
          "\n".join(sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))))


def archs():
    """CM-02: every kind of entry of CATC_ARCHS against this nvcc."""
    if not options.nvcc:
        raise Skipped
    work = folder("archs")

    def answer(value):
        script = work / "archs.cmake"
        script.write_text(f'set(CATC_NVCC "{options.nvcc}")\nset(CATC_ARCHS "{value}")\n'
                          f'include("{options.source}/cmake/catc_archs.cmake")\n'
                          'catc_check_archs(CATC_ARCHS_EFFECTIVE CATC_ARCHS "${CATC_NVCC}" ${CATC_ARCHS})\n'
                          'message(STATUS "effective=${CATC_ARCHS_EFFECTIVE}")\n')
        code, text, _ = run(options.cmake, "-P", script)
        return code, re.sub(r"\s+", " ", text)

    for value, wanted in (("80;90;90a", "80;90;90a"), ("80;90a", "80;90a"), ("90a", "90a;90"),
                          ("80;80;90", "80;90"), ("80;90;90a;100a", "80;90;90a;100a")):
        code, text = answer(value)
        check(code == 0 and f"effective={wanted}" in text, f"CATC_ARCHS={value}", text)
    check("100a is accepted, but no instance uses it" in text, "nothing is said about 100a", text)
    for value, wanted in (("70", "'70' is older than any instance can use"), ("75", "'75' is older"),
                          ("foo", "'foo' is not a target"), ("80;foo", "'foo' is not a target"),
                          ("", "CATC_ARCHS is empty"), ("80-real", "'80-real' is not a target"),
                          ("999", "'999' is not known to")):
        code, text = answer(value)
        check(code != 0 and wanted in text, f"CATC_ARCHS='{value}' must be refused with: {wanted}", text)
        check("80;90;90a" in text or value == "999", f"CATC_ARCHS='{value}': the message names no good value", text)
    code, text = answer("native")
    check(code == 0 or "no GPU answers on this machine" in text, "CATC_ARCHS=native", text)

    # Instances that need 90a are left out, and that is said.
    code, text, _ = configure(options.source, work / "without 90a", "-DCATC_ARCHS=80;90", "-DCATC_INSTANCES=all",
                              f"-DCMAKE_CUDA_COMPILER={options.nvcc}", "-DCATC_BUILD_TESTS=OFF")
    check(code == 0, "CATC_ARCHS=80;90", text)
    if list((Path(options.source) / "instances").glob("gemm_sm90.yaml")):
        check(re.search(r"[1-9]\d* cuda instances left out: they need 90a", text), "not counted out loud", text)


def nvcc():
    """CM-03: no nvcc, an nvcc that is named but missing, a host compiler that nvcc refuses."""
    work = folder("nvcc")
    nowhere = "-DCATC_CUDA_DEFAULT_ROOT=/nonexistent"
    bin_folder = work / "bin"  # a PATH with everything but nvcc
    bin_folder.mkdir()
    for name in ("cc", "gcc", "g++", "ld", "ar", "ranlib", "as", "nm", "ninja", "make", "sh", "uname", "strip",
                 "objcopy", "objdump", "readelf"):
        found = shutil.which(name)
        if found:
            (bin_folder / name).symlink_to(found)
    plain = {"PATH": str(bin_folder), "HOME": str(work)}
    small = [f"-DCATC_INSTANCES={SMALL}", "-DCATC_BUILD_TESTS=OFF", nowhere]
    source = copy_tree(work / "source")

    code, text, _ = configure(source, work / "auto", *small, env=plain, drop=("VIRTUAL_ENV",))
    check(code == 0 and "no nvcc found, building the host backend only; to add CUDA" in text, "AUTO without nvcc", text)
    code, text, _ = configure(source, work / "on", "-DCATC_CUDA=ON", *small, env=plain, drop=("VIRTUAL_ENV",))
    check(code != 0 and "CATC_CUDA=ON, but there is no nvcc" in text and "-DCATC_CUDA=OFF" in text, "ON without nvcc",
          text)
    code, text, _ = configure(source, work / "bad", "-DCATC_CUDA=maybe", *small)
    check(code != 0 and "CATC_CUDA=maybe must be AUTO, ON or OFF" in text, "CATC_CUDA=maybe", text)

    for wanted in ("AUTO", "ON"):
        code, text, seconds = configure(source, work / f"missing {wanted}", f"-DCATC_CUDA={wanted}", *small,
                                        env={**plain, "CUDACXX": "/nonexistent/nvcc"})
        check(code != 0 and "CUDACXX names /nonexistent/nvcc, which does not exist" in text, "missing CUDACXX", text)
        check("-DCATC_CUDA=OFF" in text and seconds < LIMIT_ERROR, f"{seconds:.1f} s", text)
    broken = work / "broken nvcc"
    broken.write_text("#!/bin/sh\necho 'nvcc: license daemon on fire' >&2\nexit 3\n")
    broken.chmod(0o755)
    code, text, _ = configure(source, work / "broken", *small, env={**plain, "CUDACXX": str(broken)})
    check(code != 0 and "is not a working nvcc" in text and "license daemon on fire" in text, "broken nvcc", text)
    # The way out that the message names.
    code, text, _ = configure(source, work / "broken", "-DCATC_CUDA=OFF", *small, env={**plain, "CUDACXX": str(broken)})
    check(code == 0, "CATC_CUDA=OFF beside a broken nvcc", text)

    if not options.nvcc:
        print("no nvcc here: the rest is left out")
        return
    # In a tree where nvcc was missing before, or cached as missing, it is found once it is there.
    code, text, _ = configure(source, work / "auto", "-DCMAKE_CUDA_COMPILER=NOTFOUND", *small,
                              env={**plain, "CUDACXX": options.nvcc})
    check(code == 0 and "cuda for 80 90 90a with" in text, "nvcc installed later", text)
    old = work / "g++-99"
    old.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} -U__GNUC__ -D__GNUC__=99 "$@"\n')
    old.chmod(0o755)
    code, text, seconds = configure(source, work / "host compiler", *small,
                                    env={"CUDACXX": options.nvcc, "CUDAHOSTCXX": str(old)})
    check(code != 0 and "cannot compile a three-line kernel" in text and "unsupported GNU version" in text,
          "a refused host compiler", text)
    check("CUDAHOSTCXX" in text and "-DCATC_CUDA=OFF" in text and seconds < LIMIT_ERROR, f"{seconds:.1f} s", text)


def python():
    """CM-03: a Python without the packages of code generation."""
    work = folder("python")
    bare = work / "python without packages"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    bare.chmod(0o755)
    code, text, _ = configure(options.source, work / "b", "-DCATC_CUDA=OFF", python=bare)
    check(code != 0 and "No module named 'jinja2'" in text and "sh tools/setup.sh" in text and "pip install" in text,
          "a Python without jinja2", text)
    # The first candidate that works is taken, not the first that exists.
    venv = work / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python3").symlink_to(bare)
    code, text, _ = run(options.cmake, "-G", options.generator, "-S", options.source, "-B", work / "b2",
                        "-DCATC_CUDA=OFF", "-DCATC_BUILD_TESTS=OFF", f"-DCATC_INSTANCES={SMALL}",
                        env={"VIRTUAL_ENV": str(venv), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    check(code == 0 and str(venv) not in text, "VIRTUAL_ENV without the packages", text)


def cmake_version():
    """CM-03: one version below the stated minimum."""
    work = folder("cmake_version")
    script = work / "old.cmake"
    script.write_text(f'set(CMAKE_VERSION 3.24.4)\ninclude("{options.source}/cmake/catc_cmake_version.cmake")\n')
    code, text, _ = run(options.cmake, "-P", script)
    text = re.sub(r"\s+", " ", text)
    check(code != 0 and "needs CMake 3.25 or newer, this is 3.24.4" in text and "tools/setup.sh" in text, "CMake 3.24",
          text)


def yaml_line():
    """One YAML line is an instance that list, registry, ctest -N and the test know, with no other edit, in 10 s."""
    work = folder("yaml line")
    source = copy_tree(work / "tree")
    build = work / "b"
    code, text, _ = configure(source, build, "-DCATC_CUDA=OFF", "-DCATC_INSTALL=OFF")
    check(code == 0, "configure", text)
    must(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    yaml = source / "instances" / "gemm_simt.yaml"
    good = yaml.read_text()
    before, _ = must(options.ctest, "--test-dir", build, "-N")

    line = ("  - {a: f32, layout: tn, tile: [32, 64, 16], warp: [16, 32], thread: [4, 4], default: true, "
            "epilogue: [relu]}\n")
    name = "gemm_simt_f32_f32_f32_f32_tn_32x64x16_w16x32_t4x4_s2_simt_relu"
    check(name not in before, "the instance of this test exists already; change its numbers")
    yaml.write_text(good.rstrip("\n") + "\n" + line)
    start = time.monotonic()
    must(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    text, _ = must(options.ctest, "--test-dir", build, "--output-on-failure", "-R", re.escape("host." + name) + "$")
    seconds = time.monotonic() - start
    check("100% tests passed, 0 tests failed out of 1" in text, "the new test did not run", text)
    after, _ = must(options.ctest, "--test-dir", build, "-N")
    check("host." + name in after, "ctest -N does not know it", after)
    text, _ = must(build / "tests" / "catc_gemm_driver", "--backend", "host", "--list", "*")
    check(name in text, "the registry does not know it", text)
    python_path = {"PYTHONPATH": str(source / "codegen"), "PYTHONDONTWRITEBYTECODE": "1"}
    text, _ = must(sys.executable, "-m", "catlass_c", "list", "--filter", name, env=python_path)
    check(name in text, "list does not know it", text)
    print(f"from an added YAML line to its passing test: {seconds:.1f} s")
    check(seconds < LIMIT_YAML, f"{seconds:.1f} s from the YAML line to its passing test")

    # An error names its place, and the tree builds again after the fix.
    yaml.write_text(good.rstrip("\n") + "\n" + line.replace("relu", "rellu"))
    number = len(good.rstrip("\n").splitlines()) + 1
    code, text, _ = run(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    check(code != 0 and f"gemm_simt.yaml:{number}:" in text and "relu" in text, "the error names no place", text)
    yaml.write_text(good)
    must(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    text, _ = must(options.ctest, "--test-dir", build, "-N")
    check(text.replace(str(build), "") == before.replace(str(build), ""), "a removed line leaves a test behind", text)
    code, _, _ = run(build / "tests" / "catc_gemm_driver", "--backend", "host", name)
    check(code not in (0, SKIP), "a removed line leaves an instance behind")

    # A generated file that somebody deleted comes back.
    victim = sorted((build / "generated" / "params").iterdir())[0]
    victim.unlink()
    must(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    check(victim.exists(), "a deleted generated file does not come back")
    text, _ = must(options.cmake, "--build", build, "--target", "catc_gemm_driver")
    check("Building" not in text and "Re-running" not in text, "a second build does something", text)


PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'catc_k_cuda' for 'sm_90a'
ptxas info    : Function properties for catc_k_cuda
    %d bytes stack frame, %d bytes spill stores, %d bytes spill loads
ptxas info    : Used 168 registers, used 2 barriers, 1024 bytes smem
ptxas info    : Compile time = 12.500 ms
"""


def gate():
    """The launcher of kernel files fails on spills and on serialised wgmma, which no -Werror sees."""
    work = folder("gate")
    launcher = Path(options.source) / "cmake" / "gate.py"
    source = work / "b.cu"
    source.write_text('#include "params/one.h"\n#include "params/two.h"\n')
    out = work / "b.o"

    def compile_with(text, *allow, code=0):
        (work / "text").write_text(text)
        fake = work / "fake nvcc"
        fake.write_text(f'#!/bin/sh\ncat "{work}/text" >&2\ntouch "{out}"\nexit {code}\n')
        fake.chmod(0o755)
        return run(sys.executable, "-I", "-S", launcher, "cuda", *allow, "--", fake, "-c", source, "-o", out)

    clean = PTXAS % (0, 0, 0)
    code, text, _ = compile_with(clean + "b.cu(3): warning: something else\n")
    check(code == 0 and text.strip() == "b.cu(3): warning: something else", "a clean compilation", text)
    data = json.loads((work / "b.o.ptxas.json").read_text())
    check(data["instances"] == 2 and data["kernels"] == [{
        "kernel": "catc_k_cuda", "target": "sm_90a", "registers": 168, "stack": 0, "spill_stores": 0, "spill_loads": 0,
        "smem": 1024, "barriers": 2, "ms": 12.5}], "b.o.ptxas.json", json.dumps(data))
    code, text, _ = compile_with(PTXAS % (40, 16, 24))
    check(code != 0 and "catc_k_cuda for sm_90a: 16 bytes of register spill stores" in text and not out.exists(),
          "spills", text)
    code, text, _ = compile_with(PTXAS % (40, 16, 24), "--allow", "k_cuda")
    check(code == 0 and out.exists(), "spills that are allowed", text)
    code, text, _ = compile_with(PTXAS % (400, 0, 0))
    check(code != 0 and "sm_90a: 400 bytes of local memory" in text and not out.exists(), "local memory",
          text)
    for loss in ("ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due "
                 "to function call in the function 'catc_k_cuda'",
                 "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum "
                 "register requirements",
                 "ptxas info    : (C7517) something about wgmma in function 'catc_k_cuda'",
                 "ptxas warning : setmaxnreg ignored; unable to determine register count at entry"):
        code, text, _ = compile_with(clean + loss + "\n")
        check(code != 0 and loss.split(": ", 1)[1] in text and not out.exists(), "a serialised wgmma must fail", text)
    code, text, _ = compile_with("b.cu(1): error: no\n", code=2)
    check(code == 2 and "b.cu(1): error: no" in text, "a compiler's own failure", text)


def exports():
    """The shared library exports catc_ names only and needs neither libcuda nor a C++ runtime."""
    library = Path(options.build) / "libcatlass_c.so"
    text, _ = must("nm", "-D", "--defined-only", library)
    names = [line.split()[-1].split("@")[0] for line in text.splitlines()]
    check(len(names) > 10, "hardly anything is exported", text)
    others = [name for name in names if not name.startswith("catc_")]
    check(not others, "exported beside catc_", " ".join(others[:20]))
    text, _ = must("readelf", "-d", library)
    for unwanted in ("libcuda.so", "libcudart", "libstdc++"):
        check(unwanted not in text, f"the library needs {unwanted}", text)


def setup():
    """tools/setup.sh does nothing where everything is there, and says what it does not know."""
    work = folder("setup")
    source = copy_tree(work / "a tree")
    script = source / "tools" / "setup.sh"
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "VIRTUAL_ENV": sys.prefix}
    for _ in range(2):
        text, _ = must("sh", script, env=env)
        check("ready" in text and "installing" not in text, "everything is there already", text)
    check(not (source / ".venv").exists(), "a virtual environment that nobody needs")
    text, _ = must("sh", script, env=env, drop=("HOME", "XDG_CACHE_HOME"))
    check("ready" in text, "without HOME", text)
    code, text, _ = run("sh", script, "--wrong")
    check(code == 2 and "unknown option '--wrong'" in text, "an unknown option", text)


def report():
    """The end of a build says how many seconds an instance took."""
    launcher = Path(options.source) / "cmake" / "gate.py"
    text, _ = must(sys.executable, "-I", "-S", launcher, "report", Path(options.build) / "catc_instances_report.txt")
    check(re.search(r"catlass_c: host: \d+ instances in \d+ files, .* s per instance", text), "the report", text)
    print(text.strip())


CASES = {function.__name__: function
         for function in (paths, archs, nvcc, python, cmake_version, yaml_line, gate, exports, setup, report)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=sorted(CASES))
    for name in ("source", "build", "work", "cmake", "ctest", "generator", "cc", "nvcc"):
        parser.add_argument("--" + name, default="")
    parser.parse_args(namespace=options)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        CASES[options.case]()
    except Failed as failure:
        print(f"build.{options.case}: FAILED: {failure}")
        return 1
    except Skipped:
        print(f"build.{options.case}: skipped")
        return SKIP
    print(f"build.{options.case}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
