# SPDX-License-Identifier: Apache-2.0
"""The generated folder: what is in it, that it compiles, and that it changes only where its input does."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from catlass_c import generation, output
from catlass_c.errors import CodegenError
from catlass_c.hashing import fnv1a_32, fnv1a_64
from catlass_c.instances import Inputs
from catlass_c.render import Renderer
from conftest import GOOD, GOOD_NAME, ROOT, good

TEMPLATES = ROOT / "codegen" / "templates"
STRICT = ["-Wall", "-Wextra", "-Werror", "-I", str(ROOT / "include")]


@pytest.fixture
def generate(include, tmp_path):
    def generate(path, renderer=None, epilogues=(), out="out", **fields):
        target = generation.Target(tmp_path / out, **{"select": "all", **fields})
        generation.generate(Inputs.find(include, [path], epilogues), target, renderer)
        return target.out

    return generate


def contents(folder):
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in folder.rglob("*") if path.is_file()}


def test_golden(write, generate):
    name = f"{GOOD_NAME}_bias_gelu"
    out = generate(write(good(epilogue="[bias, gelu]")), backends=("host", "cuda"))
    assert (out / "params" / f"{name}.h").read_text() == f"""\
/* generated from instances/gemm_simt.yaml:4, do not edit */
#include "catlass_c/epilogue/bias.h"
#include "catlass_c/epilogue/gelu.h"
#define CATC_P_NAME {name}
#define CATC_P_NAME_STRING "{name}"
#define CATC_P_SOURCE "instances/gemm_simt.yaml:4"
#define CATC_P_TYPE_A f32
#define CATC_P_TYPE_B f32
#define CATC_P_TYPE_ACC f32
#define CATC_P_TYPE_D f32
#define CATC_P_LAYOUT tn
#define CATC_P_TILE_M 64
#define CATC_P_TILE_N 64
#define CATC_P_TILE_K 8
#define CATC_P_WARP_M 32
#define CATC_P_WARP_N 32
#define CATC_P_THREAD_M 8
#define CATC_P_THREAD_N 4
#define CATC_P_STAGES 2
#define CATC_P_SCHEDULE simt
#define CATC_P_SWAP 0
#define CATC_P_UNROLL 8
#define CATC_P_MIN_BLOCKS 1
#define CATC_P_N_EPI 2
#define CATC_P_EPI_LIST(X) X(0, bias, COL, f32) X(1, gelu, NONE, none)
#line 4 "instances/gemm_simt.yaml"
#include "catlass_c/skeleton/gemm_simt.skel.h"
"""
    bucket = f"gemm_simt-b-{generation.bucket(name):02d}"
    for extension in ("c", "cu"):
        assert (out / f"{bucket}.{extension}").read_text().splitlines()[1:] == [f'#include "params/{name}.h"']
    cmake = (out / "instances.cmake").read_text()
    here = "${CMAKE_CURRENT_LIST_DIR}"
    assert f'set(CATC_GEN_BUCKETS_gemm_simt_host\n    "{here}/{bucket}.c"\n)\n' in cmake
    assert f'set(CATC_GEN_BUCKETS_gemm_simt_cuda\n    "{here}/{bucket}.cu"\n)\n' in cmake
    content = json.loads((out / "instances.json").read_text())
    assert content["built"] == content["total"] == 1 and content["backends"] == ["host", "cuda"]
    assert content["instances"][0]["threads"] == 128
    assert set(content["files"]) == set(contents(out)) - {"probe.json"}


def test_second_run_writes_nothing(write, generate):
    path = write(good(layout="[tn, nt]"), good(epilogue="[[bias], [amax]]"))
    before = contents(generate(path))
    assert contents(generate(path)) == before
    assert {name: data for name, (data, _) in contents(generate(path, out="other")).items()} == {
        name: data for name, (data, _) in before.items()}


def test_one_more_line_touches_one_bucket(write, generate):
    lines = [good(layout="[tn, tt, nn, nt]", epilogue="[[], [bias], [bias, gelu], [relu], [amax], [add, mul]]")]
    before = contents(generate(write(*lines)))
    after = contents(generate(write(*lines, good(stages="3"))))
    changed = {name for name in after if after[name] != before.get(name) and name.endswith((".c", ".h"))}
    name = GOOD_NAME.replace("_s2_", "_s3_")
    assert changed == {f"params/{name}.h", f"gemm_simt-b-{generation.bucket(name):02d}.c", "registry.c",
                       "include/catlass_c/instances.h"}


def test_orphans_go_and_other_files_stay(write, generate):
    out = generate(write(good(layout="[tn, nt]")))
    (out / "mine.txt").write_text("kept")
    (out / "params" / "mine.h").write_text("kept")
    assert len(list((out / "params").glob("gemm*"))) == 2
    generate(write(GOOD))
    assert [path.name for path in (out / "params").glob("gemm*")] == [f"{GOOD_NAME}.h"]
    assert (out / "mine.txt").exists() and (out / "params" / "mine.h").exists()
    assert len(list(out.glob("gemm_simt-b-*"))) == 1


def test_deleted_file_comes_back(write, generate):
    path = write(GOOD)
    out = generate(path)
    before = (out / "registry.c").read_text()
    (out / "registry.c").unlink()
    generate(path)
    assert (out / "registry.c").read_text() == before


def test_failure_leaves_the_last_result(write, generate):
    before = contents(generate(write(GOOD)))
    with pytest.raises(CodegenError):
        generate(write(good(tiles="1")))
    with pytest.raises(CodegenError):
        generate(write(good(stages="0")))
    assert contents(generate(write(GOOD))) == before


@pytest.mark.parametrize("template", ["params.h.j2", "bucket.j2", "registry.c.j2", "instances.h.j2", "operations.h.j2",
                                      "instances.cmake.j2", "probe.c.j2"])
def test_undefined_name_in_a_template(template, write, generate, tmp_path):
    folder = tmp_path / "templates"
    shutil.copytree(TEMPLATES, folder)
    lines = (folder / template).read_text().splitlines()
    (folder / template).write_text("\n".join([*lines[:1], "{{ nothing.here }}", *lines[1:]]) + "\n")
    with pytest.raises(CodegenError) as refused:
        generate(write(GOOD), Renderer(folder))
    assert str(refused.value) == f"{folder / template}:2: 'nothing' is undefined"
    assert not (tmp_path / "out").exists()


def test_template_with_a_renamed_field(write, generate, tmp_path):
    folder = tmp_path / "templates"
    shutil.copytree(TEMPLATES, folder)
    path = folder / "params.h.j2"
    path.write_text(path.read_text().replace("instance.c_name", "instance.cname"))
    with pytest.raises(CodegenError, match=r"params.h.j2:\d+: .*has no attribute 'cname'"):
        generate(write(GOOD), Renderer(folder))


def test_broken_template(write, generate, tmp_path):
    folder = tmp_path / "templates"
    shutil.copytree(TEMPLATES, folder)
    (folder / "bucket.j2").write_text("{% for x in %}")
    with pytest.raises(CodegenError, match="bucket.j2:1: "):
        generate(write(GOOD), Renderer(folder))
    (folder / "bucket.j2").unlink()
    with pytest.raises(CodegenError, match="bucket.j2: the template is missing"):
        generate(write(GOOD), Renderer(folder))


def test_templates_are_short_and_hold_no_logic():
    for path in TEMPLATES.glob("*.j2"):
        text = path.read_text()
        assert text.count("\n") < 40, path.name
        assert set(re.findall(r"{%-?\s*(\w+)", text)) <= {"for", "endfor"}, path.name
        assert all(re.fullmatch(r"[\w.]+", inside.strip()) for inside in re.findall(r"{{(.*?)}}", text)), path.name


def test_no_half_file(write, generate, monkeypatch, tmp_path):
    import os

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CodegenError, match="cannot be written: No space left on device"):
        output.replace(tmp_path / "x.c", "text")
    assert not list(tmp_path.glob("*x.c*"))


def test_cmake_reads_every_variable_that_is_written(write, generate):
    cmake = (generate(write(GOOD), backends=("host",)) / "instances.cmake").read_text()
    scripts = "".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"),
                                                    *(ROOT / "tests").glob("**/CMakeLists.txt")])
    names = re.findall(r"^set\(CATC_GEN_(\w+)", cmake, re.MULTILINE)
    # those that a target does not have are set too, to nothing
    assert {"INSTANCES_cuda", "BUCKETS_gemm_simt_cuda"} < set(names)
    for name in names:
        read = re.sub("_(host|cuda)$", "_${backend}", name.replace("gemm_simt", "${skeleton}"))
        assert re.search(rf"\bCATC_GEN_({re.escape(name)}|{re.escape(read)})(?!\w)", scripts), name


def test_compiles(write, generate, tmp_path, c_compiler):
    path = write(good(layout="[tn, nt]"), good(epilogue="[[bias], [amax], [tap.bf16, gelu]]"))
    out = generate(path, backends=("host",))
    compile_c = [*c_compiler, "-std=gnu11", "-Wc++-compat", *STRICT, "-c"]
    subprocess.run([*compile_c, str(out / "registry.c"), "-o", str(tmp_path / "registry.o")], check=True)
    source = tmp_path / "use.c"
    source.write_text('#include "catlass_c/instances.h"\n#include "catlass_c/operations.h"\n'
                      "const void *here(void);\n"
                      f"const void *here(void) {{ return &catc_{GOOD_NAME}_host_instance; }}\n"
                      "unsigned here_op = CATC_OP_GELU;\n")
    headers = ["-I", str(out / "include")]
    subprocess.run([*compile_c, *headers, str(source), "-o", str(tmp_path / "use.o")], check=True)


def test_headers_compile_as_cxx(write, generate, tmp_path, cxx_compiler):
    out = generate(write(good(layout="[tn, nt]")))
    source = tmp_path / "use.cpp"
    source.write_text('#include "catlass_c/instances.h"\n#include "catlass_c/operations.h"\n'
                      f"const void *here() {{ return &catc_{GOOD_NAME}_host_instance; }}\n"
                      "unsigned here_op = CATC_OP_GELU;\n")
    subprocess.run([*cxx_compiler, "-std=c++11", *STRICT, "-I", str(out / "include"), "-c", str(source), "-o",
                    str(tmp_path / "use.o")], check=True)


def test_registry_keys_are_those_of_the_library(tmp_path, write, generate, c_compiler):
    """Group keys of the generated table against catc_gemm_key, and ids against catc_op_id, as C computes them."""
    assert fnv1a_32("") == 0x811C9DC5 and fnv1a_32("foobar") == 0xBF9CF968
    assert fnv1a_64("") == 0xCBF29CE484222325 and fnv1a_64("foobar") == 0x85944171F73967E8
    out = generate(write(good(d="bf16", layout="nt", epilogue="[bias.f32, scale, tap, gelu, amax]")))
    source = tmp_path / "key.c"
    source.write_text("""
