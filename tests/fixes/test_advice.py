"""PLR6104's advice, `h *= s` for `h = h * s`, turns a training step that works into one that raises."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.project import Settings
from inplace_lint.report import render
from inplace_lint.report.findings import Findings

RIGHT = """\
import torch

h = torch.tanh(torch.ones(3, dtype=torch.float64, requires_grad=True))
kept = h.sum()
h = h * 2
(kept + h.sum()).backward()
"""
ADVISED = RIGHT.replace("h = h * 2", "h *= 2")


def test_the_advice_breaks_backward() -> None:
    pytest.importorskip("torch")
    exec(RIGHT, {})
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(ADVISED, {})


def test_the_finding_says_so_and_its_fix_takes_the_advice_back() -> None:
    def lint(source: bytes) -> list:
        return everything("step.py", source, Settings())

    assert lint(RIGHT.encode()) == []
    found = lint(ADVISED.encode())
    assert [one.code for one in found] == ["IPL101"]
    done = fix_source(ADVISED.encode(), lambda _, all_found: all_found, lint, unsafe=False)
    assert done.source == RIGHT.encode()


def test_a_run_says_once_whose_advice_not_to_follow() -> None:
    twice = ADVISED + ADVISED.replace("import torch\n", "")
    found = everything("step.py", twice.encode(), Settings())
    assert [one.code for one in found] == ["IPL101", "IPL101"]
    told = render("full", Findings(found, texts={"step.py": twice.encode()}))
    assert told.count("PLR6104") == 1
    assert "do not follow them" in told.partition("\n\n")[0]
    for form in ("github", "concise"):
        assert "PLR6104" not in render(form, Findings(found, texts={"step.py": twice.encode()}))
