# SPDX-License-Identifier: Apache-2.0
"""FNV-1a, as in catc_op_id and catc_gemm_key of registry.h."""

from __future__ import annotations


def fnv1a_32(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def fnv1a_64(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value
