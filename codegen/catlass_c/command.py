# SPDX-License-Identifier: Apache-2.0
"""How every command of `catlass-c` behaves: examples in its help, misuse in one line with exit code 2, what was refused
line by line with exit code 1."""

from __future__ import annotations

import difflib
from typing import List, NoReturn, Sequence, Tuple

import click

from catlass_c.errors import CodegenError, did_you_mean

Example = Tuple[str, str]  # what to type, and what it does


class Command(click.Command):
    def __init__(self, *args: object, examples: Sequence[Example] = (), **keywords: object):
        super().__init__(*args, **keywords)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_examples(self.examples, formatter)


class Group(click.Group):
    """Ends a CodegenError with its lines and exit code 1, misuse with one line and 2, and names the nearest command for
    a misspelt one."""

    command_class = Command

    def __init__(self, *args: object, examples: Sequence[Example] = (), read_on: str = "", **keywords: object):
        super().__init__(*args, **keywords)
        self.examples = examples
        self.read_on = read_on

    def shown(self) -> List[str]:
        """Names of the commands that are for people."""
        return [name for name, command in sorted(self.commands.items()) if not command.hidden]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_examples(self.examples, formatter)
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.read_on:
            with formatter.section("Read on"):
                formatter.write_text(self.read_on)

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
            ctx.fail(f"no command '{args[0]}'{did_you_mean(args[0], self.shown())}")
        return super().resolve_command(ctx, args)


def _write_examples(examples: Sequence[Example], formatter: click.HelpFormatter) -> None:
    """A line to type stays whole, however narrow the terminal."""
    if examples:
        with formatter.section("Examples"):
            for words, remark in examples:
                formatter.write(f"{'':{formatter.current_indent}}{words}\n")
                if remark:
                    formatter.indent()
                    formatter.indent()
                    formatter.write_text(remark)
                    formatter.dedent()
                    formatter.dedent()


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
