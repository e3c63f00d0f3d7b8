# SPDX-License-Identifier: Apache-2.0
"""The feed-forward block by catlass_c: two GEMMs with their epilogues, each compared with float64."""
from collections import namedtuple

import bf16
import numpy as np
from encoder import gelu

# One line of the table. `share` is the largest error in units of what is allowed for that element.
Record = namedtuple("Record", "layer gemm m n k instance error largest share")

# How a type is held in numpy (pack from float32, unpack to it, a NaN), and how far one element of a result may be from
# float64: relative * |value| + absolute + the fp32 sum's own rounding. bf16: one unit in the last place of the output
# and the 2^-10 that operations with 16-bit results may be off.
Number = namedtuple("Number", "pack unpack nan relative absolute")
NUMBERS = {
    "f32": Number(np.float32, np.float32, np.float32("nan"), 2.0 ** -22, 2.0 ** -22),
    "bf16": Number(bf16.from_float32, bf16.to_float32, np.uint16(0x7FC0), 2.0 ** -7, 2.0 ** -10),
}


class CatcFeedForward:
    """Called by the encoder as NumpyFeedForward is; `records` holds what was run."""

    def __init__(self, library, weights, type_name, backend, memory):
        self.library, self.weights = library, weights
        self.type_name, self.backend, self.memory = type_name, backend, memory
        self.number = NUMBERS[type_name]
        self.records = []
        self.explanations = {}

    def __call__(self, layer, x):
        prefix = f"encoder.layer.{layer}"
        w1, b1 = (self.number.pack(t) for t in self.weights.linear(prefix + ".intermediate.dense"))
        w2, b2 = (self.number.pack(t) for t in self.weights.linear(prefix + ".output.dense"))
        x = self.number.pack(x)
        inner = self._gemm(layer, "1 bias gelu", x, w1, [("bias", b1), ("gelu", None)])
        outer = self._gemm(layer, "2 bias add", inner, w2, [("bias", b2), ("add", x)])
        return self.number.unpack(outer)

    def _gemm(self, layer, label, a, weight, chain):
        m, k, n = a.shape[0], a.shape[1], weight.shape[0]
        memory = self.memory
        # D starts as NaN, so that an element that no one writes shows. The buffers have names because nothing else
        # keeps them alive until the result is copied back.
        a_buffer, weight_buffer = memory.upload(a), memory.upload(weight)
        d_buffer = memory.upload(np.full((m, n), self.number.nan))
        operands = [(name, None if value is None else memory.upload(value)) for name, value in chain]
        args = self.library.linear(
            self.type_name, self.backend, (m, n, k), memory.address(a_buffer), memory.address(weight_buffer),
            memory.address(d_buffer), [(name, None if v is None else memory.address(v)) for name, v in operands])
        instance = self.library.gemm(args)
        if label not in self.explanations:
            self.explanations[label] = self.library.explain(args)
        d = memory.download(d_buffer)
        self._compare(layer, label, instance, a, weight, chain, d)
        return d

    def _compare(self, layer, label, instance, a, weight, chain, d):
        a, weight, d = (self.number.unpack(t).astype(np.float64) for t in (a, weight, d))
        value = a @ weight.T
        # Sum of the magnitudes of everything that is added up: what an fp32 sum can lose is a part of it.
        size = np.abs(a) @ np.abs(weight).T
        for name, operand in chain:
            if name == "gelu":
                value = gelu(value)
            else:
                operand = self.number.unpack(operand).astype(np.float64)
                value, size = value + operand, size + np.abs(operand)
        error = np.abs(d - value)
        allowed = (self.number.relative * np.abs(value) + self.number.absolute
                   + 2.0 ** -23 * np.sqrt(a.shape[1]) * size)
        # A NaN in the result must not pass for a small error.
        error = np.where(np.isnan(error), np.inf, error)
        self.records.append(Record(layer, label, a.shape[0], weight.shape[0], a.shape[1], instance,
                                   float(error.max()), float(np.abs(value).max()), float((error / allowed).max())))
