# SPDX-License-Identifier: Apache-2.0
"""What the rules of include/catlass_c/check/ refuse, `catlass-c check` refuses with their numbers, before any kernel is
compiled (CG-05)."""

import pytest
from catlass_c.errors import CodegenError
from catlass_c.instances import Inputs
from catlass_c.probe import Probe
from conftest import GOOD, GOOD_NAME, good

LARGE = {"tile": "[128, 128, 8]", "warp": "[64, 32]", "thread": "[8, 8]"}
SIMT = [
    ("tile_m_warp", good(**{**LARGE, "warp": "[48, 32]"}), "tile_m=128 must be a multiple of warp_m (48)"),
    ("tile_n_warp", good(**{**LARGE, "warp": "[64, 48]"}), "tile_n=128 must be a multiple of warp_n (48)"),
    ("lanes", good(**{**LARGE, "thread": "[8, 4]"}), "must be the 32 lanes of a warp (now 64)"),
    ("stages", good(stages="0"), "stages=0 must be from 2"),
    ("stages", good(stages="1"), "stages=1 must be from 2"),
    ("threads", good(tile="[256, 256, 8]", warp="[32, 16]", thread="[4, 4]"), "must be at most 1024 (now 4096)"),
    ("tile_n_range", good(tile="[64, 0, 8]"), "tile_n=0 must be from"),
    ("tile_n_range", good(tile="[64, -64, 8]"), "tile_n=-64 must be from"),
    ("warp_m_thread", good(warp="[0, 0]"), "warp_m=0 must be a multiple of thread_m"),
    ("smem", good(tile="[256, 256, 32]", warp="[64, 32]", thread="[8, 8]", stages="4"), "bytes"),
    ("type_acc", good(acc="bf16"), "acc=bf16 must be f32 (an accumulator is never narrower than its inputs)"),
    ("schedule", good(schedule="pingpong"), "schedule=pingpong must be simt in gemm_simt"),
    ("unroll", good(unroll="3"), "unroll=3 must divide tile_k (8)"),
    ("min_blocks", good(min_blocks="0"), "min_blocks=0 must be from 1"),
    ("accumulators", good(**{**LARGE, "min_blocks": "3"}), "must fit the launch bounds (now 96, limit 80)"),
    ("n_epi", good(epilogue="[" + ", ".join(["relu"] * 9) + "]"), "must have at most 8 operations"),
    ("load_a", good(a="bf16", tile="[64, 64, 4]"), "must be a multiple of 16 bytes (now 4, limit 8)"),
]
SM80 = "schema: 1\nskeleton: gemm_sm80\ninstances:\n  - {a: bf16, layout: tn, tile: %s, warp: %s, stages: %s%s}\n"
AMPERE = [
    ("unroll", SM80 % ("[128, 64, 48]", "[64, 32]", "3", ""), "unroll=48 must divide tile_k and be a multiple of 16 *"),
    ("tile_k_range", SM80 % ("[128, 64, 40]", "[64, 32]", "3", ""), "tile_k=40 must be a multiple of 16"),
    ("tile_m_warp", SM80 % ("[128, 64, 32]", "[48, 32]", "3", ""), "tile_m=128 must be a multiple of warp_m (48)"),
    ("copy_left", SM80 % ("[160, 160, 32]", "[32, 32]", "3", ""), "divisor of the threads (now 640, limit 800)"),
    ("stages", SM80 % ("[128, 64, 32]", "[64, 32]", "0", ""), "stages=0 must be from 2 to 6"),
    ("stages", SM80 % ("[128, 64, 32]", "[64, 32]", "1", ""), "stages=1 must be from 2 to 6"),
    ("threads", SM80 % ("[48, 176, 16]", "[16, 16]", "3", ", reg_buffers: 1"), "must be at most 1024 (now 1056)"),
    ("tile_n_range", SM80 % ("[128, 0, 32]", "[64, 32]", "3", ""), "tile_n=0 must be a multiple of 16"),
    ("tile_n_range", SM80 % ("[128, -64, 32]", "[64, 32]", "3", ""), "tile_n=-64 must be a multiple of 16"),
    ("reg_buffers", SM80 % ("[128, 64, 96]", "[64, 32]", "3", ", reg_buffers: 3"), "reg_buffers=3 must be 1 or 2"),
]
SM90 = "schema: 1\nskeleton: gemm_sm90\ninstances:\n  - {a: %s, layout: tn, tile: %s, stages: %s%s}\n"
HOPPER = [
    ("schedule", SM90 % ("bf16", "[128, 256, 64]", "4", ", schedule: multistage"), "schedule=multistage must be"),
    ("accumulators", SM90 % ("bf16", "[128, 256, 64]", "4", ", schedule: pingpong"), "(now 316, limit 232)"),
    ("tile_m", SM90 % ("bf16", "[192, 64, 64]", "4", ", schedule: pingpong"), "tile_m=192 must be 64 or 128"),
    ("cluster_m", SM90 % ("bf16", "[128, 256, 64]", "4", ", cluster: [3, 1]"), "cluster_m=3 must be"),
    ("smem", SM90 % ("bf16", "[128, 256, 64]", "8", ""), "must be at most 232448 bytes"),
    ("type_a", SM90 % ("f32", "[128, 256, 64]", "2", ""), "a=f32 must be bf16 or f16"),
    ("tile_k", SM90 % ("bf16", "[128, 256, 48]", "4", ""), "tile_k=48 must be a multiple of 64"),
    ("tile_n", SM90 % ("bf16", "[128, 250, 64]", "4", ""), "tile_n=250 must be a multiple of 8"),
    ("producer_regs", SM90 % ("bf16", "[128, 256, 64]", "4", ", regs: [41, 232]"), "producer_regs=41 must be"),
]


