# SPDX-License-Identifier: Apache-2.0
"""What is here, what is missing, and what to do about it. Every step stands alone and no step can end the command;
even the packages that the code generator needs may be missing."""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from catlass_c.place import checkout, user_cache_folder

OK, MISSING, FAILED = "ok", "missing", "failed"
_CUDA_DEFAULT_ROOT = "/usr/local/cuda"
_CUDA_MINIMUM = 12


@dataclass(frozen=True)
class Step:
    name: str
    state: str      # ok; missing: works without it; failed: must be repaired
    detail: str
    advice: str = ""

    def as_dict(self) -> Dict[str, str]:
        return asdict(self)


def steps() -> List[Step]:
    checks: Tuple[Tuple[str, Callable[[], Step]], ...] = (
        ("python", _python), ("packages", _packages), ("headers", _headers), ("c compiler", _c_compiler),
        ("instances", _instances), ("cmake", _cmake), ("nvcc", _nvcc), ("driver", _driver), ("gpu", _gpu),
        ("build", _build))
    result = []
    for name, check in checks:
        try:
            result.append(check())
        except Exception as error:  # a doctor that falls ill helps nobody: say what happened and go on
            result.append(Step(name, FAILED, f"{type(error).__name__}: {error}"))
    return result


def _first_line(command: List[str], pattern: str = ".*") -> str:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    match = re.search(pattern, ran.stdout) or re.search(pattern, ran.stderr)
    if ran.returncode != 0 or not match:
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        raise OSError(lines[-1] if lines else f"{command[0]} ended with status {ran.returncode}")
    return match.group(0).strip()


def _python() -> Step:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < (3, 9):  # noqa: UP036 (this is the place that says so)
        return Step("python", FAILED, f"{version} at {sys.executable}", "Python 3.9 or newer is needed")
    return Step("python", OK, f"{version} at {sys.executable}")


def _packages() -> Step:
    from importlib.metadata import version

    found, missing = [], []
    for module, package in (("jinja2", "jinja2"), ("yaml", "pyyaml"), ("pydantic", "pydantic"), ("click", "click")):
        try:
            importlib.import_module(module)
            found.append(f"{package} {version(package)}")
        except ImportError:
            missing.append(package)
    if missing:
        return Step("packages", FAILED, f"cannot import {', '.join(missing)}",
                    f"sh tools/setup.sh, or {sys.executable} -m pip install {' '.join(missing)}")
    if int(version("pydantic").split(".")[0]) < 2:
        return Step("packages", FAILED, ", ".join(found), "pydantic 2 or newer is needed")
    return Step("packages", OK, ", ".join(found))


def _headers() -> Step:
    from catlass_c.place import include_folder

    folder = include_folder()
    if folder is None:
        return Step("headers", FAILED, "include/catlass_c/types.h was not found beside the code generator",
                    "run from a checkout or an installation of catlass_c")
    return Step("headers", OK, str(folder))


def _c_compiler() -> Step:
    from catlass_c.probe import find_compiler

    compiler = find_compiler()
    return Step("c compiler", OK, f"{' '.join(compiler)}: {_first_line([*compiler, '--version'])}")


def _instances() -> Step:
    from catlass_c.instances import Inputs
    from catlass_c.place import include_folder, instances_folder

    folder = instances_folder()
    if folder is None:
        return Step("instances", MISSING, "no instances/ folder beside the code generator",
                    "give yours with --instances")
    instances = Inputs.find(include_folder(), [folder]).load()
    default = sum(instance.config.default for instance in instances)
    return Step("instances", OK, f"{len(instances)} in {folder}, {default} of them in the default set")


def _cmake() -> Step:
    path = shutil.which("cmake")
    if path is None:
        return Step("cmake", FAILED, "not on PATH", "sh tools/setup.sh installs it")
    version = re.sub("[^0-9.]", "", _first_line([path, "--version"], r"version [0-9.]+"))
    if tuple(map(int, version.split(".")[:2])) < (3, 25):
        return Step("cmake", FAILED, f"{version} at {path}", "3.25 or newer is needed; sh tools/setup.sh installs it")
    return Step("cmake", OK, f"{version} at {path}")


