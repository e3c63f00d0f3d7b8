# SPDX-License-Identifier: Apache-2.0
"""bf16 for numpy, which has no such type: the bits of a value as uint16, the upper half of its float32 bits."""
import numpy as np


def from_float32(values):
    """Round to the nearest bf16, ties to even. A NaN stays a NaN: adding the rounding bias could carry it into
    infinity or zero, so its upper half is kept with the quiet bit set."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    lowest_kept = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = ((bits + (np.uint32(0x7FFF) + lowest_kept)) >> np.uint32(16)).astype(np.uint16)
    quiet = ((bits >> np.uint32(16)) | np.uint32(0x40)).astype(np.uint16)
    return np.where((bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000), quiet, rounded)


def to_float32(bits):
    """The float32 of the same value (exact)."""
    return (np.asarray(bits, dtype=np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
