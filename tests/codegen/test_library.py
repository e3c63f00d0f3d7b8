# SPDX-License-Identifier: Apache-2.0
"""The binding to the built library: its table of fields is what the headers say, and `explain` asks it for any GPU."""

import ctypes
import json
import os
import re
from pathlib import Path

import pytest
from catlass_c import library as binding
from catlass_c.errors import CodegenError
from catlass_c.headers import read_tokens
from conftest import ROOT

HEADERS = ("device.h", "registry.h", "ops/gemm.h")
STRUCTS = ("catc_device", "catc_epi_position", "catc_gemm_instance", "catc_epi", "catc_gemm_args", "catc_gemm_plan")
_FOLDER = os.environ.get("CATC_BUILD", "")


@pytest.fixture(scope="module")
def path():
    found = Path(_FOLDER) / "libcatlass_c.so"
    if not _FOLDER or not found.is_file():
        pytest.skip("CATC_BUILD names no build tree with libcatlass_c.so")
    return found


@pytest.fixture(scope="module")
def library(path):
    return binding.Library(path)


def declared(text):
    """{struct: [(name, type), …]} of a header: of an array, the type of one element."""
    found = {}
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for match in re.finditer(r"^struct (?:CATC_ALIGNAS\(\d+\) )?(\w+) \{(.*?)^\};", text, re.DOTALL | re.MULTILINE):
        fields = found.setdefault(match.group(1), [])
        for declaration in " ".join(match.group(2).split()).split(";"):
            base = ""
            for declarator in filter(None, (part.strip() for part in declaration.split(","))):
                before, stars, name = re.fullmatch(r"(.*?)((?:\*(?:const )? *)*)(\w+)(?:\[.*\])?", declarator).groups()
                base = before.strip() or base
                fields.append((name, f"{base} {stars}".strip()))
    return found


def test_parser_of_declarations():
    text = ("struct a {\n    int64_t m, n; /* int x; */\n    const void *a, *b;\n    const void *const *p, *const *q;\n"
            "    void *const *r;\n    struct e epi[N + 1];\n    enum t x;\n};\n")
    assert declared(text) == {"a": [
        ("m", "int64_t"), ("n", "int64_t"), ("a", "const void *"), ("b", "const void *"), ("p", "const void *const *"),
        ("q", "const void *const *"), ("r", "void *const *"), ("epi", "struct e"), ("x", "enum t")]}


def test_table_is_what_the_headers_declare(library):
    """A field that a header has gained, lost, moved or given another type fails here; the fields of a struct fill it
    but for padding."""
    headers = {}
    for header in HEADERS:
        headers.update(declared((ROOT / "include" / "catlass_c" / header).read_text(encoding="utf-8")))
    table = {name: [] for name in STRUCTS}
    for field in library.fields:
        table[field.structure.decode()].append(field)
    assert list(table) == list(STRUCTS)
    for name, fields in table.items():
        *fields, whole = fields
        assert (whole.name, whole.offset) == (b"", 0) and whole.type.decode() == f"struct {name}"
        assert [(field.name.decode(), field.type.decode()) for field in fields] == headers[name], (
            f"struct {name} and its list in detail/abi_impl.h differ")
        end = 0
        for field in fields:
            assert 0 <= field.offset - end < 8, f"{name}.{field.name.decode()}: a gap that is no padding"
            end = field.offset + field.size
        assert 0 <= whole.size - end < 8, f"{name}: ends behind its last field"


def test_structures(library):
    args = library.gemm_args()
    assert len(args.epi) == 8 and args.epi[7].op == 0 and args.a is None
    args.epi[7].b = 2.5
    args.d_array = 4096
    whole = next(field for field in library.fields if field.structure == b"catc_gemm_args" and not field.name)
    assert ctypes.sizeof(args) == whole.size
    args.m = 1 << 40
    assert (args.m, args.n, args.epi[7].b, args.d_array) == (1 << 40, 0, 2.5, 4096)


def test_words_are_those_of_the_headers(library, include):
    tokens = read_tokens(include)
    assert tuple(library.types) == tokens.types and tuple(library.layouts) == tokens.layouts
    assert tuple(library.backends) == tokens.backends
    assert library.version() == re.search('CATC_VERSION_STRING "(.*)"',
                                          (include / "catlass_c" / "base.h").read_text()).group(1)


def field(structure, name, type_, offset, size):
    return binding._Field(structure.encode(), name.encode(), type_.encode(), offset, size)


