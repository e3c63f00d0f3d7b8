# SPDX-License-Identifier: Apache-2.0
"""The command `catlass-c`. Data goes to stdout, everything else to stderr; exit code 0: done, 1: refused, 2: misused.
Each command imports what it needs, so that --help is immediate."""

from __future__ import annotations

import difflib
import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import click

from catlass_c import __version__
from catlass_c.command import Group
from catlass_c.errors import CodegenError, did_you_mean, failure

_FOLDER = click.Path(path_type=Path)


_INSTANCE = "gemm_simt_f32_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt"  # of the default set, for examples


@click.group(cls=Group, invoke_without_command=True,
             context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
             examples=[
                 ("catlass-c list --filter '*_gelu'", "which instances there are"),
                 (f"catlass-c show {_INSTANCE}", "one of them: its numbers, its YAML line, what the compiler measured"),
                 ("catlass-c explain gemm --m 4096 --n 4096 --k 1024 --a bf16 --layout tn --device a100",
                  "which one the library would take, and why; any known GPU, on any machine"),
                 (f"catlass-c new --from {_INSTANCE} --stages 3 --append mine.yaml",
                  "the YAML line of a new one, checked"),
                 (f"catlass-c run {_INSTANCE} --m 100 --n 60 --k 33", "run one and compare it with an fp64 reference"),
             ],
             read_on="Every command has examples: catlass-c COMMAND --help. All of it on one page: docs/catlass-c.md. "
                     "Adding an instance or an operation: CONTRIBUTING.md. How it works inside: docs/architecture.md. "
                     "Something does not work: catlass-c doctor.")
@click.version_option(__version__, prog_name="catlass-c")
@click.pass_context
def main(ctx: click.Context) -> None:
    """GEMM kernels in plain C: find them, check them, add them, run them, and ask which one the library would take.

    An instance is one compiled kernel: a skeleton, which is the C text of a kernel such as gemm_simt, with values for
    its tile sizes, element types, layout, stages and epilogue. It is one line in instances/*.yaml. Its name spells the
    values, gemm_simt_f32_f32_f32_f32_tn_64x64x8_..., and is the same in the registry, in tests, benchmarks and
    messages. A chain of epilogue operations such as bias,gelu is applied to the result before it is stored.
    """
    if ctx.invoked_subcommand is None:
        ctx.fail(f"a command is missing; one of {', '.join(main.shown())}")


def _header_options(function):
    for option in reversed((
        click.option("--include", type=_FOLDER, metavar="DIR", help="Folder that holds catlass_c/types.h."),
        click.option("--epilogues", multiple=True, type=_FOLDER, metavar="DIR",
                     help="Folder with your own operations, OP.h; may be repeated."),
    )):
        function = option(function)
    return function


def _input_options(function):
    """Where instances, headers and operations are; the defaults are those of the checkout or installation."""
    return click.option("--instances", multiple=True, type=_FOLDER, metavar="PATH",
                        help="YAML file or folder of them; may be repeated. Default: the library's own.")(
        _header_options(function))


def _inputs(instances: Tuple[Path, ...], include: Optional[Path], epilogues: Tuple[Path, ...],
            tuned: Tuple[Path, ...] = ()):
    from catlass_c.instances import Inputs
    from catlass_c.place import instances_folder

    include = _include(include)
    if not instances:
        folder = instances_folder()
        if folder is None:
            raise failure("no instances were found beside the code generator; name a file or folder with --instances")
        instances = (folder,)
    return Inputs.find(include, instances, epilogues, tuned)


def _include(given: Optional[Path]) -> Path:
    from catlass_c.place import include_folder

    include = given or include_folder()
    if include is None:
        raise failure("the headers were not found beside the code generator; name their folder with --include")
    return include


def _words(text: str) -> Tuple[str, ...]:
    """`a,b` or CMake's `a;b`."""
    return tuple(word.strip() for word in text.replace(";", ",").split(",") if word.strip())


def _json(value: object) -> None:
    click.echo(json.dumps(value, indent=1))


_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_BUILD = click.option("--build", "build_folder", type=_FOLDER, metavar="DIR",
                      help="Build tree; default: the newest found.")
_SIZE = click.IntRange(min=0)


_TUNED = click.option("--tuned", multiple=True, type=_FOLDER, metavar="PATH", help="File of measurements, or folder of "
                      "them; may be repeated. Default: tuned/ in each folder of instances.")
