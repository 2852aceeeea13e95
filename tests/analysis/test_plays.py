"""Which of the operations that the table knows have another meaning to the analysis."""

from __future__ import annotations

from inplace_lint.analysis import plays, symbols
from inplace_lint.torchmodel import table
from inplace_lint.torchmodel.spelling import MODES


def test_every_operation_that_is_played_is_named_as_one() -> None:
    played = {dotted for dotted in plays.PLAYS if table.function(dotted) is not None}
    assert played == symbols.PLAYED


def test_no_mode_is_an_operation() -> None:
    assert [dotted for dotted in MODES if table.function(dotted) is not None] == []
