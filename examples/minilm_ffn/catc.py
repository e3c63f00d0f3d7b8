# SPDX-License-Identifier: Apache-2.0
"""ctypes binding of the part of catlass_c that the example needs: the GEMM argument struct, plans, explain."""
import ctypes
import ctypes.util
import json
import os
import shutil
import subprocess
import tempfile
from ctypes import c_char_p, c_float, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Constants of include/catlass_c/{types,status,registry}.h; layout.c prints the headers' own values for comparison.
CATC_EPI_MAX = 8
CATC_F32, CATC_BF16 = 1, 2
CATC_TN = 1
CATC_CUDA, CATC_HOST = 1, 2
CATC_OK, CATC_NOT_SUPPORTED = 0, 3

TYPES = {"f32": CATC_F32, "bf16": CATC_BF16}
BACKENDS = {"cuda": CATC_CUDA, "host": CATC_HOST}


class Epi(ctypes.Structure):
    c_name = "catc_epi"
    _fields_ = [("op", c_uint32), ("type", c_int), ("ptr", c_void_p), ("out", c_void_p), ("ld", c_int64),
                ("batch_stride", c_int64), ("a", c_float), ("b", c_float)]


class GemmArgs(ctypes.Structure):
    c_name = "catc_gemm_args"
    _fields_ = [("m", c_int64), ("n", c_int64), ("k", c_int64), ("batch", c_int64), ("layout", c_int),
                ("type_a", c_int), ("type_b", c_int), ("type_d", c_int), ("type_acc", c_int),
                ("a", c_void_p), ("b", c_void_p), ("c", c_void_p), ("d", c_void_p),
                ("lda", c_int64), ("ldb", c_int64), ("ldc", c_int64), ("ldd", c_int64),
                ("stride_a", c_int64), ("stride_b", c_int64), ("stride_c", c_int64), ("stride_d", c_int64),
                ("alpha", c_void_p), ("beta", c_void_p), ("scalars_on_device", c_int),
                ("epi", Epi * CATC_EPI_MAX), ("n_epi", c_int), ("fixed_m", c_int), ("backend", c_int),
                ("instance", c_void_p), ("registry", c_void_p), ("device", c_void_p),
                ("workspace", c_void_p), ("workspace_size", c_size_t), ("workspace_clean", c_int),
                ("stream", c_void_p)]


class GemmPlan(ctypes.Structure):
    c_name = "catc_gemm_plan"
    _fields_ = [("opaque", c_uint64 * 512)]


class GemmInstance(ctypes.Structure):
    """The first two fields of the descriptor; the library owns it, so the rest need not be known here."""
    c_name = "catc_gemm_instance"
    _fields_ = [("name", c_char_p), ("source", c_char_p)]


class CatcError(Exception):
    """A sentence for the user; of a call that did not return CATC_OK, the status's name and the library's sentence."""


def library_path(given=None):
    """--library, $CATC_LIBRARY, the newest build of this source tree, or an installed library."""
    if given or os.environ.get("CATC_LIBRARY"):
        return given or os.environ["CATC_LIBRARY"]
    root = HERE.parent.parent
    # The demo preset builds four instances only; those needed here are not among them.
    built = [p for pattern in ("build*/libcatlass_c.so", "build*/*/libcatlass_c.so") for p in root.glob(pattern)
             if p.parent.name != "demo"]
    if built:
        return str(max(built, key=lambda p: p.stat().st_mtime))
    installed = ctypes.util.find_library("catlass_c")
    if installed:
        return installed
    raise CatcError("libcatlass_c.so was not found: build the shared library, or name it with --library")


