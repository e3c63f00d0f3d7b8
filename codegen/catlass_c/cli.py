# SPDX-License-Identifier: Apache-2.0
"""The command `catlass-c`. Data goes to stdout, everything else to stderr; exit code 0: done, 1: refused, 2: misused.
Each command imports what it needs, so that --help is immediate."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, Optional, Tuple

import click

from catlass_c import __version__
from catlass_c.errors import CodegenError, did_you_mean, failure

_FOLDER = click.Path(path_type=Path)


class _Commands(click.Group):
    """Ends a CodegenError with its lines and exit code 1, and names the nearest command for a misspelt one."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CodegenError as error:
            for problem in error.problems:
                click.echo(str(problem), err=True)
            ctx.exit(1)

    def resolve_command(self, ctx: click.Context, args: List[str]):
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"no command '{args[0]}'{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, invoke_without_command=True,
             context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="catlass-c")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Instances of catlass_c kernels: list, show, check and add them, and run one.

    An instance is one compiled kernel. Its tile sizes, types and epilogue are one line in instances/*.yaml.
    """
    if ctx.invoked_subcommand is None:
        ctx.fail(f"a command is missing; one of {', '.join(main.list_commands(ctx))}")


def _input_options(function):
    """Where instances, headers and operations are; the defaults are those of the checkout or installation."""
    for option in reversed((
        click.option("--instances", multiple=True, type=_FOLDER, metavar="PATH",
                     help="YAML file or folder of them; may be repeated. Default: the library's own."),
        click.option("--include", type=_FOLDER, metavar="DIR", help="Folder that holds catlass_c/types.h."),
        click.option("--epilogues", multiple=True, type=_FOLDER, metavar="DIR",
                     help="Folder with your own operations, <op>.h; may be repeated."),
    )):
        function = option(function)
    return function


def _inputs(instances: Tuple[Path, ...], include: Optional[Path], epilogues: Tuple[Path, ...],
            tuned: Tuple[Path, ...] = ()):
    from catlass_c.instances import Inputs
    from catlass_c.place import include_folder, instances_folder

    include = include or include_folder()
    if include is None:
        raise failure("the headers were not found beside the code generator; name their folder with --include")
    if not instances:
        folder = instances_folder()
        if folder is None:
            raise failure("no instances were found beside the code generator; name a file or folder with --instances")
        instances = (folder,)
    return Inputs.find(include, instances, epilogues, tuned)


def _words(text: str) -> Tuple[str, ...]:
    """`a,b` or CMake's `a;b`."""
    return tuple(word.strip() for word in text.replace(";", ",").split(",") if word.strip())


def _json(value: object) -> None:
    click.echo(json.dumps(value, indent=1))


@main.command()
@_input_options
@click.option("--tuned", multiple=True, type=_FOLDER, metavar="PATH", help="File of measurements, or folder of them; "
              "may be repeated. Default: tuned/ in each folder of instances.")
@click.option("--out", required=True, type=_FOLDER, metavar="DIR", help="Folder to write; its parent must exist.")
@click.option("--backends", default="host", show_default=True, help="host, cuda or host,cuda.")
@click.option("--archs", default="80,90,90a", show_default=True, help="Targets of nvcc; cuda instances that none of "
              "them can hold are left out.")
@click.option("--select", "patterns", default="default", show_default=True,
              help="default, all, or name patterns separated by ; or ,")
@click.option("--prefix", default="catc_", show_default=True, help="Prefix of generated symbols.")
@click.option("--name", default="catlass_c", show_default=True, help="Name of the target and of its include folder.")
def generate(instances, include, epilogues, tuned, out, backends, archs, patterns, prefix, name) -> None:
    """Write the C files of a build (CMake runs this)."""
    from catlass_c.generation import Target
    from catlass_c.generation import generate as write

    result = write(_inputs(instances, include, epilogues, tuned),
                   Target(out, _words(backends), patterns, prefix, name, _words(archs)))
    for warning in result.warnings:
        click.echo(warning, err=True)
    built = len(result.built)
    click.echo(f"{built} of {result.total} instances generated, {result.total - built} left out; "
               f"{result.tuned} tuned entries, {result.written} files written")


@main.command("list")
@_input_options
@click.option("--filter", "patterns", default="all", metavar="GLOB", help="Names to list, such as '*_bf16_*_gelu'; "
              "also default.")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree: say which are built there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(instances, include, epilogues, patterns, build_folder, as_json) -> None:
    """List instances: name, YAML line, and whether a plain build contains them."""
    from catlass_c.build import open_build
    from catlass_c.selection import select

    build = open_build(build_folder) if build_folder else None
    chosen = select(_inputs(instances, include, epilogues).load(), patterns)
    rows = []
    for instance in chosen:
        row = {"name": instance.name, "source": instance.source, "default": instance.config.default}
        if build:
            row["built"] = build.instances.get(instance.name, {}).get("backends", [])
        rows.append(row)
    if as_json:
        _json(rows)
        return
    widths = [max(len(row[key]) for row in rows) for key in ("name", "source")]
    for row in rows:
        marks = ["default"] if row["default"] else []
        if build:
            marks.append("built: " + ", ".join(row["built"]) if row["built"] else "not built")
        click.echo(f"{row['name']:{widths[0]}}  {row['source']:{widths[1]}}  {'  '.join(marks)}".rstrip())


@main.command()
@_input_options
@click.argument("name")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree; default: the newest found.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(instances, include, epilogues, name, build_folder, as_json) -> None:
    """Show one instance: parameters, derived numbers, YAML line, and what the compiler measured."""
    from catlass_c import line, schema
    from catlass_c.build import newest_build, open_build
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
    build = open_build(build_folder) if build_folder else newest_build()
    built = build.instances.get(name) if build else None
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


@main.command()
@_input_options
@click.argument("files", nargs=-1, required=True, type=_FOLDER, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(instances, include, epilogues, files, as_json) -> None:
    """Check YAML files: fields, names and every rule of legality."""
    from catlass_c.probe import Probe, user_cache

    if instances:
        raise click.UsageError("check takes its files as arguments, without --instances")
    inputs = _inputs(files, include, epilogues)
    found = inputs.load()
    probe = Probe(inputs, user_cache())
    numbers = probe.refuse_illegal(found)
    probe.remember()
    if as_json:
        _json([{"name": one.name, "source": one.source, **numbers[one.name].as_dict()} for one in found])
    else:
        for path in inputs.files:
            count = sum(one.position.file == str(path) for one in found)
            click.echo(f"{path}: {count} instance{'' if count == 1 else 's'}, all legal")


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json) -> None:
    """Say what this machine has and what is missing for a build and a GPU."""
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


@main.command()
@click.argument("name")
@click.option("--m", default=129, show_default=True, type=click.IntRange(min=0), help="Rows of A and D.")
@click.option("--n", default=130, show_default=True, type=click.IntRange(min=0), help="Columns of B and D.")
@click.option("--k", default=67, show_default=True, type=click.IntRange(min=0), help="Columns of A, rows of B.")
@click.option("--backend", default="host", show_default=True, type=click.Choice(["host", "cuda", "both"]))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Of the random input.")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree; default: the newest found.")
def run(name, m, n, k, backend, seed, build_folder) -> None:
    """Run one built instance against an fp64 reference."""
    from catlass_c import run as runner
    from catlass_c.build import given_or_newest

    backends = ["host", "cuda"] if backend == "both" else [backend]
    sys.exit(runner.run(given_or_newest(build_folder), name, backends, m, n, k, seed))


def _extent(count: int):
    """128x256x64 as a list of whole numbers."""

    def parse(ctx: click.Context, parameter: click.Parameter, value: Optional[str]) -> Optional[List[int]]:
        if value is None:
            return None
        words = value.lower().replace(",", "x").split("x")
        if len(words) != count or not all(word.strip().lstrip("-").isdecimal() for word in words):
            raise click.BadParameter(f"'{value}' must be {count} whole numbers such as {'x'.join(['64'] * count)}")
        return [int(word) for word in words]

    return parse


@main.command()
@_input_options
@click.option("--from", "base", metavar="NAME", help="Start from the fields of this instance name.")
@click.option("--skeleton", help="gemm_simt, gemm_sm90.  [default: gemm_simt]")
@click.option("--a", help="Element type of A: f32, bf16, f16.")
@click.option("--b", help="Element type of B; default: A's.")
@click.option("--acc", help="Accumulator; default: f32.")
@click.option("--d", help="Element type of C and D; default: A's.")
@click.option("--layout", help="tn, tt, nn or nt.")
@click.option("--tile", callback=_extent(3), metavar="MxNxK", help="Tile of a block.")
@click.option("--warp", callback=_extent(2), metavar="MxN", help="Tile of a warp (gemm_simt).")
@click.option("--thread", callback=_extent(2), metavar="MxN", help="Tile of a thread (gemm_simt).")
@click.option("--cluster", callback=_extent(2), metavar="MxN", help="Blocks of a cluster (gemm_sm90).")
@click.option("--stages", type=int, help="Stages of the pipeline.")
@click.option("--schedule", help="simt, cooperative or pingpong.")
@click.option("--swap/--no-swap", default=None, help="Compute the transposed problem.")
@click.option("--regs", callback=_extent(2), metavar="PxC", help="Registers of producer and consumer (gemm_sm90).")
@click.option("--unroll", type=int, help="Unrolled steps along K (gemm_simt).")
@click.option("--min-blocks", type=int, help="Blocks per multiprocessor that the registers must allow.")
@click.option("--epilogue", metavar="OP,OP.TYPE", help="Chain such as bias,gelu; empty text for none.")
@click.option("--default/--no-default", default=None, help="Part of the default set.")
@click.option("--append", "file", type=_FOLDER, metavar="FILE", help="Add the line to this file (made if missing).")
def new(instances, include, epilogues, base, skeleton, epilogue, file, **given) -> None:
    """Print the YAML line of a new instance, checked; with --append add it to a file."""
    from catlass_c import line, naming, schema
    from catlass_c.instances import parse
    from catlass_c.probe import Probe, user_cache

    inputs = _inputs(instances, include, epilogues)
    fields = {}
    if base is not None:
        try:
            base_skeleton, config, chain = naming.parse_name(base, inputs.operations, inputs.tokens)
        except ValueError as error:
            raise failure(str(error)) from error
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
        instance = parse(text, Path("new"), inputs)[0]
        probe.refuse_illegal([instance])
    except CodegenError as error:  # a position in a text that nobody wrote would only puzzle
        raise CodegenError(replace(problem, position=None) for problem in error.problems) from error
    probe.remember()
    if file:
        line.append(file, instance, inputs)
        click.echo(f"{file}: added {instance.name}", err=True)
    click.echo(f"  - {line.of_instance(instance)}")