_SELECT = click.option("--select", "patterns", default="default", show_default=True,
                       help="default, all, or name patterns with ; or , between them.")


@main.command(examples=[
    ("catlass-c generate --out gemm", "the default instances; then: make -C gemm -j4, or make -C gemm CUDA=1"),
    ("catlass-c generate --out gemm --select 'gemm_simt_f32_*_tn_*'", "a few of them"),
    ("catlass-c generate --out gemm --instances mine.yaml --epilogues ops --select all", "your own"),
])
@_input_options
@_TUNED
@click.option("--out", required=True, type=_FOLDER, metavar="DIR", help="Folder to write: new, empty, or of an earlier "
              "run; its parent must exist.")
@_SELECT
@_JSON
def generate(instances, include, epilogues, tuned, out, patterns, as_json) -> None:
    """Write the library as sources that build with make alone.

    For people without CMake, or without Python on the target: headers, generated files, a Makefile (lib, shared, test;
    CUDA=1 NVCC=... ARCHS=... for the cuda backend), and sources.json with files, flags and instances for other build
    systems. A second run into the same folder replaces what has changed.
    """
    from catlass_c import tree

    result = tree.write(_inputs(instances, include, epilogues, tuned), out, patterns)
    for warning in result.warnings:
        click.echo(warning, err=True)
    if as_json:
        _json({"out": str(out), "built": result.built, "total": result.total, "files_written": result.written})
        return
    click.echo(f"{out}: {result.built} of {result.total} instances, {result.written} files written; build: make -C "
               f"{shlex.quote(str(out))}")


@main.command("generate-build", hidden=True)
@_input_options
@_TUNED
@click.option("--out", required=True, type=_FOLDER, metavar="DIR", help="Folder to write; its parent must exist.")
@click.option("--backends", default="host", show_default=True, help="host, cuda or host,cuda.")
@click.option("--archs", default="80,90,90a", show_default=True, help="Targets of nvcc; cuda instances that none of "
              "them can hold are left out.")
@_SELECT
@click.option("--prefix", default="catc_", show_default=True, help="Prefix of generated symbols.")
@click.option("--name", default="catlass_c", show_default=True, help="Name of the target and of its include folder.")
def generate_build(instances, include, epilogues, tuned, out, backends, archs, patterns, prefix, name) -> None:
    """Write the generated folder of a build tree; CMake runs this."""
    from catlass_c.generation import Target
    from catlass_c.generation import generate as write

    result = write(_inputs(instances, include, epilogues, tuned),
                   Target(out, _words(backends), patterns, prefix, name, _words(archs)))
    for warning in result.warnings:
        click.echo(warning, err=True)
    built = len(result.built)
    click.echo(f"{built} of {result.total} instances generated, {result.total - built} left out; "
               f"{result.tuned} tuned entries, {result.written} files written")


@main.command(hidden=True)
def manual() -> None:
    """Print docs/catlass-c.md, made from the definitions of all commands."""
    from catlass_c.manual import markdown

    click.echo(markdown(main), nl=False)


@main.command("list", examples=[
    ("catlass-c list --filter '*_bf16_*_gelu'", ""),
    ("catlass-c list --filter default --build build/test", "those of a plain build, and which are built there"),
    ("catlass-c list --json", ""),
])
@_input_options
@click.option("--filter", "patterns", default="all", metavar="GLOB", help="Names to list, such as '*_bf16_*_gelu'; "
              "also default.")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree: say which are built there.")
@_JSON
def list_command(instances, include, epilogues, patterns, build_folder, as_json) -> None:
    """List instances with their YAML lines.

    `default` marks those that a plain build contains; with --build each line says whether it is built there.
    """
    from catlass_c.build import holding, open_builds
    from catlass_c.selection import select

    builds = open_builds(build_folder) if build_folder else []
    chosen = select(_inputs(instances, include, epilogues).load(), patterns)
    rows = []
    for instance in chosen:
        row = {"name": instance.name, "source": instance.source, "default": instance.config.default}
        if builds:
            build = holding(builds, instance.name)
            row["built"] = build.instances[instance.name]["backends"] if build else []
        rows.append(row)
    if as_json:
        _json(rows)
        return
    widths = [max(len(row[key]) for row in rows) for key in ("name", "source")]
    for row in rows:
        marks = ["default"] if row["default"] else []
        if builds:
            marks.append("built: " + ", ".join(row["built"]) if row["built"] else "not built")
        click.echo(f"{row['name']:{widths[0]}}  {row['source']:{widths[1]}}  {'  '.join(marks)}".rstrip())


