# SPDX-License-Identifier: Apache-2.0
"""The part of catlass_c that the example needs. Structs and functions are those of codegen/catlass_c/library.py, which
builds the structs from a table in the library itself: nothing here knows an offset."""
import ctypes.util
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "codegen"))

from catlass_c import library  # noqa: E402 (after the line that makes it importable)
from catlass_c.errors import CodegenError  # noqa: E402

TYPES = ("f32", "bf16")
BACKENDS = ("cuda", "host")


class CatcError(Exception):
    """A sentence for the user; of a call that did not return CATC_OK, the status's name and the library's sentence."""


def library_path(given=None):
    """--library, $CATC_LIBRARY, the newest build of this source tree, or an installed library."""
    if given or os.environ.get("CATC_LIBRARY"):
        return given or os.environ["CATC_LIBRARY"]
    # The demo preset builds four instances only; those needed here are not among them.
    built = [p for pattern in ("build*/libcatlass_c.so", "build*/*/libcatlass_c.so") for p in ROOT.glob(pattern)
             if p.parent.name != "demo"]
    if built:
        return str(max(built, key=lambda p: p.stat().st_mtime))
    installed = ctypes.util.find_library("catlass_c")
    if installed:
        return installed
    raise CatcError("libcatlass_c.so was not found: build the shared library, or name it with --library")


class Library(library.Library):
    def __init__(self, path):
        try:
            super().__init__(path)
        except CodegenError as error:
            raise CatcError(str(error)) from None

    def gemm(self, args):
        """Choose an instance, run it, and return its name."""
        status, plan = self.gemm_plan(args)
        if status == library.OK:
            status = self.lib.catc_gemm_launch(plan, args.workspace, args.stream)
        if status != library.OK:
            message = f"{self.status_name(status)}: {self.last_message()}"
            if self.status_name(status) == "CATC_NOT_SUPPORTED":
                message += "\n" + self.explain(args)
            raise CatcError(message)
        return self.lib.catc_gemm_plan_instance(plan).contents.name.decode()

    def explain(self, args):
        """Why this instance, and why not each of the others."""
        return self.gemm_explain(args)[1]

    def linear(self, type_name, backend, shape, a, weight, d, chain):
        """Arguments of D = chain(A W^T): A [m, k], W [n, k] as PyTorch stores a linear layer, D [m, n]; all packed
        and of one type. `chain`: (operation, address of its operand or None), in order."""
        args = self.gemm_args()
        args.m, args.n, args.k = shape
        args.layout = self.layouts["tn"]
        args.type_a = self.types[type_name]
        args.backend = self.backends[backend]
        args.a, args.b, args.d = a, weight, d
        for position, (operation, operand) in enumerate(chain):
            args.epi[position].op = self.op_id(operation)
            args.epi[position].ptr = operand
        args.n_epi = len(chain)
        return args
