# SPDX-License-Identifier: Apache-2.0
"""The generated folder of a target: parameter files, buckets, registry, headers, lists for CMake and for programs."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from catlass_c import output, registry, tuned
from catlass_c.errors import did_you_mean, failure
from catlass_c.instances import Inputs, Instance
from catlass_c.place import LIBRARY
from catlass_c.probe import Numbers, Probe
from catlass_c.render import Renderer
from catlass_c.selection import select

LIBRARY_PREFIX = "catc_"
BUCKET_BITS = 5  # fixed, so that adding an instance never moves another to a new bucket
_EXTENSIONS = {"host": "c", "cuda": "cu"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True)
class Target:
    out: Path
    backends: Tuple[str, ...] = ("host",)
    select: str = "default"
    prefix: str = LIBRARY_PREFIX
    name: str = LIBRARY
    archs: Tuple[str, ...] = ("80", "90", "90a")


@dataclass(frozen=True)
class Result:
    built: List[Instance]
    total: int
    written: int
    tuned: int  # entries in the tuned tables, each counted once whatever the backends
    warnings: Tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """What instance files and measurements say, and which of the instances are built."""

    inputs: Inputs
    instances: List[Instance]
    built: List[Instance]
    numbers: Dict[str, Numbers]
    measured: tuned.Tuned


def load(inputs: Inputs, patterns: str, probe: Probe) -> Content:
    instances = inputs.load()
    # Illegal instances are refused even when they are left out: a YAML file is right or wrong as a whole.
    numbers = probe.refuse_illegal(instances)
    built = select(instances, patterns)
    return Content(inputs, instances, built, numbers, tuned.load(inputs.tuned, instances, built))


def generate(inputs: Inputs, target: Target, renderer: Optional[Renderer] = None) -> Result:
    """Write the folder of `target`; on any problem CodegenError, with nothing written."""
    _check(inputs, target)
    renderer = renderer or Renderer()
    probe = Probe(inputs, target.out / "probe.json", renderer)
    content = load(inputs, target.select, probe)
    written = output.write(target.out, Files(content, target, renderer).all())
    probe.remember()
    entries = sum(len(table.entries) for table in content.measured.tables)
    return Result(content.built, len(content.instances), written, entries, content.measured.warnings)


def _check(inputs: Inputs, target: Target) -> None:
    for backend in target.backends:
        if backend not in inputs.tokens.backends:
            raise failure(f"--backends: '{backend}' is unknown{did_you_mean(backend, inputs.tokens.backends)}")
    if not _IDENTIFIER.match(target.prefix) or not target.prefix.endswith("_"):
        raise failure(f"--prefix: '{target.prefix}' must be a C identifier that ends in _, such as user_")
    if not _IDENTIFIER.match(target.name):
        raise failure(f"--name: '{target.name}' must be a C identifier")
    if (target.prefix == LIBRARY_PREFIX) != (target.name == LIBRARY):
        raise failure("--prefix and --name go together: a target beside the library needs both of its own")


def bucket(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest(), "big") % (1 << BUCKET_BITS)


def has_code_for(skeleton: str, archs: Sequence[str]) -> bool:
    """Whether nvcc targets such as 80 and 90a let an instance of the skeleton be compiled: Hopper's own instructions
    exist in the target with the letter only, everything else in those without."""
    return "90a" in archs if skeleton == "gemm_sm90" else any(arch.isdigit() for arch in archs)


class Files:
    """The texts of one generated folder."""

    def __init__(self, content: Content, target: Target, renderer: Renderer):
        self.inputs = content.inputs
        self.target = target
        self.renderer = renderer
        self.instances = content.instances
        self.built = registry.in_order(content.built)
        self.numbers = content.numbers
        self.tables = content.measured.tables
        self.by_backend = {backend: self._for_backend(backend) for backend in target.backends}
        self.files: Dict[str, str] = {}
        self.buckets: Dict[Tuple[str, str], List[str]] = {}  # (skeleton, backend) -> files

    def _for_backend(self, backend: str) -> List[Instance]:
        if backend != "cuda":
            return self.built
        return [instance for instance in self.built if has_code_for(instance.skeleton, self.target.archs)]

    @property
    def is_library(self) -> bool:
        return self.target.name == LIBRARY

    @property
    def source(self) -> str:
        """The instance files, as generated text names them."""
        return ", ".join(sorted({instance.source.rpartition(":")[0] for instance in self.instances}))

    @property
    def function(self) -> str:
        """Returns the registry of a target beside the library."""
        return f"{self.target.prefix}registry"

    def symbol(self, instance: Instance, backend: str) -> str:
        return f"{self.target.prefix}{instance.c_name}_{backend}_instance"

    def backends_of(self, instance: Instance) -> List[str]:
        return [backend for backend in self.target.backends if instance in self.by_backend[backend]]

    def all(self) -> Dict[str, str]:
        for instance in self.built:
            self.files[f"params/{instance.name}.h"] = self.renderer.parameters(
                instance, f"catlass_c/skeleton/{instance.skeleton}.skel.h")
        self._add_buckets()
        self.files["registry.c"] = self.registry_text()
        self._add_headers()
        self.files["instances.cmake"] = self._cmake()
        self.files[output.MANIFEST] = self._json()
        return self.files

    def _add_buckets(self) -> None:
        for backend in self.target.backends:
            parts: Dict[Tuple[str, int], List[str]] = {}
            for instance in self.by_backend[backend]:
                parts.setdefault((instance.skeleton, bucket(instance.name)), []).append(instance.name)
            for (skeleton, number), names in sorted(parts.items()):
                file = f"{skeleton}-b-{number:02d}.{_EXTENSIONS[backend]}"
                self.files[file] = self.renderer.text("bucket.j2", skeleton=skeleton, number=number,
                                                      names=sorted(names))
                self.buckets.setdefault((skeleton, backend), []).append(file)

    def registry_text(self) -> str:
        tables = []
        for backend, instances in self.by_backend.items():
            if instances:  # C has no empty arrays; a backend without instances keeps the zero table
                found = registry.groups(instances)
                tables.append({
                    "backend": backend, "enumerator": self.inputs.tokens.enumerators[backend],
                    "symbols": [self.symbol(instance, backend) for instance in instances],
                    "groups": [{"key": f"{g.key:016x}", "first": g.first, "count": g.count, "text": g.text}
                               for g in found],
                    "n_groups": len(found), "n_instances": len(instances), "tuned": self._tuned(backend)})
        storage, function = ("static const", _LIBRARY_FUNCTION) if self.is_library else (
            "static", _USER_FUNCTION.replace("<function>", self.function))
        return self.renderer.text("registry.c.j2", source=self.source, tables=tables, target=self.target.name,
                                  storage=storage, function=function)

    def _tuned(self, backend: str) -> List[Dict[str, object]]:
        """The tuned tables of a backend, as a list of one text or none."""
        here = {instance.name for instance in self.by_backend[backend]}
        devices = []
        for table in self.tables:
            entries = [{"key": f"{entry.key:016x}", "m": entry.m, "n": entry.n, "k": entry.k, "batch": entry.batch,
                        "symbol": self.symbol(entry.instance, backend), "comment": entry.comment}
                       for entry in table.entries if entry.instance.name in here]
            if entries:
                devices.append({"number": len(devices), "name": table.device, "sms": table.sms, "cc": table.cc,
                                "entries": entries, "n_entries": len(entries)})
        text = self.renderer.text("tuned.c.j2", backend=backend, devices=devices) if devices else ""
        return [{"text": text, "n_devices": len(devices)}] if devices else []

    def _add_headers(self) -> None:
        guard = f"{self.target.name.upper()}_GENERATED"
        declaration = "" if self.is_library else _USER_DECLARATION.replace("<function>", self.function)
        instances = [{"name": instance.name,
                      "symbols": [self.symbol(instance, backend) for backend in self.backends_of(instance)]}
                     for instance in sorted(self.built, key=lambda i: i.name)]
        self.files[f"include/{self.target.name}/instances.h"] = self.renderer.text(
            "instances.h.j2", source=self.source, target=self.target.name, guard=f"{guard}_INSTANCES_H",
            registry_declaration=declaration, instances=instances)
        operations = [{"macro": o.name.upper(), "include": o.include, "kind": o.kind, "id": f"0x{o.id:08x}"}
                      for o in sorted(self.inputs.operations.values(), key=lambda o: o.name)]
        macros = [o["macro"] for o in operations]
        for macro in macros:
            if macros.count(macro) > 1:
                raise failure(f"CATC_OP_{macro}: two operations have names that differ in case only; rename one")
        self.files[f"include/{self.target.name}/operations.h"] = self.renderer.text(
            "operations.h.j2", guard=f"{guard}_OPERATIONS_H", operations=operations)

    def _cmake(self) -> str:
        """What cmake/catc_instances.cmake reads; every list is set, an empty one too, so that none is left over from
        another target."""
        skeletons = sorted({instance.skeleton for instance in self.built})
        here = "${CMAKE_CURRENT_LIST_DIR}"
        scalars = [("LEFT_OUT", len(self.instances) - len(self.built)), ("REGISTRY", f"{here}/registry.c")]
        lists = [("SKELETONS", skeletons)]
        for backend in self.inputs.tokens.backends:
            lists.append((f"INSTANCES_{backend}",
                          sorted(instance.name for instance in self.by_backend.get(backend, []))))
            for skeleton in skeletons:
                lists.append((f"BUCKETS_{skeleton}_{backend}",
                              [f"{here}/{file}" for file in self.buckets.get((skeleton, backend), [])]))
        files = sorted([*self.files, "instances.cmake", output.MANIFEST])
        lists.append(("FILES", [f"{here}/{name}" for name in files]))
        return self.renderer.text("instances.cmake.j2", source=self.source, scalars=scalars, lists=lists)

    def _json(self) -> str:
        content = {
            "schema": 1, "target": self.target.name, "prefix": self.target.prefix,
            "backends": list(self.target.backends), "archs": list(self.target.archs),
            "total": len(self.instances), "built": len(self.built),
            "instances": [{
                "name": instance.name, "source": instance.source, "skeleton": instance.skeleton,
                "backends": self.backends_of(instance), "bucket": f"{instance.skeleton}-b-{bucket(instance.name):02d}",
                **self.numbers[instance.name].as_dict(),
            } for instance in sorted(self.built, key=lambda i: i.name)],
            "files": sorted([*self.files, output.MANIFEST]),
        }
        return json.dumps(content, indent=1) + "\n"


_LIBRARY_FUNCTION = """\
const struct catc_registry *catc_library_registry(void)
{
    return &registry;
}"""

_USER_DECLARATION = """
/* The registry of this target, in front of the library's: args.registry = <function>(); */
const struct catc_registry *<function>(void);"""

# The address of the library's table is no constant where the library is shared, so that the base is filled in by the
# first caller; the others find it there.
_USER_FUNCTION = """\
const struct catc_registry *<function>(void);

const struct catc_registry *<function>(void)
{
    const struct catc_registry *none = NULL;
    __atomic_compare_exchange_n(&registry.base, &none, catc_library_registry(), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return &registry;
}"""