@main.command(examples=[(f"catlass-c show {_INSTANCE}", "")])
@_input_options
@click.argument("name")
@_BUILD
@_JSON
def show(instances, include, epilogues, name, build_folder, as_json) -> None:
    """Show one instance: parameters, numbers, YAML line, registers.

    Registers and spills are what ptxas measured, if a build tree with the instance is found.
    """
    from catlass_c import line, schema
    from catlass_c.build import holding, newest_builds, open_builds
    from catlass_c.probe import Probe, user_cache
    from catlass_c.selection import nothing

    inputs = _inputs(instances, include, epilogues)
    known = inputs.load()
    instance = next((one for one in known if one.name == name), None)
    if instance is None:
        raise failure(nothing(name, [one.name for one in known]))
    probe = Probe(inputs, user_cache())
    numbers = probe.refuse_illegal([instance])[name]
    probe.remember()
    build = holding(open_builds(build_folder) if build_folder else newest_builds(), name)
    built = build.instances[name] if build else None
    chain = [{"op": p.operation.name, "kind": p.operation.kind, "type": p.type} for p in instance.chain]
    kernels = build.kernels(name) if built else []
    data = {"name": name, "source": instance.source, "skeleton": instance.skeleton, "yaml": line.of_instance(instance),
            "parameters": {macro.lower(): value for macro, value in schema.macros(instance.config)}, "epilogue": chain,
            "default": instance.config.default, **numbers.as_dict(),
            "build": str(build.folder) if built else None, "backends": built["backends"] if built else [],
            "kernels": [kernel.as_dict() for kernel in kernels]}
    if as_json:
        _json(data)
        return
    rows = [("source", instance.source), ("yaml", f"- {data['yaml']}"), ("skeleton", instance.skeleton)]
    rows += [(macro, str(value)) for macro, value in data["parameters"].items()]
    rows.append(("epilogue", ", ".join(f"{p['op']} ({p['kind']}" + (f" {p['type']})" if p["type"] != "none" else ")")
                                       for p in chain) or "none"))
    rows += [("threads", f"{numbers.threads} per block"), ("shared memory", f"{numbers.smem_bytes} bytes per block"),
             ("registers", f"at most {numbers.regs_per_thread} per thread, from the launch bounds"),
             ("alignment", "A {}, B {}, C {}, D {} bytes".format(*numbers.align)),
             ("default set", "yes" if instance.config.default else "no"),
             ("built", f"{', '.join(built['backends'])} in {build.folder}" if built else "in no build tree found")]
    rows += [(f"ptxas {k.target}", f"{k.registers} registers, {k.spill_stores + k.spill_loads} bytes spilled, "
              f"{k.seconds:.2f} s to compile") for k in kernels]
    click.echo(name)
    for key, value in rows:
        click.echo(f"  {key:<15} {value}")


@main.command(examples=[
    ("catlass-c check mine.yaml", ""),
    ("catlass-c check instances/*.yaml instances/tuned", "all files of the library"),
])
@_header_options
@click.argument("files", nargs=-1, required=True, type=_FOLDER, metavar="FILE...")
@_JSON
def check(include, epilogues, files, as_json) -> None:
    """Check YAML files: fields, names and every rule of legality.

    Of files of measurements (instances/tuned/): fields and the names of their instances, which are those of the other
    FILEs, of the folder above, or the library's.
    """
    from catlass_c import tuned
    from catlass_c.probe import Probe, user_cache

    inputs = tuned.apart(_inputs(files, include, epilogues))
    found = inputs.load()
    probe = Probe(inputs, user_cache())
    numbers = probe.refuse_illegal(found) if found else {}
    probe.remember()
    measured = tuned.check(inputs, found, lambda: _inputs((), include, epilogues)) if inputs.tuned else None
    for warning in measured.warnings if measured else ():
        click.echo(warning, err=True)
    if as_json:
        rows = [{"name": one.name, "source": one.source, **numbers[one.name].as_dict()} for one in found]
        _json(rows + [{"tuned": str(path), "entries": measured.count(path)} for path in inputs.tuned])
        return
    for path in inputs.files:
        count = sum(one.position.file == str(path) for one in found)
        click.echo(f"{path}: {count} instance{'' if count == 1 else 's'}, all legal")
    for path in inputs.tuned:
        count = measured.count(path)
        click.echo(f"{path}: tuned: {count} entr{'y' if count == 1 else 'ies'} of known instances")


