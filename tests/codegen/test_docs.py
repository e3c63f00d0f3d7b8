# SPDX-License-Identifier: Apache-2.0
"""The YAML lines that README and CONTRIBUTING tell a reader to add are new, legal, and have the names that are tested
after them."""

import re
import shutil

import pytest
import yaml
from catlass_c import generation, schema
from catlass_c.instances import Inputs
from conftest import ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md")
_LINE = re.compile(r"[ \t]*- (\{.*\})[ \t]*")


def examples():
    """(document, line): those of ```yaml blocks, however deep the block is indented."""
    found = []
    for document in DOCUMENTS:
        path = ROOT / document
        if path.is_file():  # an installed copy has no documents
            for block in re.findall(r"^[ \t]*```yaml\n(.*?)^[ \t]*```", path.read_text(encoding="utf-8"),
                                    re.DOTALL | re.MULTILINE):
                found += [(document, match.group(1)) for match in map(_LINE.fullmatch, block.splitlines()) if match]
    return found


def file_for(line, folder):
    """The instance file of the skeleton whose fields these are; its defaults give those that the line leaves out."""
    fields = set(yaml.safe_load(line))
    for skeleton, model in schema.MODELS.items():
        path = folder / f"{skeleton}.yaml"
        given = fields | set(yaml.safe_load(path.read_text()).get("defaults", {}))
        required = {field for field, info in model.model_fields.items() if info.is_required()}
        if fields <= set(model.model_fields) and required <= given:
            return path
    raise AssertionError(f"{line}: no skeleton has these fields")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """One folder for all lines: the rules are asked about the library's instances once."""
    return tmp_path_factory.mktemp("docs") / "out"


def test_every_document_has_a_line():
    assert {document for document, _ in examples()} == {name for name in DOCUMENTS if (ROOT / name).is_file()}


@pytest.mark.parametrize(("document", "line"), examples())
def test_line(document, line, include, tmp_path, out):
    folder = tmp_path / "instances"
    shutil.copytree(ROOT / "instances", folder)
    before = {instance.name for instance in Inputs.find(include, [folder]).load()}
    path = file_for(line, folder)
    path.write_text(path.read_text().rstrip("\n") + f"\n  - {line}\n")
    inputs = Inputs.find(include, [folder])
    new = [instance.name for instance in inputs.load() if instance.name not in before]
    assert new, f"{document}: {line}: gives no instance that the library has not already"
    # refuses what breaks a rule, and what is the same as an instance of the library
    result = generation.generate(inputs, generation.Target(out, select="default"))
    assert result.total == len(before) + len(new)
    built = {instance.name for instance in result.built}
    # a reader adds the line, builds and runs `ctest -R WORD`: that finds nothing where the build leaves it out
    words = re.findall(r"ctest --test-dir \S+ -R ([^\s`]+)", (ROOT / document).read_text(encoding="utf-8"))
    assert any(re.search(word, name) for word in words for name in new), (words, new)
    assert set(new) <= built, f"{document}: {line}: a plain build leaves it out; add default: true"
