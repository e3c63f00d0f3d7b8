# SPDX-License-Identifier: Apache-2.0
"""A self-contained tree: the library with chosen instances as sources, for people without CMake, or without Python
where it is built. It holds the headers, generated files, a Makefile, and sources.json with the same lists for other
build systems. Both backends are in it; whether cuda is built is decided by `make CUDA=1`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from catlass_c import __version__, generation, line, output
from catlass_c.errors import failure
from catlass_c.generation import LIBRARY, Files, Target, has_code_for
from catlass_c.instances import Inputs
from catlass_c.place import library_files, templates_folder
from catlass_c.probe import Probe, user_cache
from catlass_c.render import Renderer

MANIFEST = "sources.json"
_MADE_BY = "catlass-c generate"
_ARCHS = ("80", "90", "90a")  # as in the Makefile
# One registry for each set of instances that a build can have.
_REGISTRIES = (("registry", ("host",), _ARCHS), ("registry_cuda", ("host", "cuda"), ("80", "90")),
               ("registry_cuda_90a", ("host", "cuda"), _ARCHS))
_HOST = ["-std=gnu11", "-fPIC", "-fvisibility=hidden"]
_DEVICE = ["-O3", "-Xcompiler=-fPIC,-fvisibility=hidden,-fno-threadsafe-statics,-fno-exceptions,-fno-rtti"]
_EXACT = "-ffp-contract=off"  # kernels say catc_fma where they mean it, so that host and GPU agree bit for bit


@dataclass(frozen=True)
class Result:
    built: int
    total: int
    written: int
    warnings: Tuple[str, ...]


def write(inputs: Inputs, out: Path, patterns: str) -> Result:
    """Write the tree; on any problem CodegenError, with nothing written."""
    output.check_folder(out)
    empty = not out.is_dir() or not any(out.iterdir())
    if not empty and not _is_ours(out):
        raise failure(f"{out}: is not empty and was not made by {_MADE_BY} (no {MANIFEST} of its own in it); name a "
                      "new or an empty folder with --out")
    probe = Probe(inputs, user_cache())
    content = generation.load(inputs, patterns, probe)
    files = _Tree(content).all()
    written = output.write_new(out, files, MANIFEST) if empty else output.write(out, files, MANIFEST)
    probe.remember()
    return Result(len(content.built), len(content.instances), written, content.measured.warnings)


def _is_ours(folder: Path) -> bool:
    try:
        return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["made_by"] == _MADE_BY
    except (OSError, ValueError, KeyError, TypeError):
        return False


def targets(skeleton: str, archs: Sequence[str]) -> List[int]:
    """What CATC_TARGETS says of a skeleton's instances, as catc_skeleton_targets in cmake/catc_instances.cmake: 800 =
    sm_80 code, 901 = sm_90a code, -800 = compute_80 PTX."""
    if not has_code_for(skeleton, archs):
        return []
    if _needs_letter(skeleton):
        return [901]
    plain = [int(arch) * 10 for arch in archs if arch.isdigit()]
    return [*plain, -min(plain)]


def _needs_letter(skeleton: str) -> bool:
    return not has_code_for(skeleton, ("80",))


def _code(numbers: Sequence[int]) -> List[str]:
    """nvcc's options for such targets."""
    options = []
    for number in numbers:
        arch = f"{abs(number) // 10}{'a' if abs(number) % 10 else ''}"
        options.append(f"-gencode=arch=compute_{arch},code={'compute' if number < 0 else 'sm'}_{arch}")
    return options


