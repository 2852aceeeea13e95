"""`python -m inplace_lint` is `inplace-lint`."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    if not sys.flags.isolated and not getattr(sys.flags, "safe_path", False):
        # Python would look for modules in the working directory first: in what is checked.
        sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    from inplace_lint.cli import entry

    entry()