@pytest.mark.parametrize(("fields", "message"), [
    ([("x", "a", "int", 4, 4), ("x", "", "struct x", 0, 8)],
     "x.a lies at byte 4 and has 4 bytes, but ctypes makes it 0 and"),
    ([("x", "a", "int", 0, 4), ("x", "", "struct x", 0, 8)], "struct x has 8 bytes, but ctypes makes it 4"),
    ([("x", "a", "struct y", 0, 4), ("x", "", "struct x", 0, 4)], "x.a has the type 'struct y', which this catlass-c"),
    ([("x", "a", "__int128", 0, 16), ("x", "", "struct x", 0, 16)], "x.a has the type '__int128'"),
])
def test_table_that_does_not_fit(fields, message):
    with pytest.raises(CodegenError) as refused:
        binding.structures("lib.so", [field(*one) for one in fields])
    assert message in str(refused.value) and str(refused.value).startswith("lib.so: ")


def test_file_that_is_no_library(tmp_path):
    with pytest.raises(CodegenError) as refused:
        binding.Library(tmp_path / "no.so")
    assert "cannot be loaded" in str(refused.value)
    import _ctypes

    with pytest.raises(CodegenError) as refused:  # a library, but another one
        binding.Library(Path(_ctypes.__file__))
    assert "is no library of this catlass_c, or an older one" in str(refused.value)


# ---- catlass-c explain gemm ------------------------------------------------------------------------------------------
PLAIN = ("--m", "100", "--n", "64", "--k", "64", "--a", "f32", "--layout", "tn", "--backend", "host")


@pytest.fixture
def explain(cli, path):
    def explain(*args, sizes=PLAIN):
        return cli("explain", "gemm", "--library", path, *sizes, *args)

    return explain


def built(name):
    """Names of built host instances with these first words."""
    content = json.loads((Path(_FOLDER) / "generated" / "instances.json").read_text())
    return [one["name"] for one in content["instances"] if one["name"].startswith(name) and "host" in one["backends"]]


def test_explain_for_any_gpu(explain, library):
    if not built("gemm_simt_f32_f32_f32_f32_tn_"):
        pytest.skip("no fp32 instance is built")
    for device in library.devices():
        result = explain("--device", device)
        assert result.code == 0 and result.err == "", result.err
        assert result.out.startswith("gemm 100 x 64 x 64, batch 1, f32 x f32 -> f32, tn")
        assert f"on {device} (host backend)" in result.out
        assert "\nchosen: gemm_simt_f32_f32_f32_f32_tn_" in result.out


def test_explain_as_json(explain, path):
    names = [name for name in built("gemm_simt_f32_f32_f32_f32_tn_") if name.endswith("_simt")]
    if not names:
        pytest.skip("no plain fp32 instance is built")
    result = explain("--device", "a100", "--json")
    data = json.loads(result.out)
    assert result.code == 0 and data["status"] == "CATC_OK" and data["library"] == str(path) and data["yaml"] is None
    candidates = {one["name"]: one for one in data["candidates"]}
    assert set(names) <= set(candidates) and candidates[data["chosen"]]["legal"]
    assert all(one["detail"] for one in candidates.values())
    assert data["text"] == explain("--device", "a100").out


def test_explain_without_an_instance(explain):
    result = explain("--epilogue", "gelu,bias.bf16,gelu,add")
    assert result.code == 1 and result.err == "CATC_NOT_SUPPORTED: no instance was chosen\n"
    # by name, whatever is built: the library alone knows only operations of its instances
    assert ", tn, chain gelu bias.bf16 gelu add" in result.out
    assert "epilogue: [gelu, bias.bf16, gelu, add]}" in result.out and "Add to instances/" in result.out
    data = json.loads(explain("--epilogue", "gelu,bias.bf16,gelu,add", "--json").out)
    assert data["chosen"] is None and data["candidates"] == [] and data["yaml"].startswith("{a: f32, ")


def test_yaml_line_of_explain_adds_the_instance(explain, write, cli):
    """The line is legal as it stands, and gives the types, layout and chain that were asked for."""
    yaml = json.loads(explain("--epilogue", "gelu,bias.bf16,gelu,add", "--json").out)["yaml"]
    result = cli("check", "--json", write(yaml))
    assert result.code == 0, result.err
    name = json.loads(result.out)[0]["name"]
    assert name.startswith("gemm_simt_f32_f32_f32_f32_tn_") and name.endswith("_gelu_bias.bf16_gelu_add")


@pytest.mark.parametrize(("args", "message"), [
    (("--device", "a1000"), "--device: 'a1000' is unknown; known: a100, h100, h200, "),
    (("--backend", "gpu"), "--backend: 'gpu' is unknown; known: cuda, host\n"),
    (("--b", "fp61"), "--b: 'fp61' is unknown; known: f32, bf16, "),
    (("--layout", ""), "--layout: '' is unknown; known: tn, "),
    (("--epilogue", "gelo"), "--epilogue: operation 'gelo' is unknown; did you mean 'gelu'?\n"),
    (("--epilogue", "gelu.f32"), "takes no operand type; write 'gelu'\n"),
    (("--epilogue", ",".join(["relu"] * 9)), "--epilogue: 9 operations must be at most 8; make the chain shorter\n"),
    (("--m", str(1 << 63)), "--m: 9223372036854775808 must be at most 9223372036854775807 (2^63 - 1)\n"),
    (("--ld", "a=3"), "CATC_INVALID_ARGUMENT: lda: lda=3 must be at least 64"),
    (("--n", str(1 << 61), "--batch", "9"), "must span at most 2^61 bytes; check the sizes\n"),
])
def test_explain_that_is_refused(args, message, explain):
    result = explain(*args)
    assert result.code == 1 and result.out == "" and message in result.err, result.err
    assert result.err.count("\n") == 1


