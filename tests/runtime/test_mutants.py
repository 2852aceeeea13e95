"""On random modules and their mutants the tracer says what PyTorch says; the long form is a command.

`python -m tests.runtime.mutants --mutants 2500` compares more of them.
"""

from __future__ import annotations

from pathlib import Path

from .mutants import Tally, judge


def test_mutants_raise_under_the_tracer_as_they_do_without(tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(250):
        judge(seed, tally, tmp_path / "mutant.py")
    report = "\n\n".join(tally.wrong) + f"\n{tally}"
    assert not tally.counts["DISAGREEMENT"], report
    assert not tally.counts["FALSE ALARM"], report
    raising = tally.counts["mutants that raise in backward"]
    assert raising > 50, report
    assert tally.counts["written line right"] >= 0.95 * raising, report
