"""Layers that initialise themselves once, with a flag in a tensor; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

KEPT = {
    "a buffer": "self.register_buffer('done', torch.tensor(0))",
    "a bool": "self.register_buffer('done', torch.tensor(False))",
    "a parameter": "self.done = nn.Parameter(torch.zeros(1), requires_grad=False)",
    "a tensor": "self.done = torch.tensor(0)",
}
TESTS = (
    "self.done.item() == 0",
    "not self.done.item()",
    "not self.done",
    "self.done == 0",
    "int(self.done) == 0",
    "self.training and self.done == 0",
)
SETS = {
    "filled": "self.done.fill_(1)",
    "filled through data": "self.done.data.fill_(1)",
    "copied": "self.done.copy_(torch.tensor(1))",
    "copied from a list": "self.done.data.copy_(torch.Tensor([True]).squeeze())",
    "counted up": "self.done += True",
    "left as it was": "pass",
    "filled, then taken from the input": "self.done.fill_(1); self.done.copy_((x.sum() > 1e9).to(self.done.dtype))",
    "a part filled that is empty": "self.done.reshape(-1)[1:].fill_(1)",
    "filled with what it was": "self.done.fill_(0)",
}
USES = {
    "twice": "return self.norm(self.norm(x) * 2)",
    "in a loop": "for _ in range(3):\n            x = self.norm(x)\n        return x",
    "two of them": "return self.norm(x) + self.other(x)",
}
SOURCE = """\
import torch
from torch import nn


class ActNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.loc, self.scale = nn.Parameter(torch.zeros(n)), nn.Parameter(torch.ones(n))
        {kept}

    def forward(self, x):
        if {test}:
            with torch.no_grad():
                self.loc.copy_(-x.mean(0))
                self.scale.copy_(1 / (x.std(0) + 1e-6))
            {set}
        return self.scale * (x + self.loc)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm, self.other = nn.Linear(4, 4), ActNorm(4), ActNorm(4)

    def forward(self, x):
        x = self.lin(x)
        {use}


Net()(torch.randn(8, 4)).pow(2).sum().backward()
"""


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("set_", SETS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("kept", KEPT)
def test_a_flag_decides_whether_the_write_comes_again(
    kept: str, test: str, set_: str, use: str, tmp_path: Path
) -> None:
    """A second write of what the first call saved is told just where torch's backward raises."""
    source = SOURCE.format(kept=KEPT[kept], test=test, set=SETS[set_], use=USES[use])
    try:
        exec(compile(source, "case", "exec"), {"__name__": "case"})
    except RuntimeError as error:
        assert "modified by an inplace" in str(error)
        raises = True
    else:
        raises = False
    findings = check_source(
        str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path))
    )
    assert any(one.severity == "error" for one in findings) == raises, (source, findings)


def test_any_and_all_of_many_elements_are_two_questions(tmp_path: Path) -> None:
    """Where some elements of a buffer are 0 and some are not, both branches are run: the write comes after the save."""
    source = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("alive", torch.ones(4))

    def forward(self, x):
        h = self.lin(x).sigmoid()
        if self.alive.any() and not self.alive.all():
            h *= self.alive
        return h
"""
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert [one.code for one in found] == ["IPL101"]


@pytest.mark.parametrize(
    ("start", "after", "told"),
    [
        (-2, "self.done += 1", True),  # it is negative once more
        (0, "self.done.fill_(1); helper.reset(self.done)", True),
        (0, "self.done.fill_(1)", False),
    ],
)
def test_what_is_not_known_of_a_flag(start: int, after: str, told: bool, tmp_path: Path) -> None:
    """A number added to one that no test has told, and what another package may have written."""
    source = SOURCE.format(
        kept=f"self.register_buffer('done', torch.tensor({start}))",
        test="self.done < 0" if start else "self.done == 0",
        set=after,
        use=USES["twice"],
    )
    text = "import helper\n" + source
    found = check_source(str(tmp_path / "case.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) is told


@pytest.mark.parametrize(
    "kept",
    [
        "self.register_buffer('done', torch.tensor(0))",
        "self.done = torch.tensor(0)",
        "self.done = torch.ones(1); self.done.zero_()",
        "self.done = torch.ones(1); self.done.fill_(0)",
    ],
)
def test_later_calls_are_looked_at_too(kept: str, tmp_path: Path) -> None:
    """What a constructor puts into a flag is not what it holds at each call."""
    source = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.lin = nn.Linear(4, 4)\n        {kept}\n\n"
        "    def forward(self, x):\n        h = self.lin(x).sigmoid()\n        if self.done == 0:\n"
        "            self.done.fill_(1)\n            return h\n        h += 1\n        return h\n"
    )
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert [one.code for one in found] == ["IPL101"]
