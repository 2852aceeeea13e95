"""The tracer's verdict on hand-made programs is PyTorch's own, and its lines are the right ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from inplace_lint.runtime.immediate import is_stale

from .cases import Case, cases
from .programs import copied, plain, traced

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict_is_torchs(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    native, gradients = plain(case.source, path)
    error, trace = traced(case.source, path)
    found = trace.diagnostics

    # What PyTorch does without us is what the marks say.
    if case.clean or case.silent:
        assert native is None, native
    else:
        assert native is not None
    # With us it does the same.
    assert type(error) is type(native), (error, native)
    if native is not None:
        assert is_stale(error) == is_stale(native) == (not case.raises)

    # And the tracer tells it, at the right lines.
    if case.raises:
        assert not trace.hazards
        return
    assert {(one.location.row, one.code) for one in found} == set(case.writes.items()), trace.report()
    assert {one.location.filename for one in found} <= {str(path)}
    if case.saves:
        rows = {label.location.row for one in found for label in one.labels if label.role == "save"}
        assert rows <= case.saves and rows, trace.report()
    if case.silent:
        true = copied(case.source, path)
        assert any(not torch.allclose(one, other) for one, other in zip(gradients, true, strict=True))


def test_cases_are_many_and_of_every_kind() -> None:
    codes = {code for case in CASES for code in (*case.writes.values(), *case.raises.values())}
    assert codes == {f"IPL10{digit}" for digit in range(1, 9)} | {"IPL201", "IPL202", "IPL203"}
    assert len(CASES) >= 60
    assert sum(case.clean for case in CASES) >= 25
