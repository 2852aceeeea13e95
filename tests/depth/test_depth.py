"""What stands in several places, or shows only over time, is found; its good twin is silent. Torch judges both."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

from . import out_of_question, safe
from .forms import Form

_OTHERS = ("__init__", "forms", "safe")
PROGRAMS = {
    name: program
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in _OTHERS and not path.stem.startswith("test_")
    for name, program in import_module(f".{path.stem}", __package__).PROGRAMS.items()
}
NAMES = pytest.mark.parametrize("name", PROGRAMS)
FORMS = pytest.mark.parametrize("form", ["bad", "good"])


@NAMES
@FORMS
def test_torch_agrees_that_it_is_bad_or_good(name: str, form: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from ..rules.silence import verdict

    program = Form(PROGRAMS[name], form)
    if "einops" in program.source:
        pytest.importorskip("einops")
    with program.written(tmp_path) as path:
        said = verdict(program.source, str(path))
    assert said == "right" if form == "good" else said in ("raises", "silent")


@pytest.mark.parametrize("name", safe.PROGRAMS)
def test_safe_program_is_right_and_passed_over(name: str) -> None:
    program = Form(safe.PROGRAMS[name], "good")
    for text in (program.source, program.checked):
        found = examine("program.py", text.encode(), Settings())
        assert [(one.location.row, one.code) for one in found] == []
    pytest.importorskip("torch")
    pytest.importorskip("numpy")
    from ..rules.silence import verdict

    assert verdict(program.source) == "right"


@NAMES
@FORMS
def test_bad_form_is_reported_and_good_form_is_not(name: str, form: str, tmp_path: Path) -> None:
    program = Form(PROGRAMS[name], form)
    with program.written(tmp_path) as path:
        found = examine(str(path), program.checked.encode(), Settings())
    said = {(one.location.row, one.code) for one in found}
    assert said == program.expected


@pytest.mark.parametrize("name", out_of_question.PROGRAMS)
def test_good_form_is_silent_at_the_lowest_confidence(name: str, tmp_path: Path) -> None:
    program = Form(PROGRAMS[name], "good")
    with program.written(tmp_path) as path:
        found = examine(str(path), program.checked.encode(), Settings(min_confidence="possible"))
    assert [(one.location.row, one.code) for one in found] == []


MAY_SAVE = """\
import torch
from torch import nn
from somewhere import make_layer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 4)
        self.layer = make_layer()

    def forward(self, x):
        h = self.embed(x)
        y = self.layer(h)
        h.mul_(2)
        return y
"""


def test_module_that_is_not_in_sight_may_save_what_it_is_given() -> None:
    assert examine("program.py", MAY_SAVE.encode(), Settings()) == []
    found = examine("program.py", MAY_SAVE.encode(), Settings(min_confidence="possible"))
    assert [(one.location.row, one.code, one.confidence) for one in found] == [(15, "IPL102", "possible")]
    assert found[0].message == "`h` is changed in place after self.layer may have saved it for backward"
