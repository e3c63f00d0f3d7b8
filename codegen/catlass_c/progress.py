# SPDX-License-Identifier: Apache-2.0
"""What a command says while it works, to somebody who waits at a terminal; nothing in a pipe or a log."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)
