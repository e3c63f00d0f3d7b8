# SPDX-License-Identifier: Apache-2.0
"""Bad YAML is refused with file:line:column, instance and field (CG-01, CG-04), and nothing is written."""

import pytest
from conftest import GOOD, GOOD_NAME, HEAD, good

TILE = "entry 1: tile: must be three whole numbers, [M, N, K] of a block's tile; not "
STAGES = "entry 1: stages: must be a whole number, the stages of the pipeline; not "
RANGE = "is out of range; at most 2147483647 (2^31 - 1), because C computes with it as an int"
ENTRY = [  # what, the one entry, the text in it that the position points at, what follows file:line:column
    ("unknown field", good(stagse="3"), "stagse", "entry 1: stagse: unknown field; did you mean 'stages'?"),
    ("misspelt beside the right one", good(tiles="[1, 2, 3]"), "tiles", "entry 1: tiles: unknown field; did you mean "
     "'tile'?"),
    ("missing", good(tile=None), "{", "entry 1: tile: is missing; three whole numbers, [M, N, K] of a block's tile"),
    ("short list", good(tile="[64, 65]"), "[64, 65]", TILE + "[64, 65]"),
    ("long list", good(warp="[64, 64, 9]"), "[64, 64, 9]", "entry 1: warp: must be two whole numbers, [M, N] of"),
    ("text for a number", good(tile='[64, 64, "64"]'), '"64"', TILE + '[64, 64, "64" (text)]'),
    ("text for a number alone", good(stages='"2"'), '"2"', STAGES + '"2" (text)'),
    ("truth for a number", good(stages="true"), "true", STAGES + "true"),
    ("number for a truth", good(swap="17"), "17", "entry 1: swap: must be true or false (true: compute the transposed "
     "problem); not 17"),
    ("mapping for a number", good(stages="{x: 1}"), "{x", STAGES + "a mapping"),
    ("unknown type", good(a="fp32"), "fp32", "entry 1: a: 'fp32' is unknown; did you mean 'f32'?"),
    ("unknown layout", good(layout="xx"), "xx", "entry 1: layout: 'xx' is unknown; known: tn, tt, nn, nt"),
    ("unknown schedule", good(schedule="cooperate"), "cooperate", "entry 1: schedule: 'cooperate' is unknown; did you "
     "mean 'cooperative'?"),
    ("unknown operation", good(epilogue="[bias, gelo]"), "gelo", "entry 1: epilogue: operation 'gelo' is unknown; did "
     "you mean 'gelu'?"),
    ("unknown operand type", good(epilogue="[bias.f23]"), "bias", "entry 1: epilogue: operand type 'f23' of 'bias' is "
     "unknown; did you mean 'f32'?"),
    ("operand type where there is none", good(epilogue="[gelu.f32]"), "gelu", "entry 1: epilogue: operation 'gelu' is "
     "of kind NONE and takes no operand type; write 'gelu'"),
    ("a word for a chain", good(epilogue="bias"), "bias", "entry 1: epilogue: must be a list of operations such as"),
    ("empty list", good(layout="[]"), "[]", "entry 1: layout: is an empty list, which gives no instance"),
    ("a field of another skeleton", good(cluster="[1, 1]"), "cluster", "entry 1: cluster: unknown field"),
    ("twice", GOOD[:-1] + ", stages: 3}", "stages: 3", "stages: is given twice; first at line 4, column "),
    ("no value", good(stages="~"), "~", "stages: has no value; leave the key out for its default"),
    ("octal", good(stages="010"), "010", "stages: must be text, a whole decimal number, true or false, not 010"),
    ("not a whole number", good(stages="2.0"), "2.0", "stages: must be text, a whole decimal number, true or "
     "false, not 2.0"),
    ("more than an int holds", good(tile="[64, 18446744073709551680, 8]"), "18446744073709551680",
     f"entry 1: tile: 18446744073709551680 {RANGE}"),
    ("one more than an int holds", good(stages="2147483648"), "2147483648", f"entry 1: stages: 2147483648 {RANGE}"),
    ("less than an int holds", good(unroll="-2147483648"), "-2147483648", f"entry 1: unroll: -2147483648 {RANGE}"),
    ("thousands of digits", good(stages="9" * 5000), "999", "stages: is a number of 5000 digits; at most 40"),
    ("no mapping", "gemm_simt", "gemm", "entry 1: must be a mapping of fields"),
]