@pytest.mark.parametrize(("rule", "entry", "sentence"), SIMT, ids=[f"{i}-{case[0]}" for i, case in enumerate(SIMT)])
def test_simt(rule, entry, sentence, write, cli):
    path = write(entry)
    result = cli("check", path)
    assert result.code == 1 and result.out == ""
    lines = [line for line in result.err.splitlines() if f": {rule}: " in line]
    assert lines and lines[0].startswith(f"{path}:4:") and ": gemm_simt_" in lines[0], result.err
    assert sentence in lines[0] and "; " in lines[0], result.err  # what is wrong; what to change


@pytest.mark.parametrize(("rule", "text", "sentence"), AMPERE + HOPPER,
                         ids=[f"{i}-{case[0]}" for i, case in enumerate(AMPERE + HOPPER)])
def test_tensor_cores(rule, text, sentence, write, cli):
    result = cli("check", write(text=text))
    assert result.code == 1
    assert any(f": {rule}: " in line and sentence in line for line in result.err.splitlines()), result.err


def test_position_is_that_of_the_number(write, cli):
    entry = good(tile="[64, 60, 8]")
    path = write(entry)
    assert f"{path}:4:{entry.index('60') + 5}: gemm_simt" in cli("check", path).err
    path.write_text(path.read_text().replace("instances:", "defaults: {min_blocks: 9}\ninstances:"))
    assert f"{path}:3:24: gemm_simt" in cli("check", path).err


def test_generate_refuses_also_what_is_not_selected(write, cli, tmp_path):
    path = write(GOOD, good(stages="0"))
    result = cli("generate", "--instances", path, "--out", tmp_path / "out", "--select", GOOD_NAME)
    assert result.code == 1 and "stages=0 must be" in result.err and not (tmp_path / "out").exists()


def test_numbers(write, include):
    inputs = Inputs.find(include, [write(GOOD)])
    numbers = Probe(inputs, None).run(inputs.load())[GOOD_NAME]
    assert numbers.threads == 128 and numbers.failed == () and numbers.smem_bytes > 0 and numbers.align == (4, 4, 4, 4)


def test_cache_answers_only_the_same_question(write, include, tmp_path, monkeypatch):
    cache = tmp_path / "cache" / "probe.json"
    inputs = Inputs.find(include, [write(GOOD)])
    probe = Probe(inputs, cache)
    first = probe.run(inputs.load())
    probe.remember()
    asked = []
    monkeypatch.setattr(Probe, "_compile_and_run", lambda self, program, compiler: asked.append(program) or "")
    assert Probe(inputs, cache).run(inputs.load()) == first and not asked
    monkeypatch.setattr(Probe, "_hash", lambda self, compiler: "another header")
    with pytest.raises(KeyError):
        Probe(inputs, cache).run(inputs.load())
    assert len(asked) == 1
    cache.write_text("{broken")
    with pytest.raises(KeyError):
        Probe(inputs, cache).run(inputs.load())


def test_probe_that_does_not_compile(write, include, tmp_path):
    import shutil

    broken = tmp_path / "include"
    shutil.copytree(include / "catlass_c", broken / "catlass_c")
    (broken / "catlass_c" / "check" / "gemm_simt.h").write_text("#error nothing here\n")
    inputs = Inputs.find(broken, [write(GOOD)])
    with pytest.raises(CodegenError, match="(?s)the probe does not compile.*instances/gemm_simt.yaml:4|nothing here"):
        Probe(inputs, None).run(inputs.load())


def test_no_compiler(write, include, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    inputs = Inputs.find(include, [write(GOOD)])
    with pytest.raises(CodegenError, match="no C compiler found"):
        Probe(inputs, None).run(inputs.load())