#include "catlass_c/detail/registry_impl.h"
#include "catlass_c/operations.h"
#include <stdio.h>
int main(void)
{
    static const char *const names[] = {"bias", "scale", "tap", "gelu", "amax"};
    static const uint32_t ops[] = {CATC_OP_BIAS, CATC_OP_SCALE, CATC_OP_TAP, CATC_OP_GELU, CATC_OP_AMAX};
    for (int i = 0; i < 5; ++i) {
        if (catc_op_id(names[i]) != ops[i]) {
            return 1;
        }
    }
    printf("{0x%016llxull, 0, 1}",
           (unsigned long long)catc_gemm_key(CATC_F32, CATC_F32, CATC_F32, CATC_BF16, CATC_NT, 5, ops));
    return 0;
}
""")
    program = tmp_path / "key"
    subprocess.run([*c_compiler, "-std=gnu11", "-I", str(ROOT / "include"), "-I", str(out / "include"), str(source),
                    "-o", str(program)], check=True)
    key = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    assert key in (out / "registry.c").read_text()


def test_groups_are_sorted_and_whole(write, generate):
    out = generate(write(good(layout="[tn, nt]", stages="[2, 3, 4]", epilogue="[[], [bias], [gelu]]")))
    registry = (out / "registry.c").read_text()
    groups = re.findall(r"{0x([0-9a-f]{16})ull, (\d+), (\d+)}", registry)
    assert [key for key, _, _ in groups] == sorted(key for key, _, _ in groups) and len(groups) == 6
    assert [int(first) for _, first, _ in groups] == [0, 3, 6, 9, 12, 15] and {n for *_, n in groups} == {"3"}


def test_target_of_a_user(write, generate, tmp_path, c_compiler):
    ops = tmp_path / "my ops"
    ops.mkdir()
    (ops / "clip.h").write_text('#include "catlass_c/epilogue/op.h"\nCATC_EPI_OP(clip, SCALAR)\n')
    out = generate(write(good(epilogue="[bias, clip]")), epilogues=[ops], prefix="mine_", name="mine")
    assert '#include "clip.h"\n' in (out / "params" / f"{GOOD_NAME}_bias_clip.h").read_text()
    assert "CATC_OP_CLIP" in (out / "include" / "mine" / "operations.h").read_text()
    registry = (out / "registry.c").read_text()
    assert f"mine_{GOOD_NAME}_bias_clip_host_instance" in registry and "catc_library_registry()" in registry
    assert "const struct catc_registry *mine_registry(void);" in (out / "include" / "mine" / "instances.h").read_text()
    subprocess.run([*c_compiler, "-std=gnu11", "-Wc++-compat", *STRICT, "-c", str(out / "registry.c"), "-o",
                    str(tmp_path / "registry.o")], check=True)


@pytest.mark.parametrize(("fields", "message"), [
    ({"prefix": "mine", "name": "mine"}, "--prefix: 'mine' must be a C identifier that ends in _"),
    ({"prefix": "a-b_", "name": "mine"}, "--prefix: 'a-b_'"),
    ({"prefix": "mine_", "name": "my lib"}, "--name: 'my lib' must be a C identifier"),
    ({"prefix": "mine_"}, "--prefix and --name go together"),
    ({"backends": ("hots",)}, "--backends: 'hots' is unknown; did you mean 'host'?"),
])
def test_target_that_is_refused(fields, message, write, generate):
    with pytest.raises(CodegenError, match=re.escape(message)):
        generate(write(GOOD), **fields)


def test_cuda_instances_follow_the_targets(write, generate):
    simt = write(GOOD)
    write(text="schema: 1\nskeleton: gemm_sm90\ninstances:\n"
          "  - {a: bf16, layout: tn, tile: [128, 256, 64], stages: 4}\n", name="gemm_sm90.yaml")
    both = ("host", "cuda")
    hopper = "gemm_sm90_bf16_bf16_f32_bf16_tn_128x256x64_s4_cooperative"
    for archs, names in ((("80", "90", "90a"), {GOOD_NAME, hopper}), (("80",), {GOOD_NAME}), (("90a",), {hopper})):
        content = json.loads((generate(simt.parent, backends=both, archs=archs) / "instances.json").read_text())
        assert {one["name"] for one in content["instances"] if "cuda" in one["backends"]} == names
        assert all("host" in one["backends"] for one in content["instances"])
    registry = (generate(simt.parent, backends=both, archs=()) / "registry.c").read_text()
    assert "CATC_CUDA" not in registry and "CATC_HOST" in registry


def test_paths_with_spaces_and_no_machine_paths(generate, tmp_path):
    folder = tmp_path / "my instances"
    folder.mkdir()
    (folder / "a b.yaml").write_text(f"schema: 1\nskeleton: gemm_simt\ninstances:\n  - {GOOD}\n")
    out = generate(folder)
    assert '#line 4 "my instances/a b.yaml"' in (out / "params" / f"{GOOD_NAME}.h").read_text()
    assert all(str(tmp_path).encode() not in data for name, (data, _) in contents(out).items() if name != "probe.json")


@pytest.mark.parametrize(("folder", "file"), [
    ("a", 'b".yaml'), ("a", "b\\.yaml"), ("a", "b\n.yaml"), ("a", "*b.yaml"), ("a*", "b.yaml"), ('"', "b.yaml"),
    ("a", b"b\xff.yaml"),
])
def test_path_that_c_could_not_hold(folder, file, generate, tmp_path):
    import os

    path = tmp_path / folder / os.fsdecode(file)
    path.parent.mkdir()
    path.write_text(f"schema: 1\nskeleton: gemm_simt\ninstances:\n  - {GOOD}\n")
    with pytest.raises(CodegenError) as refused:
        generate(path)
    assert str(refused.value) == (
        f"{str(path)!r}: generated C names this file and its folder, and a quote, backslash, * or control character "
        "would break it; rename the file or folder")
    assert not (tmp_path / "out").exists()


def test_library_instances_of_the_default_set(include, tmp_path):
    inputs = Inputs.find(include, [ROOT / "instances"])
    out = tmp_path / "out"
    result = generation.generate(inputs, generation.Target(out, backends=("host",)))
    used = {p.operation.name for instance in result.built for p in instance.chain}
    assert used >= {"bias", "bias_row", "scale_col", "scale_row", "scale", "add", "mul", "gelu", "gelu_tanh", "relu",
                    "tap", "amax", "causal", "silu", "sigmoid", "tanh", "clamp", "leaky_relu", "hard_swish",
                    "relu_squared", "mask"}
    assert 20 <= len(result.built) <= 60 and any(instance.config.swap for instance in result.built)


def test_module_runs_without_installation(tmp_path):
    ran = subprocess.run([sys.executable, "-m", "catlass_c", "--help"], cwd=ROOT / "codegen", capture_output=True,
                         text=True, check=False)
    assert ran.returncode == 0 and "Usage: catlass-c" in ran.stdout and ran.stderr == ""
