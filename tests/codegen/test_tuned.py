# SPDX-License-Identifier: Apache-2.0
"""Tuned tables: what is read, what is refused with a position, what is dropped with a warning, what C sees of it."""

import json
import re
import shutil
import subprocess

import pytest
from catlass_c import generation
from catlass_c.errors import CodegenError
from catlass_c.instances import Inputs
from catlass_c.render import Renderer
from conftest import GOOD, GOOD_NAME, ROOT, good

HEAD = "schema: 1\ndevice: h200\nsms: 132\ncc: 90\nentries:\n"
THREE = GOOD_NAME.replace("_s2_", "_s3_")


def entry(m=64, n=64, k=64, instance=GOOD_NAME, **more):
    fields = {"m": m, "n": n, "k": k, "instance": instance, **more}
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items() if value is not None) + "}"


@pytest.fixture
def measure(tmp_path):
    """Write instances/tuned/<name> with `entries`, or with `text` alone."""

    def measure(*entries, text=None, name="h200.yaml", head=HEAD):
        path = tmp_path / "instances" / "tuned" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text is not None else head + "".join(f"  - {line}\n" for line in entries))
        return path

    return measure


@pytest.fixture
def generate(include, tmp_path):
    """The result and the text of registry.c."""

    def generate(tuned=(), **fields):
        target = generation.Target(tmp_path / "out", **{"select": "all", **fields})
        result = generation.generate(Inputs.find(include, [tmp_path / "instances"], tuned=tuned), target)
        return result, (target.out / "registry.c").read_text()

    return generate


def rows(registry, array):
    """Initialisers of an array of registry.c."""
    body = re.search(rf"\b{array}\[\] = {{\n(.*?)^}};", registry, re.DOTALL | re.MULTILINE)
    return body.group(1).splitlines() if body else None


def refused(measure, generate, *entries, **file):
    path = measure(*entries, **file)
    with pytest.raises(CodegenError) as error:
        generate()
    return str(error.value).replace(str(path), "FILE")


def test_table_of_both_backends(write, measure, generate):
    write(good(stages="[2, 3]"))
    measure(entry(512, 512, 512, THREE, microseconds=12.5, samples=30, record="run-7/a.json"), entry(64, 128, 32),
            entry(64, 64, 64, batch=8), entry(8, 64, 64, microseconds=3))
    result, registry = generate(backends=("host", "cuda"))
    assert result.tuned == 4 and result.warnings == ()
    for backend in ("host", "cuda"):
        assert rows(registry, f"tuned_{backend}") == [f'    {{"h200", 132, 90, tuned_{backend}_0, 4}},']
        key = re.search(r"0x[0-9a-f]{16}ull", "".join(rows(registry, f"groups_{backend}"))).group()
        two, three = (f"&catc_{name}_{backend}_instance" for name in (GOOD_NAME, THREE))
        assert rows(registry, f"tuned_{backend}_0") == [
            f"    {{{key}, 8, 64, 64, 1, {two}}}, /* tuned/h200.yaml:9, microseconds 3 */",
            f"    {{{key}, 64, 64, 64, 8, {two}}}, /* tuned/h200.yaml:8 */",
            f"    {{{key}, 64, 128, 32, 1, {two}}}, /* tuned/h200.yaml:7 */",
            f"    {{{key}, 512, 512, 512, 1, {three}}}, "
            "/* tuned/h200.yaml:6, microseconds 12.5, samples 30, record run-7/a.json */"]
        assert f"    .tuned[CATC_{backend.upper()}] = {{tuned_{backend}, 1}},\n" in registry
    result, registry = generate(backends=("host", "cuda"), archs=("90a",))  # nvcc builds none of these
    assert "tuned_cuda" not in registry and rows(registry, "tuned_host")


