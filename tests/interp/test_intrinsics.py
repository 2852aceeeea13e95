"""Which of the operations that the table knows have another meaning."""

from __future__ import annotations

from inplace_lint.interp import intrinsics
from inplace_lint.torchmodel import table
from inplace_lint.torchmodel.spelling import INTRINSIC_OPS, MODES


def test_every_operation_that_is_played_is_named_as_one() -> None:
    played = intrinsics.INTRINSICS
    assert {dotted for dotted in played if table.function(dotted) is not None} == INTRINSIC_OPS


def test_no_mode_is_an_operation() -> None:
    modes = set(MODES) - INTRINSIC_OPS
    assert [dotted for dotted in modes if table.function(dotted) is not None] == []