@pytest.mark.parametrize(("entry", "at", "message"), [case[1:] for case in ENTRY], ids=[case[0] for case in ENTRY])
def test_entry(entry, at, message, write, cli):
    path = write(entry)
    result = cli("check", path)
    assert result.code == 1 and result.out == ""
    column = len("  - ") + entry.index(at) + 1
    assert result.err.startswith(f"{path}:4:{column}: {message}"), result.err


FILE = [  # what, text, line:column, message
    ("empty", "", "1:1", "the file is empty; it must start with 'schema: 1'"),
    ("comment only", "# nothing\n", "1:1", "the file is empty"),
    ("list", "- a\n", "1:1", "must be a mapping that starts with 'schema: 1'"),
    ("no schema", "skeleton: gemm_simt\ninstances:\n  - " + GOOD + "\n", "1:1", "schema: is missing"),
    ("newer schema", HEAD.replace("1", "2", 1) + "  - " + GOOD + "\n", "1:9", "schema: 2 is newer than 1"),
    ("schema as text", HEAD.replace("1", "'1'", 1) + "  - " + GOOD + "\n", "1:9", "schema: must be the whole number 1"),
    ("no skeleton", "schema: 1\ninstances:\n  - " + GOOD + "\n", "1:1", "skeleton: is missing; known: gemm_simt"),
    ("unknown skeleton", HEAD.replace("gemm_simt", "gem_simt") + "  - " + GOOD + "\n", "2:11",
     "skeleton: \"gem_simt\" (text) is unknown; did you mean 'gemm_simt'?"),
    ("unknown key", "shema: 1\n" + HEAD + "  - " + GOOD + "\n", "1:1", "shema: unknown key; did you mean 'schema'?"),
    ("no instances", "schema: 1\nskeleton: gemm_simt\n", "1:1", "instances: is missing"),
    ("empty instances", "schema: 1\nskeleton: gemm_simt\ninstances: []\n", "3:12", "instances: must be a list"),
    ("unknown default", HEAD.replace("instances", "defaults: {stage: 2}\ninstances") + "  - " + GOOD + "\n", "3:12",
     "defaults: stage: unknown field; did you mean 'stages'?"),
    ("indented too deep", "schema: 1\nskeleton: gemm_simt\ninstances:\n  - a: f32\n    layout: tn\n      stages: 3\n",
     "6:13", "not valid YAML"),
    ("two documents", "schema: 1\n---\nschema: 1\n", "2:1", "not valid YAML"),
    ("contains itself", "schema: 1\nskeleton: gemm_simt\ninstances: &x [*x]\n", "3:12", "is nested too deeply"),
    ("no UTF-8", None, "1:1", "cannot be read"),
]


@pytest.mark.parametrize(("text", "place", "message"), [case[1:] for case in FILE], ids=[case[0] for case in FILE])
def test_file(text, place, message, write, cli):
    path = write(text=text or "")
    if text is None:
        path.write_bytes(b"schema: \xff\n")
    result = cli("check", path)
    assert result.code == 1 and result.out == ""
    lines = [line for line in result.err.splitlines() if line.startswith(f"{path}:{place}: ")]
    assert lines and any(message in line for line in lines), result.err


@pytest.mark.parametrize("tile", ["[2147483647, 64, 8]", "[65536, 65536, 8]", "[64, 64, 2147483647]"])
def test_largest_numbers_reach_the_rules(tile, write, cli):
    result = cli("check", write(good(tile=tile)))
    assert result.code == 1 and " must be " in result.err and "does not compile" not in result.err, result.err


def test_nested_one_level_too_deep(write, cli):
    path = write(text="schema: 1\nskeleton: gemm_simt\ninstances:\n  - a: f32\n    layout: tn\n    tile:\n"
                 "      stages: 3\n    warp: [32, 32]\n    thread: [8, 4]\n")
    result = cli("check", path)
    assert result.code == 1
    assert f"{path}:7:7: entry 1: tile: must be three whole numbers" in result.err
    assert f"{path}:4:5: entry 1: stages: is missing" in result.err


def test_every_problem_is_said_once(write, cli):
    path = write(good(layout="[tn, tt, nn]", stages='"2"'), good(a="x"))
    result = cli("check", path)
    assert result.code == 1
    assert len(result.err.splitlines()) == 2, result.err