def test_sorted_by_key_as_the_groups(write, measure, generate):
    write(good(layout="[tn, nt, nn]", epilogue="[[], [bias], [gelu]]"))
    names = [GOOD_NAME.replace("_tn_", f"_{layout}_") + chain for layout in ("tn", "nt", "nn")
             for chain in ("", "_bias", "_gelu")]
    measure(*(entry(m, instance=name) for m in (64, 32) for name in names))
    _, registry = generate()
    keys = re.findall(r"{(0x[0-9a-f]{16})", "".join(rows(registry, "tuned_host_0")))
    assert len(keys) == 18 and keys == sorted(keys)
    assert sorted(set(keys)) == re.findall(r"{(0x[0-9a-f]{16})", "".join(rows(registry, "groups_host")))


def test_without_measurements_nothing_is_emitted(write, generate):
    write(GOOD)
    result, registry = generate()
    assert result.tuned == 0 and "tuned" not in registry


def test_devices_are_kept_apart_and_files_of_one_joined(write, measure, generate):
    write(GOOD)
    measure(entry(64))
    measure(entry(32), name="h200_more.yaml")
    measure(entry(64), name="h200_part.yaml", head=HEAD.replace("132", "60"))
    measure(entry(64), name="a100.yaml", head=HEAD.replace("h200", "a100").replace("132", "108").replace("90", "80"))
    result, registry = generate()
    assert result.tuned == 4
    assert rows(registry, "tuned_host") == ['    {"a100", 108, 80, tuned_host_0, 1},',
                                            '    {"h200", 60, 90, tuned_host_1, 1},',
                                            '    {"h200", 132, 90, tuned_host_2, 2},']


def test_unknown_instance_is_a_warning(write, measure, cli, tmp_path):
    write(GOOD)
    path = measure(entry(), entry(32, instance="gemm_simt_gone"))
    result = cli("generate-build", "--instances", path.parent.parent, "--out", tmp_path / "out", "--select", "all")
    assert result.code == 0 and "1 tuned entries" in result.out
    column = (path.read_text().splitlines()[6]).index("gemm_simt_gone") + 1
    assert result.err.splitlines() == [
        f"{path}:7:{column}: entry 2: instance: warning: 'gemm_simt_gone' is no instance (renamed or removed); "
        "the entry is ignored"]


def test_left_out_instances_are_one_warning(write, measure, generate):
    write(good(default="true"), good(stages="3"))
    path = measure(entry(), entry(32, instance=THREE), entry(16, instance=THREE))
    result, registry = generate(select="default")
    assert result.warnings == (f"{path}: 2 of 3 entries name instances that this build leaves out; they are ignored",)
    assert result.tuned == 1 and THREE not in registry
    path = measure(entry(32, instance=THREE))
    result, registry = generate(select="default")
    assert result.tuned == 0 and "tuned" not in registry


@pytest.mark.parametrize(("text", "message"), [
    ("", "FILE:1:1: the file is empty"),
    ("just words", "FILE:1:1: must be a mapping"),
    ("a: [", "FILE:2:1: not valid YAML: "),
    (HEAD.replace("schema: 1\n", "") + f"  - {entry()}\n", "FILE:1:1: schema: is missing"),
    (HEAD.replace("schema: 1", "schema: 2") + f"  - {entry()}\n", "FILE:1:9: schema: 2 is newer than 1"),
    (HEAD.replace("schema: 1", "schema: one") + f"  - {entry()}\n", "FILE:1:9: schema: must be the whole number 1"),
    (HEAD.replace("h200", "132") + f"  - {entry()}\n", "FILE:2:9: device: must be the short name of a GPU"),
    (HEAD.replace("h200", "'a\"b'") + f"  - {entry()}\n", "FILE:2:9: device: must be the short name of a GPU"),
    (HEAD.replace("device: h200\n", "") + f"  - {entry()}\n", "FILE:1:1: device: is missing"),
    (HEAD.replace("132", "0") + f"  - {entry()}\n", "FILE:3:6: sms: must be its multiprocessors"),
    (HEAD.replace("90", "9.0") + f"  - {entry()}\n", "FILE:4:5: cc: must be its compute capability times 10"),
    (HEAD.replace("entries:\n", ""), "FILE:1:1: entries: is missing"),
    (HEAD + "  []\n", "FILE:6:3: entries: must be a list with at least one entry"),
    (HEAD.replace("sms", "smss") + f"  - {entry()}\n", "FILE:3:1: smss: unknown key; did you mean 'sms'?"),
])
def test_file_that_is_refused(text, message, write, measure, generate):
    write(GOOD)
    assert message in refused(measure, generate, text=text)