def test_explain_of_an_empty_problem(explain):
    for args in (("--m", "0"), ("--batch", "0")):
        result = explain(*args)
        assert result.code == 0 and result.out == "nothing to do: m, n or batch is 0\n"


def test_explain_sees_addresses_and_pitches(explain):
    wide = built("gemm_sm90_bf16_bf16_f32_bf16_tn_")
    if not any(name.endswith(("_cooperative", "_pingpong")) for name in wide) or not built("gemm_simt_bf16"):
        pytest.skip("needs a plain gemm_sm90 and a plain gemm_simt instance for bf16")
    sizes = ("--m", "256", "--n", "256", "--k", "256", "--a", "bf16", "--layout", "tn", "--device", "h200", "--backend",
             "host")
    assert "refused" not in explain(sizes=sizes).out
    for args, subject in ((("--offset", "b=1"), "alignment of b=2"), (("--ld", "a=257"), "alignment of a=2"),
                          (("--beta", "1", "--offset", "c=4"), "alignment of c=8")):
        assert subject in explain(*args, sizes=sizes).out
    assert "refused" not in explain("--offset", "d=1", "--ld", "d=257", sizes=sizes).out
    batched = explain("--batch", "3", sizes=sizes)
    assert batched.code == 0 and ", batch 3, " in batched.out and "refused" not in batched.out


def test_explain_for_cuda_without_a_gpu(explain, library):
    """Selection for a named GPU needs none; for `the GPU here` it says which could be named."""
    cuda = explain("--backend", "cuda", "--device", "h200")
    if cuda.err.startswith("CATC_BACKEND_NOT_BUILT"):
        assert cuda.code == 1 and "CATC_CUDA=ON" in cuda.err
        return
    assert "on h200 (cuda backend)" in cuda.out, cuda.err
    if library.device_count() == 0:
        result = explain("--backend", "cuda")
        assert result.code == 1 and result.out == "" and result.err.startswith("CATC_NO_DEVICE: ")
        assert "; or name a GPU with --device: a100, h100, " in result.err and result.err.count("\n") == 1


def test_which_library(cli, write, tmp_path, monkeypatch, path):
    """That of the build tree named or found; what is missing is said with the command that builds it."""
    from catlass_c import build as builds
    from catlass_c import place

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, "checkout", lambda: tmp_path)
    monkeypatch.setattr(place, "_PACKAGE", tmp_path / "no" / "package")
    result = cli("explain", "gemm", *PLAIN)
    assert result.code == 1 and result.out == "" and result.err.count("\n") == 1
    assert "no libcatlass_c.so found in ./build*, ./build/* or ./out/*" in result.err
    assert "cmake -S . -B build && cmake --build build --target catlass_c_shared" in result.err
    result = cli("explain", "gemm", *PLAIN, "--build", tmp_path)
    assert result.code == 1 and "is not a build tree of this catlass_c" in result.err
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    tree = tmp_path / "build"
    tree.mkdir()
    assert cli("generate-build", "--instances", write("{a: f32, layout: tn, tile: [64, 64, 8], warp: [32, 32], "
                                                      "thread: [8, 4], stages: 2}"),
               "--out", tree / "generated", "--select", "all").code == 0
    result = cli("explain", "gemm", *PLAIN, "--build", tree)
    assert result.code == 1 and result.err == (f"{tree / 'libcatlass_c.so'}: is not built; cmake --build {tree} "
                                               "--target catlass_c_shared builds it\n")
    (tree / "libcatlass_c.so").symlink_to(path)
    assert builds.shared_library(tree) == tree / "libcatlass_c.so"
    with monkeypatch.context() as patch:  # the checkout may hold a library that is newer
        patch.setattr(place, "checkout", lambda: tmp_path)
        assert builds.shared_library(None) == tree / "libcatlass_c.so"
    assert "(host backend)" in cli("explain", "gemm", *PLAIN, "--build", tree).out


def test_installed_library(monkeypatch, tmp_path):
    from catlass_c import place

    share, lib = tmp_path / "share" / "catlass_c", tmp_path / "lib" / "x86_64-linux-gnu"
    share.mkdir(parents=True)
    lib.mkdir(parents=True)
    monkeypatch.setattr(place, "checkout", lambda: share)
    assert place.installed_libraries() == []
    (lib / "libcatlass_c.so").touch()
    assert place.installed_libraries() == [lib / "libcatlass_c.so"]
