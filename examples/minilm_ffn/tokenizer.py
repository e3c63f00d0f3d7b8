# SPDX-License-Identifier: Apache-2.0
"""Sentences to token numbers, by the model's own tokenizer.json."""
from pathlib import Path

from tokenizers import Tokenizer


def tokenize(directory, sentences):
    """One list of token numbers per sentence, [CLS] and [SEP] included. No padding: the encoder takes sentences of
    different lengths as they are."""
    tokenizer = Tokenizer.from_file(str(Path(directory) / "tokenizer.json"))
    tokenizer.no_padding()
    return [encoding.ids for encoding in tokenizer.encode_batch(sentences)]