class _Tree:
    def __init__(self, content: generation.Content):
        self.content = content
        self.inputs = content.inputs
        self.renderer = Renderer()
        self.generated = Files(content, Target(Path(LIBRARY), ("host", "cuda"), archs=_ARCHS), self.renderer)
        self.files: Dict[str, str] = {}

    def all(self) -> Dict[str, str]:
        for name, text in self.generated.all().items():
            if name.startswith("include/"):
                self.files[name] = text
            elif name.endswith((".h", ".cu")) or (name.endswith(".c") and name != "registry.c"):
                self.files[f"generated/{name}"] = text
        for name, backends, archs in _REGISTRIES:
            target = Target(Path(LIBRARY), backends, archs=archs)
            self.files[f"generated/{name}.c"] = Files(self.content, target, self.renderer).registry_text()
        self._copy(self.inputs.include / LIBRARY, f"include/{LIBRARY}")
        for number, folder in enumerate(self.inputs.epilogues):
            self._copy(folder, f"epilogues/{number}")
        for name, path in library_files().items():
            self.files[name] = _text(path)
        self.files["tests/operations.h"] = self.renderer.text("test_operations.h.j2", operations=[
            operation for _, operation in sorted(self.inputs.operations.items())
            if not operation.include.startswith(f"{LIBRARY}/")])
        self.files["Makefile"] = _text(templates_folder() / "Makefile")
        self.files["generated/instances.mk"] = self._make()
        self.files[MANIFEST] = self._json()
        return self.files

    def _copy(self, folder: Path, to: str) -> None:
        for path in sorted(folder.rglob("*.h")):
            self.files.setdefault(f"{to}/{path.relative_to(folder).as_posix()}", _text(path))

    def _stems(self, skeleton: str) -> List[str]:
        """Buckets, without the extension; they are the same for both backends."""
        return [f"generated/{file[:-2]}" for file in self.generated.buckets[(skeleton, "host")]]

    @property
    def _skeletons(self) -> List[str]:
        return sorted({skeleton for skeleton, _ in self.generated.buckets})

    @property
    def _flags(self) -> Dict[str, List[str]]:
        includes = ["-Iinclude", "-Igenerated", *(f"-Iepilogues/{i}" for i in range(len(self.inputs.epilogues)))]
        return {"CORE_FLAGS": [*_HOST, "-O2", "-Iinclude"],
                "RUNTIME_FLAGS": [*_HOST, "-O3", _EXACT, "-Iinclude"],
                "HOST_FLAGS": [*_HOST, "-Og", _EXACT, *includes],
                "DEVICE_FLAGS": [*_DEVICE, *includes],
                "DRIVER_FLAGS": ["-std=gnu11", "-O2", _EXACT, "-Itests", *includes,
                                 "-DCATC_TEST_OPERATIONS='\"operations.h\"'"]}

    def _make(self) -> str:
        plain = [stem for one in self._skeletons if not _needs_letter(one) for stem in self._stems(one)]
        hopper = [stem for one in self._skeletons if _needs_letter(one) for stem in self._stems(one)]
        lists = [*((name, " ".join(flags)) for name, flags in self._flags.items()), ("SONAME", _soname()),
                 *((name, " \\\n    ".join(stems)) for name, stems in (("PLAIN", plain), ("HOPPER", hopper)))]
        return self.renderer.text("instances.mk.j2", source=self.generated.source, lists=lists)

    def _json(self) -> str:
        flags = self._flags
        core = flags["CORE_FLAGS"] + ["-DCATC_WITH_HOST=1"]
        rows = [
            {"build": "host", "compiler": "cc", "flags": [*core, "-DCATC_WITH_CUDA=0"],
             "sources": ["lib/catlass_c.c", "generated/registry.c"]},
            {"build": "cuda", "compiler": "cc",
             "flags": [*core, "-DCATC_WITH_CUDA=1", "-isystem", "$CUDA_HOME/include"],
             "sources": ["lib/catlass_c.c", "generated/registry_cuda_90a.c"]},
            {"build": "both", "compiler": "cc", "flags": flags["RUNTIME_FLAGS"], "sources": ["lib/host_runtime.c"]}]
        for skeleton in self._skeletons:
            numbers = targets(skeleton, _ARCHS)
            define = f"-DCATC_TARGETS={','.join(map(str, numbers))}"
            rows.append({"build": "both", "compiler": "cc", "flags": [*flags["HOST_FLAGS"], define],
                         "sources": [f"{stem}.c" for stem in self._stems(skeleton)]})
            # nvcc splits the value of -D at commas that have no backslash
            rows.append({"build": "cuda", "compiler": "nvcc",
                         "flags": [*flags["DEVICE_FLAGS"], *_code(numbers), define.replace(",", "\\,")],
                         "sources": [f"{stem}.cu" for stem in self._stems(skeleton)]})
        content = {
            "schema": 1, "made_by": _MADE_BY, "version": __version__, "archs": list(_ARCHS), "compile": rows,
            "link": {"host": ["-lpthread", "-lm"],
                     "cuda": ["-L$CUDA_HOME/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread", "-lm"]},
            "instances": [{
                "name": instance.name, "source": instance.source, "yaml": line.of_instance(instance),
                "skeleton": instance.skeleton, "parameters": f"generated/params/{instance.name}.h",
                "targets": targets(instance.skeleton, _ARCHS)}
                for instance in sorted(self.content.built, key=lambda one: one.name)],
            "files": sorted([*self.files, MANIFEST]),
        }
        return json.dumps(content, indent=1) + "\n"


def _soname() -> str:
    major, minor, _ = __version__.split(".")
    return f"libcatlass_c.so.{major}.{minor}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise failure(f"{path}: cannot be read: {error.strerror}") from error
