# SPDX-License-Identifier: Apache-2.0
"""`python -m catlass_c` is the command `catlass-c`, with no installation."""

import sys

try:
    from catlass_c.cli import main
except ImportError as error:
    sys.exit(f"catlass-c: {error}; sh tools/setup.sh installs what is missing, or: {sys.executable} -m pip install "
             "jinja2 pyyaml 'pydantic>=2' click")

if __name__ == "__main__":
    main(prog_name="catlass-c")
