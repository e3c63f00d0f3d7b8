# SPDX-License-Identifier: Apache-2.0
"""Code generator and command line of catlass_c: YAML instances in, C parameter files and a registry out."""

__version__ = "0.1.0"