@main.command(examples=[("catlass-c doctor", "")])
@_JSON
def doctor(as_json) -> None:
    """Say what this machine has and what is missing.

    Python and its packages, the C compiler, CMake, nvcc, driver, GPU, and the build trees found. It ends with 1 if
    something must be repaired, and names the first such step.
    """
    from catlass_c import doctor as checks

    steps = checks.steps()
    failed = [step for step in steps if step.state == checks.FAILED]
    if as_json:
        _json({"ok": not failed, "steps": [step.as_dict() for step in steps]})
    else:
        for step in steps:
            click.echo(f"{step.name:<11} {step.state:<8} {step.detail}")
            if step.advice:
                click.echo(f"{'':<20} -> {step.advice}")
    if failed:
        click.echo(f"first failing step: {failed[0].name}: {failed[0].detail}", err=True)
        sys.exit(1)


class _PerMatrix(click.ParamType):
    """`a=64,d=128`: whole numbers for some of the matrices."""

    name = "A=N,B=N,..."

    def __init__(self, largest: int):
        self.largest = largest

    def convert(self, value, param, ctx) -> Dict[str, int]:
        if isinstance(value, dict):
            return value
        found = {}
        for word in _words(value):
            match = re.fullmatch("([abcd])=([0-9]{1,19})", word)
            if not match or match.group(1) in found or int(match.group(2)) > self.largest:
                self.fail(f"'{value}' must be whole numbers up to {self.largest} for some of a, b, c and d, such as "
                          "a=64,d=128", param, ctx)
            found[match.group(1)] = int(match.group(2))
        return found


@main.group(cls=Group, invoke_without_command=True)
@click.pass_context
def explain(ctx: click.Context) -> None:
    """Ask which instance the library would take, and why.

    The library's own selection, for any GPU that it knows, on any machine: sizes, types and layout are enough.
    """
    if ctx.invoked_subcommand is None:
        ctx.fail(f"an operator is missing; one of {', '.join(explain.shown())}")


@explain.command(examples=[
    ("catlass-c explain gemm --m 4096 --n 4096 --k 4096 --a bf16 --layout tn --device h200", ""),
    ("catlass-c explain gemm --m 128 --n 3072 --k 768 --a f32 --layout tn --epilogue bias,gelu --device a100",
     "with a chain of operations"),
    ("catlass-c explain gemm --m 64 --n 64 --k 64 --a bf16 --layout tn --ld a=65 --offset b=1",
     "rows of A 65 elements apart, B one element behind an aligned address"),
])
@click.option("--m", type=_SIZE, required=True, help="Rows of A and D.")
@click.option("--n", type=_SIZE, required=True, help="Columns of B and D.")
@click.option("--k", type=_SIZE, required=True, help="Columns of A, rows of B.")
@click.option("--a", required=True, metavar="TYPE", help="Element type of A, such as bf16.")
@click.option("--layout", required=True, help="tn, tt, nn or nt: storage of A and B.")
@click.option("--b", default="", metavar="TYPE", help="Element type of B; default: A's.")
@click.option("--d", default="", metavar="TYPE", help="Element type of C and D; default: A's.")
@click.option("--acc", default="", metavar="TYPE", help="Type of the accumulator; default: f32.")
@click.option("--batch", type=_SIZE, default=1, show_default=True, help="Problems, packed one behind the other.")
@click.option("--beta", type=float, default=0.0, show_default=True, help="Factor of C; 0: there is no C.")
@click.option("--epilogue", default="", metavar="OP,OP.TYPE", help="Chain such as bias,gelu.")
@click.option("--ld", type=_PerMatrix((1 << 63) - 1), default="", help="Leading dimensions of a, b, c, d in elements; "
              "default: packed.")
@click.option("--offset", type=_PerMatrix(1 << 20), default="", help="Elements between the address of a, b, c, d and a "
              "boundary of 256 bytes; default: 0.")
@click.option("--fixed-m", is_flag=True, help="Choose without m, so that a row's bits do not depend on its neighbours.")
@click.option("--device", default="", metavar="GPU", help="Such as a100 or h200; default: the GPU here (backend host: "
              "$CATC_HOST_DEVICE, else h200).")
