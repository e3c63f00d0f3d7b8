# SPDX-License-Identifier: Apache-2.0
"""What the rules of check/gemm_sm80.h accept compiles and gives right results (CG-05): random configurations through
`catlass-c generate`, the C compiler and the test driver. CATC_SEED=<n> draws others, CATC_EACH=<n>
more; every failure prints the seed."""

import json
import os
import random
import re
import shutil
import subprocess
import sys

import pytest
from catlass_c.instances import Inputs
from catlass_c.probe import Probe
from conftest import ROOT

SEED = int(os.environ.get("CATC_SEED", "1"))
EACH = int(os.environ.get("CATC_EACH", "2"))  # configurations of a theme, at most
DRAWS = 60 * EACH  # for each theme; most break a rule

# Fixed fields, the rest is drawn: what chance alone would not bring, and what the emulator is fast enough for.
THEMES = {
    "tile_128x64x48": {"tile_m": 128, "tile_n": 64, "tile_k": 48, "reg_buffers": 1},
    "tile_160x160x32": {"tile_m": 160, "tile_n": 160, "tile_k": 32},
    "tile_k_48": {"tile_k": 48},
    "tile_96": {"tile_m": 96, "layout": "nt"},
    "tile_160": {"tile_n": 160, "layout": "tt"},
    "tile_112": {"tile_m": 112, "layout": "nn", "swap": True},
    "span_32": {"tile_k": 16, "layout": "tn", "reg_buffers": 1},
    "span_64": {"tile_k": 32, "layout": "tn"},
    "one_warp": {"warps": (1, 1)},
    "16_warps": {"warps": (4, 4)},
    "swap": {"swap": True, "layout": "tt"},
    "unroll_in_parts": {"tile_k": 128, "unroll": 32, "reg_buffers": 2},
    "one_buffer": {"reg_buffers": 1, "layout": "nt"},
    "f32_output": {"d": "f32", "swap": True},
}


def side(rng, tile, warps):
    """A tile's side and a warp's, where given: of so many warps."""
    found = [(t, w) for t in range(16, 257, 16) for w in range(16, 129, 16)
             if t % w == 0 and tile in (None, t) and warps in (None, t // w)]
    return rng.choice(found)


def drawn(rng, fixed):
    """One configuration, as YAML would spell it; within every range, but legal only by chance."""
    warps = fixed.get("warps", (None, None))
    tile_m, warp_m = side(rng, fixed.get("tile_m"), warps[0])
    tile_n, warp_n = side(rng, fixed.get("tile_n"), warps[1])
    tile_k = fixed.get("tile_k", 16 * rng.randint(1, 8))
    buffers = fixed.get("reg_buffers", rng.randint(1, 2))
    unrolls = [u for u in range(16 * buffers, tile_k + 1, 16 * buffers) if tile_k % u == 0]
    return {
        "a": rng.choice(["bf16", "f16"]), "d": fixed.get("d", rng.choice(["bf16", "f16", "f32"])),
        "layout": fixed.get("layout", rng.choice(["tn", "tt", "nn", "nt"])), "tile": [tile_m, tile_n, tile_k],
        "warp": [warp_m, warp_n], "stages": rng.randint(2, 6), "swap": fixed.get("swap", rng.random() < 0.3),
        "reg_buffers": buffers, "unroll": fixed.get("unroll", rng.choice(unrolls or [tile_k])),
        "min_blocks": rng.choice([1, 1, 2]),
    }


def yaml_of(entries):
    lines = "".join(f"  - {entry}\n" for entry in entries)
    return f"schema: 1\nskeleton: gemm_sm80\ninstances:\n{lines}"


@pytest.fixture(scope="module")
def legal(tmp_path_factory):
    """By theme, names and fields: the first of its draws that break no rule."""
    rng = random.Random(SEED)
    path = tmp_path_factory.mktemp("drawn") / "drawn.yaml"
    theme_of = {}
    for theme, fixed in THEMES.items():
        for _ in range(DRAWS):
            theme_of.setdefault(json.dumps(drawn(rng, fixed)), theme)
    path.write_text(yaml_of(theme_of))
    inputs = Inputs.find(ROOT / "include", [path])
    instances = inputs.load()
    numbers = Probe(inputs, None).run(instances)
    found = {theme: {} for theme in THEMES}
    for (fields, theme), instance in zip(theme_of.items(), instances):
        if not numbers[instance.name].failed and len(found[theme]) < EACH:
            found[theme][instance.name] = fields
    return found


@pytest.fixture(scope="module")
def driver(legal, tmp_path_factory):
    """The test driver with those instances, from a tree of `catlass-c generate`."""
    if not shutil.which("make"):
        pytest.skip("no make")
    folder = tmp_path_factory.mktemp("tree")
    (folder / "legal.yaml").write_text(yaml_of(fields for theme in legal.values() for fields in theme.values()))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codegen"), "XDG_CACHE_HOME": str(folder / "cache")}
    subprocess.run([sys.executable, "-m", "catlass_c", "generate", "--instances", folder / "legal.yaml", "--select",
                    "all", "--out", folder / "out"], check=True, env=environment)
    subprocess.run(["make", "-s", f"-j{min(os.cpu_count() or 1, 4)}", "-C", folder / "out", "build/gemm_driver",
                    "CFLAGS=-Wall -Wextra -Werror"], check=True)
    return folder / "out" / "build" / "gemm_driver"


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_accepted_is_right(theme, legal, driver):
    """In every fixed case of the driver; `ragged` is M = N = K = tile + 1."""
    assert legal[theme], f"CATC_SEED={SEED}: none of {DRAWS} draws is legal"
    for name, fields in legal[theme].items():
        done = subprocess.run([driver, "--seed", str(SEED), name], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"CATC_SEED={SEED}: {fields}\n{done.stdout}{done.stderr}"
        assert re.search(r": \d\d cases, 0 failed, 0 refused", done.stdout), done.stdout