@pytest.mark.parametrize(("line", "message"), [
    ("64", "FILE:6:5: entry 1: must be a mapping of fields"),
    (entry(m=None), "FILE:6:5: entry 1: m: is missing; a whole number from 1"),
    (entry(instance=None), "FILE:6:5: entry 1: instance: is missing; the name of an instance"),
    (entry(m=0), "FILE:6:9: entry 1: m: must be a whole number from 1 to 1099511627776; not 0"),
    (entry(m=-1), "m: must be a whole number from 1 to 1099511627776; not -1"),
    (entry(m=1.5), "m: must be a whole number from 1 to 1099511627776; not 1.5"),
    (entry(m="true"), "m: must be a whole number from 1 to 1099511627776; not true"),
    (entry(m=1 << 41), "m: must be a whole number"),
    (entry(batch=0), "batch: must be a whole number from 1"),
    (entry(instance=7), "instance: must be the name of an instance; not 7"),
    (entry(microsecond=1), "entry 1: microsecond: unknown field; did you mean 'microseconds'?"),
    (entry(microseconds=0), "microseconds: must be a time above 0, such as 101.5; not 0"),
    (entry(microseconds=-1.5), "microseconds: must be a time above 0"),
    (entry(microseconds=".nan"), "microseconds: must be text, a whole decimal number"),
    (entry(microseconds=".inf"), "microseconds: must be text, a whole decimal number"),
    (entry(microseconds="1.0e+999"), "microseconds: must be a time above 0"),
    (entry(microseconds="fast"), "microseconds: must be a time above 0"),
    (entry(samples=0), "samples: must be the number of measurements"),
    (entry(record="'*/ x'"), "record: must be the name of a record"),
])
def test_entry_that_is_refused(line, message, write, measure, generate):
    write(GOOD)
    assert message in refused(measure, generate, line)


def test_all_problems_are_reported_and_nothing_is_written(write, measure, generate, tmp_path):
    write(GOOD)
    measure(entry(m=0), name="a.yaml")
    text = refused(measure, generate, entry(m=0, n=0), entry(k=0))
    assert text.count("must be a whole number") == 4
    assert not (tmp_path / "out").exists()


def test_contradictions(write, measure, generate):
    write(good(stages="[2, 3]"), good(epilogue="[[bias], [bias.bf16]]"))
    assert "has the sizes, types and chain of the entry at FILE:6:5; keep one of them" in refused(
        measure, generate, entry(), entry(instance=THREE))
    measure(entry(), entry(batch=2), entry(m=63))
    measure(entry(), name="z.yaml")
    with pytest.raises(CodegenError, match=r"z.yaml:6:5: .* of the entry at .*h200.yaml:6:5"):
        generate()
    # operand types are no part of the key, but these are two problems
    measure(entry(instance=f"{GOOD_NAME}_bias"), entry(instance=f"{GOOD_NAME}_bias.bf16"), name="z.yaml")
    assert generate()[0].tuned == 5


def test_undefined_name_in_the_template(write, measure, include, tmp_path):
    write(GOOD)
    measure(entry())
    folder = tmp_path / "templates"
    shutil.copytree(ROOT / "codegen" / "templates", folder)
    (folder / "tuned.c.j2").write_text("{{ nothing.here }}\n")
    with pytest.raises(CodegenError, match=r"tuned.c.j2:1: 'nothing' is undefined"):
        generation.generate(Inputs.find(include, [tmp_path / "instances"]),
                            generation.Target(tmp_path / "out", select="all"), Renderer(folder))
    assert not (tmp_path / "out").exists()


