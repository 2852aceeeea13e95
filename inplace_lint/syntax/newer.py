"""Tells whether a syntax error may come from syntax of a newer Python than the running one."""

from __future__ import annotations

import re
import sys

#: The newest Python whose grammar is supported.
_NEWEST = (3, 14)

#: What newer versions brought, as it looks in the row where an older one stumbles.
_BROUGHT = (
    ((3, 11), r"\bexcept\s*\*|[\[,:]\s*\*\s*\w"),
    ((3, 12), r"^\s*type\s+\w+\s*[\[=]|\b(?:def|class)\s+\w+\s*\[|\b(?:[fF][rR]?|[rR][fF])['\"]"),
    ((3, 13), r"\b(?:def|class|type)\s+\w+\s*\[[^\]]*="),
    # `except A, e:` is rather Python 2: there the second is a name for the exception.
    ((3, 14), r"\b(?:[tT][rR]?|[rR][tT])['\"]|\bexcept\s+[\w.]+(?:\s*,\s*[\w.]*[A-Z][\w.]*)+\s*:"),
)
#: What no grammar takes, or ever took since Python 3.
_NEVER = ("Missing parentheses", "empty expression")


def advice(error: SyntaxError) -> str:
    """What to do, where the file may be written for a newer Python; else empty."""
    running = sys.version_info[:2]
    if running >= _NEWEST or any(words in error.msg for words in _NEVER):
        return ""
    in_f_string = error.msg.startswith("f-string") and running < (3, 12)
    if not in_f_string and not any(
        running < since and re.search(pattern, error.text or "") for since, pattern in _BROUGHT
    ):
        return ""
    return (
        f" (read as Python {running[0]}.{running[1]}: "
        "if the file is written for a newer Python, run inplace-lint on that Python)"
    )
