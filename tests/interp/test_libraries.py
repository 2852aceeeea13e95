"""Files whose classes and functions are given untyped arguments, checked without the lines that say what these are.

Each is run in torch with those lines: where a line is marked it must end in autograd's error, elsewhere well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

CASES = sorted((Path(__file__).parent / "libraries").glob("*.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
@pytest.mark.filterwarnings("ignore")
def test_library_in_torch(case: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    text = case.read_text(encoding="utf-8")
    program = compile(text, str(case), "exec")
    if "# expect: " in text:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            exec(program, {"__name__": "__main__"})
    else:
        exec(program, {"__name__": "__main__"})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_library_is_flagged_where_it_says(case: Path) -> None:
    text, _, driver = case.read_text(encoding="utf-8").partition('\nif __name__ == "__main__":')
    assert driver and ("# expect: " in text) == case.stem.startswith("bad_")
    expected = {
        (number, line.partition("# expect: ")[2].strip())
        for number, line in enumerate(text.splitlines(), 1)
        if "# expect: " in line
    }
    found = examine(str(case), text.encode(), Settings())
    assert {(one.location.row, one.code) for one in found} == expected


FACTORY = """from functools import partial

from torch import nn

KINDS = {"relu": partial(nn.ReLU, inplace=True), "leaky": lambda: nn.LeakyReLU(0.1, inplace=True), "gelu": nn.GELU}
Cut = partial(nn.ReLU, inplace=True)


def activation(kind="relu"):
    return KINDS[kind]()
"""
USER = """import torch
from kinds import Cut, activation
from torch import nn


class Gate(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.act = {built}

    def forward(self, x):
        {before}
        return self.act(y) * x
"""


@pytest.mark.parametrize("built", ['activation("leaky")', "activation()", "Cut()"])
def test_module_that_another_file_builds_to_work_in_place(built: str, tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text(FACTORY, encoding="utf-8")
    user = tmp_path / "user.py"
    held = USER.format(built=built, before="y = torch.sigmoid(self.linear(x))")
    found = examine(str(user), held.encode(), Settings())
    assert [(one.location.row, one.code) for one in found] == [(14, "IPL101")]
    free = USER.format(built=built, before="y = self.linear(x)")
    assert examine(str(user), free.encode(), Settings()) == []