@click.option("--backend", default="", help="host or cuda; default: the library's, cuda if it was built with CUDA.")
@_BUILD
@click.option("--library", "library_file", type=_FOLDER, metavar="FILE", help="libcatlass_c.so to ask; default: that "
              "of the build tree, or the installed one.")
@_header_options
@_JSON
def gemm(build_folder, library_file, include, epilogues, epilogue, as_json, **fields) -> None:
    """Explain the choice for D = epilogue(A B + beta C).

    It lists each candidate with its cost, or with the reason why it cannot do the problem. If no instance has the
    types, layout and chain, it prints the YAML line that adds one, and ends with 1.
    """
    from catlass_c import explain as explanations
    from catlass_c.build import shared_library
    from catlass_c.epilogue import find_operations, resolve
    from catlass_c.headers import read_tokens
    from catlass_c.library import Library

    words = _words(epilogue)
    chain = []
    if words:
        include = _include(include)
        tokens = read_tokens(include)
        operations = find_operations(include, epilogues, tokens)
        try:
            chain = [resolve(word, fields["d"] or fields["a"], operations, tokens) for word in words]
        except ValueError as error:
            raise failure(f"--epilogue: {error}") from error
    library = Library(library_file or shared_library(build_folder))
    found = explanations.gemm(library, explanations.Problem(chain=tuple(chain), **fields))
    if as_json:
        _json({"library": str(library.path), **found.as_dict()})
    elif found.reached_selection:
        click.echo(found.text, nl=False)
    if not found.ok:
        click.echo(f"{found.status}: no instance was chosen" if found.reached_selection else found.text.rstrip(),
                   err=True)
        sys.exit(1)


@main.command(examples=[
    (f"catlass-c run {_INSTANCE}", "all fixed cases, on the CPU emulator"),
    (f"catlass-c run {_INSTANCE} --case ragged --backend both", "one of them, on the GPU too: bits are compared"),
    (f"catlass-c run {_INSTANCE} --m 100 --n 60 --k 33 --seed 7", "one random problem"),
])
@click.argument("name")
@click.option("--m", type=_SIZE, help="Rows of A and D; with --n and --k: one random problem.")
@click.option("--n", type=_SIZE, help="Columns of B and D.")
@click.option("--k", type=_SIZE, help="Columns of A, rows of B.")
@click.option("--case", metavar="NAME", help="One fixed case, as a failure names it.  [default: all of them]")
@click.option("--backend", default="host", show_default=True, type=click.Choice(["host", "cuda", "both"]))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Of the random input.")
@_BUILD
@_JSON
def run(name, m, n, k, case, backend, seed, build_folder, as_json) -> None:
    """Run one built instance and compare with fp64.

    It runs every fixed case, one of them, or one random problem of the given sizes, and prints the first elements that
    are off. Needs a build tree with tests. A test that fails prints the command that repeats it.
    """
    from catlass_c import run as runner
    from catlass_c.build import given_or_newest

    sizes = [size for size in (m, n, k) if size is not None]
    if len(sizes) not in (0, 3):
        raise click.UsageError("--m, --n and --k go together: give all three, or none for the fixed cases")
    if sizes and case is not None:
        raise click.UsageError("--case has sizes of its own: give it without --m, --n and --k")
    backends = ["host", "cuda"] if backend == "both" else [backend]
    results = runner.run(given_or_newest(build_folder), name, backends, seed, (m, n, k) if sizes else None, case,
                         to_stderr=as_json)
    if as_json:
        _json([result.as_dict() for result in results])
    for result in results:
        if result.state == runner.SKIPPED:
            click.echo(f"{name}: was not run on {result.backend}: no usable GPU or driver here (catlass-c doctor says "
                       "why)", err=True)
        elif result.state == runner.FAILED:
            click.echo(f"{name}: {result.backend} failed with status {result.code}", err=True)
    sys.exit(0 if all(result.state == runner.PASSED for result in results) else 1)


def _extent(count: int):
    """128x256x64 as a list of whole numbers."""

    def parse(ctx: click.Context, parameter: click.Parameter, value: Optional[str]) -> Optional[List[int]]:
        if value is None:
            return None
        words = [word.strip() for word in value.lower().replace(",", "x").split("x")]
        if len(words) != count or not all(re.fullmatch("-?[0-9]{1,18}", word) for word in words):
            raise click.BadParameter(f"'{value}' must be {count} whole numbers such as {'x'.join(['64'] * count)}")
        return [int(word) for word in words]

    return parse


