# SPDX-License-Identifier: Apache-2.0
"""The command `catlass-c`. Data goes to stdout, everything else to stderr; exit code 0: done, 1: refused, 2: misused.
Each command imports what it needs, so that --help is immediate."""

from __future__ import annotations

import difflib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, NoReturn, Optional, Tuple

import click

from catlass_c import __version__
from catlass_c.errors import CodegenError, did_you_mean, failure

_FOLDER = click.Path(path_type=Path)


class _Commands(click.Group):
    """Ends a CodegenError with its lines and exit code 1, misuse with one line and 2, and names the nearest command for
    a misspelt one."""

    def parse_args(self, ctx: click.Context, args: List[str]) -> List[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            _misused(ctx, error)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            _misused(ctx, error)
        except CodegenError as error:
            for problem in error.problems:
                click.echo(str(problem), err=True)
            ctx.exit(1)

    def resolve_command(self, ctx: click.Context, args: List[str]):
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"no command '{args[0]}'{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def _misused(ctx: click.Context, error: click.UsageError) -> NoReturn:
    """One line, in the place of click's four."""
    ctx = error.ctx or ctx
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        options = [name for one in ctx.command.get_params(ctx) for name in one.opts + one.secondary_opts]
        near = difflib.get_close_matches(error.option_name, options, n=1)
        message = f"no option '{error.option_name}'" + (f"; did you mean '{near[0]}'?" if near else "")
    click.echo(f"{ctx.command_path}: {message} (see {ctx.command_path} --help)", err=True)
    ctx.exit(2)


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


@main.command()
@_input_options
@click.argument("name")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree; default: the newest found.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(instances, include, epilogues, name, build_folder, as_json) -> None:
    """Show one instance: parameters, derived numbers, YAML line, and what the compiler measured."""
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


@main.command()
@_input_options
@click.argument("files", nargs=-1, required=True, type=_FOLDER, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(instances, include, epilogues, files, as_json) -> None:
    """Check YAML files: fields, names and every rule of legality.

    Of files of measurements (instances/tuned/): fields and the names of their instances, which are those of the other
    FILEs, of the folder above, or the library's.
    """
    from catlass_c import tuned
    from catlass_c.probe import Probe, user_cache

    if instances:
        raise click.UsageError("check takes its files as arguments, without --instances")
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


_SIZE = click.IntRange(min=0)


@main.command()
@click.argument("name")
@click.option("--m", type=_SIZE, help="Rows of A and D; with --n and --k: one random problem.")
@click.option("--n", type=_SIZE, help="Columns of B and D.")
@click.option("--k", type=_SIZE, help="Columns of A, rows of B.")
@click.option("--case", metavar="NAME", help="One fixed case, as a failure names it.  [default: all of them]")
@click.option("--backend", default="host", show_default=True, type=click.Choice(["host", "cuda", "both"]))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Of the random input.")
@click.option("--build", "build_folder", type=_FOLDER, metavar="DIR", help="Build tree; default: the newest found.")
def run(name, m, n, k, case, backend, seed, build_folder) -> None:
    """Run one built instance against an fp64 reference.

    It runs every fixed case, one of them, or one random problem of the given sizes.
    """
    from catlass_c import run as runner
    from catlass_c.build import given_or_newest

    sizes = [size for size in (m, n, k) if size is not None]
    if len(sizes) not in (0, 3):
        raise click.UsageError("--m, --n and --k go together: give all three, or none for the fixed cases")
    if sizes and case is not None:
        raise click.UsageError("--case has sizes of its own: give it without --m, --n and --k")
    backends = ["host", "cuda"] if backend == "both" else [backend]
    sys.exit(runner.run(given_or_newest(build_folder), name, backends, seed, (m, n, k) if sizes else None, case))


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
    click.echo(f"  - {line.of_instance(instance)}")