def check_layout(include=None):
    """Compare the mirrors above with the headers; a sentence that says what was compared. Without a C compiler or
    headers nothing is compared: the mirrors are then trusted."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    include = Path(include) if include else HERE.parent.parent / "include"
    if not compiler or not (include / "catlass_c" / "ops" / "gemm.h").is_file():
        return f"not compared with the headers ({f'no headers in {include}' if compiler else 'no C compiler'})"
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "layout")
        command = [*compiler.split(), "-std=gnu11", "-I", str(include), str(HERE / "layout.c"), "-o", program]
        try:
            subprocess.run(command, check=True)
            header = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode())
        except (OSError, subprocess.CalledProcessError) as error:
            raise CatcError(f"layout.c cannot be compiled and run: {error}") from None
    differences = []
    for mirror in (Epi, GemmArgs, GemmPlan, GemmInstance):
        fields = header["structs"][mirror.c_name]
        mine = {name: [getattr(mirror, name).offset, getattr(mirror, name).size] for name, _ in mirror._fields_}
        if mirror is GemmInstance:
            del fields[""]
        else:
            mine[""] = [0, ctypes.sizeof(mirror)]
        differences += [f"{mirror.c_name}.{name or '<whole>'}: [offset, size] is {fields.get(name)} in the header and "
                        f"{mine.get(name)} here"
                        for name in sorted(set(fields) | set(mine)) if fields.get(name) != mine.get(name)]
    del header["constants"][""]
    differences += [f"{name} is {value} in the header and {globals()[name]} here"
                    for name, value in header["constants"].items() if globals()[name] != value]
    if differences:
        raise CatcError("catc.py does not match the headers: " + "; ".join(differences))
    return "compared with the headers: equal"


class Library:
    def __init__(self, path):
        try:
            lib = ctypes.CDLL(path)
        except OSError as error:
            raise CatcError(f"{path} cannot be loaded: {error}") from None
        args_p, plan_p = ctypes.POINTER(GemmArgs), ctypes.POINTER(GemmPlan)
        signatures = {
            "catc_version": (c_char_p,),
            "catc_status_name": (c_char_p, c_int),
            "catc_last_message": (c_char_p,),
            "catc_device_count": (c_int,),
            "catc_op_id": (c_uint32, c_char_p),
            "catc_gemm_make_plan_sized": (c_int, plan_p, args_p, c_size_t),
            "catc_gemm_launch": (c_int, plan_p, c_void_p, c_void_p),
            "catc_gemm_plan_instance": (ctypes.POINTER(GemmInstance), plan_p),
            "catc_gemm_explain_sized": (c_int, args_p, c_size_t, c_char_p, c_size_t),
        }
        for name, (result, *parameters) in signatures.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, parameters
        self.lib = lib

    def version(self):
        return self.lib.catc_version().decode()

    def device_count(self):
        return self.lib.catc_device_count()

    def gemm(self, args):
        """Choose an instance, run it, and return its name."""
        plan = GemmPlan()
        status = self.lib.catc_gemm_make_plan_sized(plan, args, ctypes.sizeof(args))
        if status == CATC_OK:
            status = self.lib.catc_gemm_launch(plan, args.workspace, args.stream)
        if status != CATC_OK:
            message = f"{self.lib.catc_status_name(status).decode()}: {self.lib.catc_last_message().decode()}"
            if status == CATC_NOT_SUPPORTED:
                message += "\n" + self.explain(args)
            raise CatcError(message)
        return self.lib.catc_gemm_plan_instance(plan).contents.name.decode()

    def explain(self, args):
        """Why this instance, and why not each of the others."""
        text = ctypes.create_string_buffer(1 << 16)
        self.lib.catc_gemm_explain_sized(args, ctypes.sizeof(args), text, len(text))
        return text.value.decode()

    def linear(self, type_name, backend, shape, a, weight, d, chain):
        """Arguments of D = chain(A W^T): A [m, k], W [n, k] as PyTorch stores a linear layer, D [m, n]; all packed
        and of one type. `chain`: (operation, address of its operand or None), in order."""
        args = GemmArgs()
        args.m, args.n, args.k = shape
        args.layout = CATC_TN
        args.type_a = TYPES[type_name]
        args.backend = BACKENDS[backend]
        args.a, args.b, args.d = a, weight, d
        for position, (operation, operand) in enumerate(chain):
            args.epi[position].op = self.lib.catc_op_id(operation.encode())
            args.epi[position].ptr = operand
        args.n_epi = len(chain)
        return args
