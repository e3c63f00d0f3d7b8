# SPDX-License-Identifier: Apache-2.0
"""docs/catlass-c.md, from the definitions of the commands. `catlass-c manual` prints it; a test compares."""

from __future__ import annotations

import inspect
import textwrap
from typing import Iterator, List, Tuple

import click

from catlass_c.command import Command, Group

_END = """\
## Exit status

0: done. 1: refused, failed or skipped; the reason is on stderr. 2: misused; one line says how. Data goes to stdout,
everything else to stderr.

## Environment

| variable | read by | meaning |
|---|---|---|
| `CC` | `check`, `show`, `new`, `generate` | C compiler that evaluates the legality rules; default: cc, gcc or clang |
| `XDG_CACHE_HOME` | the same | where their answers are kept; default: `~/.cache` |
| `CATC_HOST_DEVICE` | `explain`, `run` | GPU that the host backend stands for; default: h200 |
| `CUDACXX`, `CUDA_HOME`, `CUDA_PATH` | `doctor` | where nvcc is looked for, as the build does |
| `CATC_PYTHON` | the installed `catlass-c` | Python that runs it |

## Files

| file | what |
|---|---|
| `instances/<skeleton>.yaml` | which instances exist |
| `instances/tuned/<gpu>.yaml` | measurements: which one is the fastest where |
| `<build>/generated/instances.json` | what a build tree contains; `--build` names such a tree |
| `<dir>/sources.json` | the same for a tree of `generate`: files, flags, instances |
"""


def markdown(main: Group) -> str:
    parts = ["<!-- SPDX-License-" "Identifier: Apache-2.0 -->\n"  # in two, or reuse reads it as this file's own
             "<!-- made by `catlass-c manual > docs/catlass-c.md`, do not edit -->\n\n# catlass-c\n",
             "From a checkout, without installing anything: `PYTHONPATH=codegen python3 -m catlass_c`.\n",
             _prose(main), _examples(main), textwrap.fill(main.read_on, 120) + "\n"]
    commands = list(_commands(main, ["catlass-c"]))
    rows = "".join(f"| [`{' '.join(path[1:])}`](#{'-'.join(path)}) | {_prose(command).splitlines()[0]} |\n"
                   for path, command in commands)
    parts.append(f"## Commands\n\n| command | |\n|---|---|\n{rows}")
    for path, command in commands:
        parts += [f"### {' '.join(path)}\n", f"    {_synopsis(path, command)}\n", _prose(command), _options(command),
                  _examples(command)]
    return "\n".join([part for part in parts if part] + [_END])


def _commands(group: Group, path: List[str]) -> Iterator[Tuple[List[str], Command]]:
    for name in group.shown():
        command = group.commands[name]
        if isinstance(command, Group):
            yield from _commands(command, [*path, name])
        else:
            yield [*path, name], command


def _prose(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "") + "\n"


def _synopsis(path: List[str], command: click.Command) -> str:
    arguments = [parameter.metavar or parameter.name.upper() for parameter in command.params
                 if isinstance(parameter, click.Argument)]
    required = [_spelled(parameter)[0] for parameter in command.params
                if isinstance(parameter, click.Option) and parameter.required]
    return " ".join([*path, *required, "[OPTIONS]", *arguments])


def _spelled(option: click.Option) -> Tuple[str, str]:
    """`--tile MxNxK`, and what click itself would add to the help."""
    names = ", ".join(option.opts) + "".join(f"/{name}" for name in option.secondary_opts)
    value, notes = "", []
    if isinstance(option.type, click.Choice):
        value = "|".join(option.type.choices)
    elif not option.is_flag:
        value = option.metavar or {"integer range": "N", "integer": "N", "float": "X", "text": "WORD"}.get(
            option.type.name, option.type.name)
    if option.show_default:
        notes.append(f"Default: {option.default}.")
    return f"{names} {value}".rstrip(), " ".join(notes)


def _options(command: click.Command) -> str:
    rows = []
    for option in command.params:
        if isinstance(option, click.Option):
            spelled, notes = _spelled(option)
            text = " ".join(part for part in (option.help or "", notes) if part)
            cells = [cell.replace("|", "\\|") for cell in (f"`{spelled}`", text)]
            rows.append(f"| {cells[0]} | {cells[1]} |")
    return "| option | |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""


def _examples(command) -> str:
    if not command.examples:
        return ""
    lines = []
    for words, remark in command.examples:
        lines += ([f"# {remark}"] if remark else []) + [words]
    return "```sh\n" + "\n".join(lines) + "\n```\n"