def test_explicit_files(write, measure, generate, tmp_path):
    write(GOOD)
    path = measure(entry())
    other = tmp_path / "mine.yaml"
    other.write_text(path.read_text().replace("h200", "h100"))
    assert '"h100"' in generate([other])[1] and '"h200"' not in generate([other])[1]
    assert generate([path.parent])[0].tuned == 1
    with pytest.raises(CodegenError, match="none.yaml: no such file or folder of measurements"):
        generate([tmp_path / "none.yaml"])
    path.unlink()
    path.mkdir()
    with pytest.raises(CodegenError, match="h200.yaml:1:1: cannot be read: Is a directory"):
        generate()


def test_instances_folder_does_not_take_them_for_instances(write, measure, cli):
    path = write(GOOD)
    measure(entry())
    result = cli("list", "--instances", path.parent)
    assert result.code == 0 and result.out.split()[0] == GOOD_NAME


def test_compiles_for_the_library_and_for_a_user(write, measure, generate, tmp_path, c_compiler):
    write(good(stages="[2, 3]"))
    measure(entry(1 << 40, 1 << 40, 1 << 40), entry(instance=THREE))
    for fields in ({}, {"prefix": "mine_", "name": "mine"}):
        _, registry = generate(backends=("host", "cuda"), **fields)
        assert f"&{fields.get('prefix', 'catc_')}{THREE}_cuda_instance" in "".join(rows(registry, "tuned_cuda_0"))
        subprocess.run([*c_compiler, "-std=gnu11", "-Wall", "-Wextra", "-Wc++-compat", "-Werror", "-I",
                        str(ROOT / "include"), "-c", str(tmp_path / "out" / "registry.c"), "-o",
                        str(tmp_path / "registry.o")], check=True)


CHECKED = "FILE: tuned: 2 entries of known instances\n"


def test_check(write, measure, cli, tmp_path):
    instances = write(GOOD)
    path = measure(entry(), entry(32))
    # the instances of the folder above, of the files given beside it, of the folder given as a whole
    result = cli("check", path)
    assert (result.code, result.out.replace(str(path), "FILE"), result.err) == (0, CHECKED, "")
    for args in ((path, instances), (instances.parent,)):
        result = cli("check", *args)
        assert result.code == 0 and result.err == ""
        assert result.out.replace(str(path), "FILE") == f"{instances}: 1 instance, all legal\n" + CHECKED
    assert json.loads(cli("check", "--json", path).out) == [{"tuned": str(path), "entries": 2}]
    elsewhere = tmp_path / "mine.yaml"
    elsewhere.write_text(path.read_text())
    assert cli("check", elsewhere, instances).out.endswith(f"{elsewhere}: tuned: 2 entries of known instances\n")
    gone = GOOD_NAME.replace("64x64x8", "64x64x9")
    elsewhere.write_text(path.read_text().replace(GOOD_NAME, gone))
    result = cli("check", elsewhere)  # against the library's instances
    assert result.code == 0 and result.err.count(f"warning: '{gone}' is no instance") == 2
    assert result.out == f"{elsewhere}: tuned: 0 entries of known instances\n"


def test_check_that_is_refused(write, measure, cli):
    write(GOOD)
    path = measure(entry(m=0))
    result = cli("check", path)
    assert result.code == 1 and result.out == "" and result.err.startswith(f"{path}:6:9: entry 1: m: must be")
    path.write_text("schema: [")
    result = cli("check", path)
    assert result.code == 1 and ": not valid YAML" in result.err


@pytest.mark.parametrize("folder", ['a"b', "a*", "a\\b"])
def test_path_that_would_break_a_comment(folder, write, cli, tmp_path):
    place = tmp_path / folder
    place.mkdir()
    (place / "t.yaml").write_text(HEAD + f"  - {entry()}\n")
    result = cli("generate-build", "--instances", write(GOOD), "--tuned", place / "t.yaml", "--out", tmp_path / "out",
                 "--select", "all")
    assert result.code == 1 and "rename the file or folder" in result.err and not (tmp_path / "out").exists()