def test_equal_entries_name_both_positions(write, cli):
    path = write(GOOD, good(b="f32", acc="f32", unroll="8", epilogue="[]"))
    result = cli("check", path)
    assert result.code == 1
    assert result.err == f"{path}:5:5: {GOOD_NAME}: is the same instance as the one at {path}:4:5; remove one of them\n"


def test_equal_entries_in_two_files(write, cli):
    first, second = write(GOOD, name="a.yaml"), write(GOOD, name="b.yaml")
    result = cli("check", first, second)
    assert result.code == 1 and f"{second}:4:5: {GOOD_NAME}" in result.err and f"{first}:4:5;" in result.err


def test_product_with_equal_elements(write, cli):
    result = cli("check", write(good(layout="[tn, tn]")))
    assert result.code == 1 and "is the same instance" in result.err


def test_different_warps_have_different_names(write, cli, include):
    path = write(good(tile="[128, 128, 8]", warp="[[64, 32], [32, 64]]", thread="[8, 8]"))
    result = cli("list", "--instances", path)
    assert result.code == 0 and len({line.split()[0] for line in result.out.splitlines()}) == 2


def operation(folder, name, kind="NONE", file=None):
    folder.mkdir(exist_ok=True)
    (folder / (file or f"{name}.h")).write_text(f"CATC_EPI_OP({name}, {kind})\n")


@pytest.mark.parametrize(("names", "chains"), [
    (["bias_f32"], "[[bias.f32], [bias_f32]]"),  # equal as C identifiers
    (["Gelu"], "[[gelu], [Gelu]]"),  # equal where file names have no case
])
def test_names_that_clash_after_cleaning(names, chains, write, cli, tmp_path):
    for name in names:
        operation(tmp_path / "ops", name)
    path = write(good(a="bf16", d="bf16", tile="[64, 64, 16]", epilogue=chains))
    result = cli("list", "--instances", path, "--epilogues", tmp_path / "ops")
    assert result.code == 1 and "clashes with" in result.err and result.err.count(f"{path}:4:5") == 2, result.err


def test_chain_that_reads_like_another(write, cli, tmp_path):
    operation(tmp_path / "ops", "row", "NONE")
    path = write(good(epilogue="[[bias, row], [bias_row]]"))
    result = cli("list", "--instances", path, "--epilogues", tmp_path / "ops")
    assert result.code == 0, result.err
    assert [line.split()[0] for line in result.out.splitlines()] == [f"{GOOD_NAME}__bias__row", f"{GOOD_NAME}_bias_row"]


def test_operation_name_that_would_blur_a_chain(write, cli, tmp_path):
    operation(tmp_path / "ops", "bias__row")
    result = cli("list", "--instances", write(GOOD), "--epilogues", tmp_path / "ops")
    assert result.code == 1 and "single _ between them" in result.err


def test_name_too_long(write, cli):
    result = cli("check", write(good(epilogue="[" + ", ".join(["scale_col"] * 16) + "]")))
    assert result.code == 1 and "the name has 216 characters; at most 200" in result.err


@pytest.mark.parametrize(("name", "kind", "file", "message"), [
    ("swap", "NONE", None, "must not start with swap"),
    ("u4_x", "NONE", None, "must not start with swap"),
    ("_x", "NONE", None, "start with a letter"),
    ("bias", "NONE", None, "is also declared in"),
    ("clip", "COLUMN", None, "kind COLUMN is unknown; did you mean 'COL'"),
    ("clip", "NONE", "other.h", "must be declared in a file of its own name, clip.h"),
])
def test_operations_that_are_refused(name, kind, file, message, write, cli, tmp_path):
    operation(tmp_path / "ops", name, kind, file)
    result = cli("list", "--instances", write(GOOD), "--epilogues", tmp_path / "ops")
    assert result.code == 1 and message in result.err, result.err


def test_huge_product(write, cli):
    numbers = "[" + ", ".join(str(i) for i in range(2, 202)) + "]"
    result = cli("check", write(good(stages=numbers, unroll=numbers)))
    assert result.code == 1 and "expands to 40000 instances" in result.err


def test_missing_file(cli, tmp_path):
    result = cli("check", tmp_path / "no.yaml")
    assert result.code == 1 and result.err == f"{tmp_path / 'no.yaml'}: no such file or folder of instances\n"