def find_nvcc() -> Tuple[str, str]:
    """The nvcc that a new build would use, and where it was named or found, as catc_look_for_nvcc in
    cmake/catc_cuda.cmake: two empty texts if there is none."""
    named = os.environ.get("CUDACXX", "")
    if named:
        return (named if os.path.isabs(named) else shutil.which(named) or named), "CUDACXX"
    on_path = shutil.which("nvcc")
    if on_path:
        return on_path, "PATH"
    places = [(os.path.join(root, "bin"), name) for root, name in
              ((os.environ.get("CUDA_HOME"), "CUDA_HOME"), (os.environ.get("CUDA_PATH"), "CUDA_PATH"),
               (_CUDA_DEFAULT_ROOT, "the usual folder")) if root]
    for venv in (os.environ.get("VIRTUAL_ENV"), str(checkout() / ".venv"), str(user_cache_folder() / "venv")):
        if venv:
            places += [(str(folder), f"the virtual environment {venv}") for folder in
                       sorted(Path(venv).glob("lib/python3*/site-packages/nvidia/cu[0-9]*/bin"))]
    for folder, name in places:
        path = os.path.join(folder, "nvcc")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path, name
    return "", ""


def _nvcc() -> Step:
    path, place = find_nvcc()
    if not path:
        return Step("nvcc", MISSING, f"not in CUDACXX, PATH, CUDA_HOME, CUDA_PATH, {_CUDA_DEFAULT_ROOT} or a virtual "
                    "environment: host backend only",
                    "sh tools/setup.sh --cuda, or install the CUDA toolkit 13.0; then configure again")
    if not os.path.isfile(path):
        return Step("nvcc", FAILED, f"{place} names {path}, which does not exist", f"correct {place}, or unset it")
    version = _first_line([path, "--version"], r"release [0-9.]+")
    if int(re.search("[0-9]+", version).group(0)) < _CUDA_MINIMUM:
        return Step("nvcc", FAILED, f"{version} at {path} (from {place})",
                    f"CUDA {_CUDA_MINIMUM}.0 or newer is needed; 13.0 is what is tested")
    return Step("nvcc", OK, f"{version} at {path} (from {place})")


def _libcuda() -> Optional[ctypes.CDLL]:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def _driver() -> Step:
    cuda = _libcuda()
    if cuda is None:
        return Step("driver", MISSING, "libcuda.so.1 cannot be loaded: kernels run on the host backend only",
                    "install the NVIDIA driver to run on a GPU")
    version = ctypes.c_int(0)
    cuda.cuDriverGetVersion(ctypes.byref(version))
    text = f"supports CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    try:
        major = int(re.search("[0-9]+", _first_line([find_nvcc()[0], "--version"], r"release [0-9.]+")).group(0))
    except OSError:  # none, or a broken one, of which the step before tells
        major = 0
    if version.value // 1000 < major:
        return Step("driver", FAILED, f"{text}, but nvcc is of CUDA {major}",
                    f"install a driver for CUDA {major} or newer")
    return Step("driver", OK, text)


def _gpu() -> Step:
    cuda = _libcuda()
    if cuda is None:
        return Step("gpu", MISSING, "none without a driver")
    code = cuda.cuInit(0)
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        return Step("gpu", MISSING, f"cuInit: {text.value.decode() if text.value else f'error {code}'}")
    count = ctypes.c_int(0)
    cuda.cuDeviceGetCount(ctypes.byref(count))
    names = []
    for index in range(count.value):
        device, name = ctypes.c_int(0), ctypes.create_string_buffer(128)
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        cuda.cuDeviceGet(ctypes.byref(device), index)
        cuda.cuDeviceGetName(name, 128, device)
        cuda.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # COMPUTE_CAPABILITY_MAJOR and _MINOR
        cuda.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
        names.append(f"{name.value.decode()} (compute capability {major.value}.{minor.value})")
    return Step("gpu", OK if names else MISSING, ", ".join(names) or "no device")


def _build() -> Step:
    from catlass_c.build import newest_builds

    builds = newest_builds()
    if not builds:
        return Step("build", MISSING, "no build tree in ./build*, ./build/* or ./out/*",
                    "cmake --workflow --preset demo")
    texts = []
    for build in builds:
        archs = f" for {' '.join(build.content['archs'])}" if "cuda" in build.backends else ""
        nvcc = f" by {build.nvcc}" if build.nvcc else ""
        driver = "" if build.driver.is_file() else "; the test driver is not built"
        texts.append(f"{build.folder}: {build.content['built']} of {build.content['total']} instances, "
                     f"{' and '.join(build.backends)}{archs}{nvcc}{driver}")
    return Step("build", OK, "; ".join(texts))
