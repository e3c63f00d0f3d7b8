# SPDX-License-Identifier: Apache-2.0
"""Text of the generated files. Templates hold the look, no decisions; an undefined name in one is an error."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Optional, Sequence

import jinja2

from catlass_c.epilogue import includes
from catlass_c.errors import failure
from catlass_c.instances import Instance
from catlass_c.place import templates_folder
from catlass_c.schema import macros


class Renderer:
    def __init__(self, folder: Optional[Path] = None):
        self.folder = folder or templates_folder()
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(self.folder)), undefined=jinja2.StrictUndefined, autoescape=False,
            trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, newline_sequence="\n")

    def text(self, template: str, **values: object) -> str:
        try:
            return self.environment.get_template(template).render(**values)
        except jinja2.TemplateSyntaxError as error:
            raise failure(f"{self.folder / (error.filename or template)}:{error.lineno}: {error.message}") from error
        except jinja2.TemplateNotFound as error:
            raise failure(f"{self.folder / template}: the template is missing") from error
        except jinja2.UndefinedError as error:
            # Jinja rewrites the traceback so that its frames name the template's own lines.
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
                     if frame.filename.endswith(template)]
            line = f":{lines[-1]}" if lines else ""
            raise failure(f"{self.folder / template}{line}: {error.message}") from error

    def parameters(self, instance: Instance, last_include: str, with_operations: bool = True) -> str:
        file, _, line = instance.source.rpartition(":")
        positions = [f"X({index}, {position.operation.name}, {position.operation.kind}, {position.type})"
                     for index, position in enumerate(instance.chain)]
        return self.text("params.h.j2", instance=instance, macros=macros(instance.config),
                         includes=includes(instance.chain) if with_operations else [], n_epi=len(instance.chain),
                         epi_list=" ".join(positions), file=file, line=line, last_include=last_include)

    def probe(self, instances: Sequence[Instance]) -> str:
        # The rules look at the list of operations, not into their headers, so that the probe does not read those.
        texts = [self.parameters(instance, f"catlass_c/check/{instance.skeleton}.h", with_operations=False)
                 for instance in instances]
        return self.text("probe.c.j2", instances=texts, names=[instance.c_name for instance in instances])
