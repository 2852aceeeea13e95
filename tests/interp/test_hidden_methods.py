"""What `__init__` assigns to a method's name is what a module is called by, as torch says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

CALLED = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, flag):
        super().__init__()
        {init}

    def doubled(self, x):
        return x * 2

    def scaled(self, x):
        return x.mul_(2)

    def forward(self, x):
        {forward}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.scale = nn.Linear(4, 4), Scale({flag})

    def forward(self, x):
        return self.scale(self.inner(x).sigmoid())


Net()(torch.ones(2, 4)).sum().backward()
"""
#: What the constructor assigns, with what flag, and what the method of the class does.
ASSIGNED = [
    ("self.forward = self.scaled", True, "return x * 2"),
    ("self.forward = self.doubled", True, "return x.mul_(2)"),
    ("if flag: self.forward = self.scaled", True, "return x * 2"),
    ("if flag: self.forward = self.scaled", False, "return x * 2"),
    ("if flag: self.forward = self.doubled", False, "return x.mul_(2)"),
    ("self.forward = self.doubled if flag else self.scaled", False, "return x * 2"),
    ("self.other = self.scaled", True, "return x * 2"),
]


@pytest.mark.parametrize(("init", "flag", "forward"), ASSIGNED)
def test_a_module_is_called_by_what_its_constructor_assigns(
    tmp_path: Path, init: str, flag: bool, forward: str
) -> None:
    program = tmp_path / "a.py"
    program.write_text(CALLED.format(init=init, flag=flag, forward=forward))
    assert bool(told(program.read_text())) == refuses(program, tmp_path)


QUIET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, recorded={default}):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        {init}

    def forward(self, x):
        y = self.inner(x).sigmoid()
        y[0] = 0
        return y
"""
RUN = """

out = Net()(torch.ones(2, 4))
if out.requires_grad:
    out.sum().backward()
"""


@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize("condition", ["if not recorded: ", "if recorded: ", ""])
def test_a_method_in_a_mode_records_as_its_constructor_says(
    tmp_path: Path, default: bool, mode: str, condition: str
) -> None:
    """With the constructor's defaults, and the file run."""
    program = tmp_path / "a.py"
    text = QUIET.format(default=default, init=f"{condition}self.forward = torch.{mode}()(self.forward)")
    program.write_text(text + RUN)
    refused = refuses(program, tmp_path)
    assert bool(told(text + RUN)) >= refused
    if condition != "if recorded: ":  # there a flag turns recording off, and nothing says that it is used
        assert bool(told(text)) == (refused or (default and condition != ""))


ATTRIBUTE = """\
import torch
from torch import nn


class Net(nn.Module):
    works_in_place = {of_class}

    def __init__(self, flag):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        if flag:
            self.works_in_place = {of_object}

    def forward(self, x):
        y = self.inner(x).sigmoid()
        return y.mul_(2) if self.works_in_place else y * 2


Net({flag})(torch.ones(2, 4)).sum().backward()
"""


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize(("of_class", "of_object"), [(False, True), (True, False)])
def test_an_attribute_of_the_class_holds_where_the_object_sets_none(
    tmp_path: Path, flag: bool, of_class: bool, of_object: bool
) -> None:
    program = tmp_path / "a.py"
    program.write_text(ATTRIBUTE.format(flag=flag, of_class=of_class, of_object=of_object))
    assert refuses(program, tmp_path) == (of_object if flag else of_class)
    assert bool(told(program.read_text())) >= refuses(program, tmp_path)


EITHER = """\
from torch import nn


class Block(nn.Module):
    def __init__(self, n, channels, out=None):
        super().__init__()
        self.first, self.out = nn.Sequential(nn.Linear(n, channels), nn.ReLU()), out
        if out is not None:
            self.last = nn.Linear(channels, out)
        self.residual = n == {compared}

    def forward(self, x):
        y = self.first(x)
        if self.out is not None:
            y = self.last(y)
        if self.residual:
            y += x
        return y
"""


@pytest.mark.parametrize(("compared", "found"), [("out", []), ("channels", ["IPL101"])])
def test_two_options_that_are_equal_are_not_none(compared: str, found: list[str]) -> None:
    assert told(EITHER.format(compared=compared)) == found


STACKED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    @torch.{outer}()
    @torch.{inner}()
    def forward(self, x):
        y = self.inner(x).sigmoid()
        y[0] = 0
        return y
"""


@pytest.mark.parametrize(("outer", "inner"), [("no_grad", "enable_grad"), ("enable_grad", "no_grad")])
def test_the_inner_of_two_modes_decides(tmp_path: Path, outer: str, inner: str) -> None:
    program = tmp_path / "a.py"
    program.write_text(STACKED.format(outer=outer, inner=inner) + RUN)
    refused = refuses(program, tmp_path)
    assert refused == (inner == "enable_grad")
    assert bool(told(program.read_text())) == refused
