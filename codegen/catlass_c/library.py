# SPDX-License-Identifier: Apache-2.0
"""libcatlass_c.so by ctypes. None of its structs is written down here: they are built from the table that the library
itself exports (include/catlass_c/abi.h), so that this file fits any version whose functions it knows. Needs Python's
standard library only; examples/minilm_ffn uses it too."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from catlass_c.errors import failure

OK = 0
_ONE_VERSION = "use the library and the command of one version"
_TEXT_MAX = 1 << 24  # bytes of an explanation; 500 candidates take 100 KB


class _Field(ctypes.Structure):
    """struct catc_field."""

    _fields_ = [("structure", c_char_p), ("name", c_char_p), ("type", c_char_p), ("offset", c_int), ("size", c_int)]


_SCALARS = {"int": c_int, "int64_t": c_int64, "uint32_t": c_uint32, "uint64_t": c_uint64, "size_t": c_size_t,
            "float": c_float, "double": c_double, "const char *": c_char_p, "catc_kernel_fn": c_void_p}


def _ctype(text: str, structures: Dict[str, type]) -> Optional[type]:
    """The ctypes type for a C type as abi.h spells it; None for one that is not known here."""
    if text.endswith("*"):
        return _SCALARS.get(text, c_void_p)
    if text.startswith("enum "):
        return c_int
    return structures.get(text[len("struct "):]) if text.startswith("struct ") else _SCALARS.get(text)


def structures(path: str, fields: List[_Field]) -> Dict[str, type]:
    """A ctypes structure for each struct of the table, by its C name. Offsets and sizes must come out as the table has
    them: a wrong struct would be a wrong address somewhere else."""
    found: Dict[str, type] = {}
    members: List[Tuple[str, type]] = []
    offsets: List[Tuple[str, int, int]] = []
    for field in fields:
        structure, name, text = field.structure.decode(), field.name.decode(), field.type.decode()
        if name:
            one = _ctype(text, found)
            if one is None:
                raise failure(f"{path}: {structure}.{name} has the type '{text}', which this catlass-c does not know; "
                              f"{_ONE_VERSION}")
            count = field.size // ctypes.sizeof(one)
            members.append((name, one * count if count != 1 else one))
            offsets.append((name, field.offset, field.size))
            continue
        found[structure] = type(structure, (ctypes.Structure,), {"_fields_": members})
        for name, offset, size in offsets:
            member = getattr(found[structure], name)
            if (member.offset, member.size) != (offset, size):
                raise failure(f"{path}: {structure}.{name} lies at byte {offset} and has {size} bytes, but ctypes "
                              f"makes it {member.offset} and {member.size}; {_ONE_VERSION}")
        if ctypes.sizeof(found[structure]) != field.size:
            raise failure(f"{path}: struct {structure} has {field.size} bytes, but ctypes makes it "
                          f"{ctypes.sizeof(found[structure])}; {_ONE_VERSION}")
        members, offsets = [], []
    return found


class Library:
    def __init__(self, path: Path):
        self.path = path
        try:
            lib = ctypes.CDLL(str(path))
        except OSError as error:
            raise failure(f"{path}: cannot be loaded: {error}") from error
        try:
            lib.catc_abi_fields.restype = POINTER(_Field)
            count = c_int(0)
            fields = lib.catc_abi_fields(ctypes.byref(count))
            self.fields = [fields[i] for i in range(count.value)]
            self.structures = structures(str(path), self.fields)
            self._declare(lib)
        except AttributeError as error:
            raise failure(f"{path}: is no library of this catlass_c, or an older one ({error}); build it again") from (
                error)
        self.lib = lib
        # Words of types.h, with their enumerators.
        self.types = self._tokens(lib.catc_type_name)
        self.layouts = self._tokens(lib.catc_layout_name)
        self.backends = self._tokens(lib.catc_backend_name)

    def _declare(self, lib: ctypes.CDLL) -> None:
        args, plan = POINTER(self.structures["catc_gemm_args"]), POINTER(self.structures["catc_gemm_plan"])
        device, instance = POINTER(self.structures["catc_device"]), POINTER(self.structures["catc_gemm_instance"])
        signatures = {
            "catc_version": (c_char_p,),
            "catc_status_name": (c_char_p, c_int),
            "catc_last_message": (c_char_p,),
            "catc_type_name": (c_char_p, c_int),
            "catc_type_size": (c_size_t, c_int),
            "catc_layout_name": (c_char_p, c_int),
            "catc_backend_name": (c_char_p, c_int),
            "catc_device_count": (c_int,),
            "catc_device_at": (device, c_int),
            "catc_op_id": (c_uint32, c_char_p),
            "catc_gemm_make_plan_sized": (c_int, plan, args, c_size_t),
            "catc_gemm_launch": (c_int, plan, c_void_p, c_void_p),
            "catc_gemm_plan_instance": (instance, plan),
            "catc_gemm_explain_sized": (c_int, args, c_size_t, c_char_p, c_size_t),
        }
        for name, (result, *parameters) in signatures.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, parameters

    @staticmethod
    def _tokens(name) -> Dict[str, int]:
        """{"f32": 1, …}: enumerators start at 1, and the name of one past the last is `?`."""
        found: Dict[str, int] = {}
        while True:
            token = name(len(found) + 1).decode()
            if token == "?":
                return found
            found[token] = len(found) + 1

    def version(self) -> str:
        return self.lib.catc_version().decode()

    def status_name(self, status: int) -> str:
        return self.lib.catc_status_name(status).decode()

    def last_message(self) -> str:
        return self.lib.catc_last_message().decode()

    def device_count(self) -> int:
        return self.lib.catc_device_count()

    def devices(self) -> Dict[str, ctypes.Structure]:
        """The GPUs that the library knows, by their short names."""
        found = {}
        while True:
            device = self.lib.catc_device_at(len(found))
            if not device:
                return found
            found[device.contents.name.decode()] = device.contents

    def op_id(self, name: str) -> int:
        return self.lib.catc_op_id(name.encode())

    def gemm_args(self) -> ctypes.Structure:
        """A struct catc_gemm_args, every field 0."""
        return self.structures["catc_gemm_args"]()

    def gemm_plan(self, args: ctypes.Structure) -> Tuple[int, ctypes.Structure]:
        plan = self.structures["catc_gemm_plan"]()
        return self.lib.catc_gemm_make_plan_sized(plan, args, ctypes.sizeof(args)), plan

    def gemm_explain(self, args: ctypes.Structure) -> Tuple[int, str]:
        """The status that the call would have, and the selection in words."""
        size = 1 << 16
        while True:
            text = ctypes.create_string_buffer(size)
            status = self.lib.catc_gemm_explain_sized(args, ctypes.sizeof(args), text, size)
            if len(text.value) < size - 1 or size >= _TEXT_MAX:
                return status, text.value.decode(errors="replace")
            size *= 4
