# SPDX-License-Identifier: Apache-2.0
"""The committed table of wgmma operands is what its generator writes, and the lists are right for every N."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "codegen" / "tables" / "wgmma_operands.py"
HEADER = ROOT / "include" / "catlass_c" / "arch" / "wgmma_operands.h"


def load_generator():
    spec = importlib.util.spec_from_file_location("wgmma_operands", GENERATOR)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_table_is_up_to_date():
    generated = load_generator().table()
    assert HEADER.read_text(encoding="utf-8") == generated, f"run python3 {GENERATOR.relative_to(ROOT)}"


def test_every_list_counts_to_its_end():
    text = HEADER.read_text(encoding="utf-8")
    registers, operands = [], []
    for n in range(8, 257, 8):
        line = re.search(rf"^#define CATC_WGMMA_REGS_{n} (.*)$", text, re.M).group(1)
        assert n == 8 or line.startswith(f"CATC_WGMMA_REGS_{n - 8} ")
        registers += [int(i) for i in re.findall(r"%(\d+)", line)]
        line = re.search(rf"^#define CATC_WGMMA_ACC_{n}\(d\) (.*)$", text, re.M).group(1)
        assert n == 8 or line.startswith(f"CATC_WGMMA_ACC_{n - 8}(d), ")
        operands += [int(i) for i in re.findall(r"\(d\)\[(\d+)\]", line)]
        assert registers == operands == list(range(n // 2))
        for offset, name in enumerate(("A", "B", "SCALE")):
            assert f'#define CATC_WGMMA_{name}_{n} "%{n // 2 + offset}"\n' in text
