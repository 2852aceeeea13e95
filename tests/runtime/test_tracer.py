"""The tracer's verdict on hand-made programs is PyTorch's own, and its lines are the right ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from inplace_lint.runtime.immediate import is_stale

from .cases import GIVEN, Case, cases, marked
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


#: What the innermost of sixty-one backwards, each inside of another, does in a thread of autograd's own.
IN_ITS_OWN_THREAD = """
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 2
    @staticmethod
    @torch.enable_grad()
    def backward(ctx, g):
        x = torch.ones(4, 4, requires_grad=True)
        if ctx.depth:
            torch.autograd.grad(Deep.apply(x, ctx.depth - 1).sum(), x)
        else:
            z = torch.ones(4, 4)
            d, = torch.autograd.grad(x.sin(), x, z, create_graph=True)  # save
            z.mul_(2)  # write: IPL102
            d.sum().backward()
        return g * 2, None
Deep.apply(a * 1.0, 60).sum().backward()
"""


def test_what_a_double_backward_saves_in_such_a_thread_is_saved_where_it_was_called(tmp_path: Path) -> None:
    case = marked("in its own thread", GIVEN + IN_ITS_OWN_THREAD)
    native, _ = plain(case.source, tmp_path / "program.py")
    assert native is not None and is_stale(native)
    # PyTorch loses an error of Python's that crosses that thread, so the tracer must not raise its own.
    error, trace = traced(case.source, tmp_path / "program.py", raises=False)
    assert error is None
    (found,) = trace.diagnostics
    assert {found.location.row: found.code} == case.writes
    assert {label.location.row for label in found.labels if label.role == "save"} == case.saves


@pytest.mark.parametrize("checksums", [True, False])
def test_parts_of_a_storage_that_count_their_own_writes_are_told_apart(
    tmp_path: Path, checksums: bool
) -> None:
    # The cell writes its gates in place, each a part of one tensor with a version of its own.
    source = """
cell = nn.LSTMCell(4, 4)
h = c = b
for _ in range(3):
    h, c = cell(a, (h, c))
(h * c).sum().backward()
"""
    error, trace = traced(GIVEN + source, tmp_path / "program.py", checksums=checksums)
    assert error is None
    assert not trace.diagnostics, trace.report()


def test_cases_are_many_and_of_every_kind() -> None:
    codes = {code for case in CASES for code in (*case.writes.values(), *case.raises.values())}
    assert codes == {f"IPL10{digit}" for digit in range(1, 9)} | {"IPL201", "IPL202", "IPL203"}
    assert len(CASES) >= 60
    assert sum(case.clean for case in CASES) >= 25
