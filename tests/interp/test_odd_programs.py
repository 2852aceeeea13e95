"""Programs that once made the tool fail on them: they are analysed, and what they hold is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

HEAD = "import torch\nfrom torch import nn\n"

NESTED = """\
class Net(nn.Module):
    def forward(self, x):
        def run():
            self.cached = 3
            def inner():
                self.seen = x
                x.add_(1)
            return inner
        run()()
        y = torch.sigmoid(x)
        y += 1
        return y
"""

OF_NOBODY = """\
class Net(nn.Module):
    @classmethod
    def make():
        return Net()
    def begin(*args):
        args[0].width = 4
    def forward(self, x):
        self.begin()
        Net.make()(x).add_(1)
        y = torch.sigmoid(x)
        y += 1
        return y
"""

EACH_OF_EACH = """\
def prepared(value):
    if isinstance(value, torch.Tensor):
        value.requires_grad_(True)
        return value
    if isinstance(value, tuple):
        return tuple(prepared(one) for one in value)
    return value
def cost(x, fn):
    y = torch.sigmoid(prepared(x))
    y += 1
    fn(y).backward()
class Stage(nn.Module):
    pass
"""

NOTHING_KNOWN = """\
import lib
def keep(target, x):
    target.cache = torch.sigmoid(x)
    x.mul_(2)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = [[[[lib.memory()]]]]
    def forward(self, x):
        keep(self.table[0][0][0][0], x)
        y = torch.sigmoid(x)
        y += 1
        return y
"""


NEVER_RETURNS = """\
class Sample:
    def __next__(self):
        while True:
            pass

class Samples:
    def __iter__(self):
        return Sample()

def f(x):
    y = torch.sigmoid(x)
    y += 1
    return y

def first():
    number, sample = next(enumerate(Samples()))
    sample.relu_()
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(NESTED, id="closure without parameters sets an attribute"),
        pytest.param(OF_NOBODY, id="method without parameters"),
        pytest.param(NOTHING_KNOWN, id="attribute of what nothing is known of"),
        pytest.param(NEVER_RETURNS, id="iterator that never returns"),
        pytest.param(EACH_OF_EACH, id="function that calls itself with what it takes of its argument"),
    ],
)
def test_program_is_analysed(body: str, tmp_path: Path) -> None:
    source = HEAD + body
    row = source[: source.index("y += 1")].count("\n") + 1
    found = check_source("a.py", source.encode(), Settings(), Project(str(tmp_path)))
    assert "IPL002" not in {one.code for one in found}
    assert ("IPL101", row) in {(one.code, one.location.row) for one in found}


def test_what_a_closure_leaves_in_the_object_is_seen_by_its_caller() -> None:
    source = f"""{HEAD}
class Net(nn.Module):
    def remember(self, x):
        def put():
            self.kept = x
        put()
    def forward(self, x):
        x = x * 2
        self.remember(x)
        y = torch.sigmoid(x)
        z = x.sin()
        self.kept += 1
        return y + z
"""
    found = check_source("a.py", source.encode(), Settings(), Project("."))
    assert [one.code for one in found] == ["IPL102"]
