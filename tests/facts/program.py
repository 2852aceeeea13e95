"""A fact as a few lines of code: torch runs them, the static analysis reads them, both must say what their marks say.

A line of a program carries at most one mark::

    # expect: IPL101    this makes torch raise, for the reason that the rule gives, and the analysis reports it here
    # raises: words     torch raises here, in these words; no rule speaks of it, and the analysis says nothing
    # silent: IPL105    torch says nothing, though more changes than the line says; the analysis reports it here

A program without a mark runs to its end, and the analysis says nothing. What else a fact claims (versions, shared
memory, values) the program asserts itself.
"""

from __future__ import annotations

import re
import textwrap
import traceback
import warnings

import pytest
import torch

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

from ..differential.generator import Program
from ..differential.oracle import FILENAME, IMMEDIATE, STALE, Discard, judge

#: What every program begins with: `a` needs grad, `b` and `mask` do not.
GIVEN = """\
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
a = torch.rand(4, 4, requires_grad=True)
b = torch.rand(4, 4)
mask = b > 0.5
"""
VERSIONS = re.compile(r"from (\d+) to (\d+)")
MARK = re.compile(r"# (expect|raises|silent): (.*)")
#: What IPL108 covers and random programs do not make.
AT_ONCE = (
    *IMMEDIATE,
    ("view was created in inference mode", "IPL108"),
    ("created inside a custom Function", "IPL108"),
)

Place = tuple[int, str]


class StaticDisagreement(AssertionError):
    """Torch said what the marks say, and the static analysis did not."""


def unmet(reason: str) -> pytest.MarkDecorator:
    """Marks a fact that holds in torch and that the static analysis does not know yet."""
    return pytest.mark.xfail(strict=True, raises=StaticDisagreement, reason=reason)


def agree(program: str) -> None:
    """Asserts that torch and then the static analysis say of a program what its marks say."""
    source = GIVEN + textwrap.dedent(program)
    expected: set[Place] = set()
    silent: set[Place] = set()
    raised: Place | None = None
    for row, line in enumerate(source.splitlines(), 1):
        mark = MARK.search(line)
        if mark and mark[1] != "raises":
            (expected if mark[1] == "expect" else silent).add((row, mark[2].strip()))
        elif mark:
            raised = (row, mark[2].strip())
    versions = _ask_torch(source, expected, raised)
    findings = examine("fact.py", source.encode(), Settings())
    found = {(one.location.row, one.code) for one in findings}
    if found != expected | silent:
        told = f"expected {_words(expected | silent)}, the analysis says {_words(found)}"
        raise StaticDisagreement(f"{told} of\n{_numbered(source)}")
    said = VERSIONS.search(findings[0].caption) if len(findings) == 1 else None
    # Where one line, run once, makes the save stale, PyTorch's message has the versions before and after it.
    if said and versions and "for " not in source and (int(said[1]), int(said[2])) != versions:
        told = f"torch moves the version from {versions[0]} to {versions[1]}, the analysis says `{said[0]}`"
        raise StaticDisagreement(f"{told} of\n{_numbered(source)}")


def _ask_torch(source: str, expected: set[Place], raised: Place | None) -> tuple[int, int] | None:
    """Asserts that torch says what the marks say; the versions that its message names, if it names any."""
    error = _run(source)
    told = f"torch says {error} of\n{_numbered(source)}"
    if error is None:
        assert not expected and raised is None, told
        return None
    row, message = error
    if raised is not None:
        assert row == raised[0] and raised[1] in message, told
        return None
    if STALE in message:
        assert _stale_writes(source, expected), told
        stale = re.search(r"is at version (\d+); expected version (\d+)", message)
        return (int(stale[2]), int(stale[1])) if stale else None
    rules = {rule for words, rule in AT_ONCE if words in message}
    assert any((row, rule) in expected for rule in rules), told
    return None


def _run(source: str) -> tuple[int, str] | None:
    """The line at which a program raises, and the words; None if it runs to its end."""
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, FILENAME, "exec", dont_inherit=True), {"__name__": "__main__"})
    except Exception as error:
        rows = [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__) if f.filename == FILENAME]
        return rows[-1], f"{type(error).__name__}: {error}"
    finally:
        torch.set_grad_enabled(True)
    return None


def _stale_writes(source: str, expected: set[Place]) -> bool:
    """Whether the marked lines are those that made saves stale, and the saves of the kind that the rules speak of."""
    lines = source.splitlines()
    try:
        hazards = judge(Program(source, "script", "", 0)).hazards
    except Discard:
        # The oracle's tracer does not see this write. Then the marked lines must do it: without them all is well.
        kept = [
            re.sub(r"\S.*", "pass", line) if row in dict(expected) else line
            for row, line in enumerate(lines, 1)
        ]
        return _run("\n".join(line for line in kept if not line.lstrip().startswith("assert "))) is None
    codes: dict[int, set[str]] = {}
    for stack, write in hazards.items():
        row = next((row for row in stack if row in dict(expected)), None)
        if row is None:
            return False
        kinds = write.kinds
        if ".step()" in lines[row - 1] or ".load_state_dict(" in lines[row - 1]:
            codes.setdefault(row, set()).add("IPL106")
        else:
            codes.setdefault(row, set()).update({"IPL101"} if "result" in kinds else {"IPL102"})
            if "either" in kinds:
                codes[row] |= {"IPL101", "IPL102"}
    return codes.keys() == dict(expected).keys() and all(code in codes[row] for row, code in expected)


def _words(places: set[Place]) -> str:
    return ", ".join(f"{code} at {row}" for row, code in sorted(places)) or "nothing"


def _numbered(source: str) -> str:
    return "\n".join(f"{row:3d}  {line}" for row, line in enumerate(source.splitlines(), 1))