@main.command(examples=[
    (f"catlass-c new --from {_INSTANCE} --stages 3", "a line like an existing one but for its stages"),
    ("catlass-c new --a bf16 --layout tn --tile 64x64x16 --warp 32x32 --thread 8x4 --stages 2 --epilogue bias,gelu "
     "--append mine.yaml", "from scratch, added to a file"),
])
@_input_options
@click.option("--from", "base", metavar="NAME", help="Start from the fields of this instance name.")
@click.option("--skeleton", help="gemm_simt, gemm_sm80 or gemm_sm90.  [default: gemm_simt]")
@click.option("--a", help="Element type of A: f32, bf16, f16.")
@click.option("--b", help="Element type of B; default: A's.")
@click.option("--acc", help="Accumulator; default: f32.")
@click.option("--d", help="Element type of C and D; default: A's.")
@click.option("--layout", help="tn, tt, nn or nt.")
@click.option("--tile", callback=_extent(3), metavar="MxNxK", help="Tile of a block.")
@click.option("--warp", callback=_extent(2), metavar="MxN", help="Tile of a warp (gemm_simt, gemm_sm80).")
@click.option("--thread", callback=_extent(2), metavar="MxN", help="Tile of a thread (gemm_simt).")
@click.option("--cluster", callback=_extent(2), metavar="MxN", help="Blocks of a cluster (gemm_sm90).")
@click.option("--stages", type=int, help="Stages of the pipeline.")
@click.option("--schedule", help="simt, multistage, cooperative or pingpong; default: the skeleton's.")
@click.option("--swap/--no-swap", default=None, help="Compute the transposed problem.")
@click.option("--regs", callback=_extent(2), metavar="PxC", help="Registers of producer and consumer (gemm_sm90).")
@click.option("--reg-buffers", type=int, help="K steps whose fragments are in registers (gemm_sm80).")
@click.option("--unroll", type=int, help="Unrolled steps along K (gemm_simt, gemm_sm80).")
@click.option("--min-blocks", type=int, help="Blocks per multiprocessor that the registers must allow.")
@click.option("--epilogue", metavar="OP,OP.TYPE", help="Chain such as bias,gelu; empty text for none.")
@click.option("--default/--no-default", default=None, help="Part of the default set.")
@click.option("--append", "file", type=_FOLDER, metavar="FILE", help="Add the line to this file (made if missing).")
@_JSON
def new(instances, include, epilogues, base, skeleton, epilogue, file, as_json, **given) -> None:
    """Print the YAML line of a new instance, checked.

    Fields that are not given have their defaults, or those of --from. An illegal instance is refused with the broken
    rules. --append adds the line to a file.
    """
    from catlass_c import line, naming, schema
    from catlass_c.instances import parse
    from catlass_c.probe import Probe, user_cache

    inputs = _inputs(instances, include, epilogues)
    fields = {}
    if base is not None:
        try:
            base_skeleton, config, chain = naming.parse_name(base, inputs.operations, inputs.tokens)
        except ValueError as error:
            near = difflib.get_close_matches(base, [one.name for one in inputs.load()], n=1, cutoff=0.3)
            raise failure(f"--from: {error}" + ("" if "did you mean" in str(error) or not near else
                                                f"; the nearest instance is {near[0]}")) from error
        skeleton = skeleton or base_skeleton
        fields = line.minimal_fields(config, [position.spelled(config.d) for position in chain])
    skeleton = skeleton or "gemm_simt"
    if skeleton not in schema.MODELS:
        raise failure(f"--skeleton: '{skeleton}' is unknown{did_you_mean(skeleton, list(schema.MODELS))}")
    fields.update({name: value for name, value in given.items() if value is not None})
    if epilogue is not None:
        fields["epilogue"] = list(_words(epilogue))
    text = line.file_text(skeleton, line.format_fields(fields))
    probe = Probe(inputs, user_cache())
    try:
        instance = parse(text, Path("/new"), inputs)[0]  # a folder of its own: the name of this one means nothing
        probe.refuse_illegal([instance])
    except CodegenError as error:  # a position in a text that nobody wrote would only puzzle
        raise CodegenError(replace(problem, position=None) for problem in error.problems) from error
    probe.remember()
    if file:
        line.append(file, instance, inputs)
        click.echo(f"{file}: added {instance.name}", err=True)
    if as_json:
        _json({"name": instance.name, "yaml": line.of_instance(instance), "file": str(file) if file else None})
    else:
        click.echo(f"  - {line.of_instance(instance)}")
