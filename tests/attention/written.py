"""Scores the attention rules on whole programs that others wrote: `python -m tests.attention --programs`.

A program is a file with one line `# --- driver ---`; below it the program runs what stands above, and leaves outputs
and gradients in `RESULTS`. The line of the softmax ends in `# ATTN`, or in `# NOT` where the softmax is no attention
between positions, or is one for which the fused kernel would give something else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from inplace_lint.engine.pipeline import examine
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

from .compare import applied

HERE = Path(__file__).parent / "programs"
SETS = ("first", "second", "third", "fourth")
DRIVER = "# --- driver ---"
#: Two results are the same up to this share of the largest number: some programs take their softmax in float32.
TOLERANCE = 1e-6


@dataclass
class Program:
    """One program, and the row of its softmax."""

    path: Path
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def is_attention(self) -> bool:
        return "# ATTN" in self.text

    @property
    def row(self) -> int:
        mark = "# ATTN" if self.is_attention else "# NOT"
        return next(row for row, line in enumerate(self.text.splitlines(), 1) if mark in line)

    def found(self, library: bool = False) -> Diagnostic | None:
        """What IPL401 says of the marked line; as a library: without the lines that run what stands above."""
        text = self.text.partition(DRIVER)[0] if library else self.text
        for one in examine(str(self.path), text.encode(), Settings(notes=True)):
            if one.code == "IPL401" and one.location.row == self.row:
                return one
        return None

    def rewritten(self, one: Diagnostic) -> str | None:
        """The program with the finding's fix; None where there is none."""
        return None if one.plan is None else applied(self.text, one.plan.edits(self.text))


def programs(name: str) -> list[Program]:
    """The programs of a set, by name; one without a driver gets that of `driver.py`, which calls `make()`."""
    shared = (HERE / "driver.py").read_text("utf-8")
    texts = {path: path.read_text("utf-8") for path in sorted((HERE / name).glob("*.py"))}
    return [
        Program(path, text if DRIVER in text else f"{text}\n\n{DRIVER}\n{shared}")
        for path, text in texts.items()
    ]


def difference(before: str, after: str) -> float:
    """By what share of its largest number a result differs most; raises what the second program raises."""
    one, other = _results(before), _results(after)
    assert len(one) == len(other)
    worst = 0.0
    for a, b in zip(one, other):
        assert a.shape == b.shape
        if a.numel():
            worst = max(worst, float((a - b).abs().max() / a.abs().max().clamp(min=1.0)))
    return worst


def _results(text: str) -> list[torch.Tensor]:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "program", "exec"), space)
    results: list[torch.Tensor] = space["RESULTS"]
    return results


def score() -> int:
    """Print a row for each set; 1 where a fix changed a program, and did not say that it may."""
    wrong = 0
    print(f"{'set':8}  {'found':9}  {'with notes':10}  {'look-alikes':12}  {'rewritten':9}  the same")
    for name in SETS:
        found = [(one, one.found()) for one in programs(name)]
        attentions = [said for one, said in found if one.is_attention]
        others = [said for one, said in found if not one.is_attention]
        verdicts = [_verdict(one, said) for one, said in found if said is not None]
        wrong += verdicts.count("wrong")
        print(
            f"{name:8}  {_shown(attentions):9}  {sum(map(bool, attentions))} of {len(attentions):<4}  "
            f"{_shown(others):12}  {len(verdicts) - verdicts.count('no fix'):<9}  {verdicts.count('the same')}"
        )
    return int(wrong > 0)


def _shown(found: list[Diagnostic | None]) -> str:
    shown = [one for one in found if one is not None and one.severity != "note"]
    return f"{len(shown)} of {len(found)}"


def _verdict(program: Program, found: Diagnostic) -> str:
    """What the fix of a finding does to the program; told where it is not the same."""
    text = program.rewritten(found)
    if text is None or found.plan is None:
        return "no fix"
    try:
        worst = difference(program.text, text)
    except RuntimeError as error:
        print(f"    {program.name} raises: {str(error).splitlines()[0]}")
        return "wrong" if found.plan.applicability == "safe" else "raises"
    if worst <= TOLERANCE:
        return "the same"
    print(f"    {program.name} differs by {worst:.1e}")
    return "wrong"
