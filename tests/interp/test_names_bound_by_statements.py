"""What the top level of a file binds to a name by several statements, or by a loop, a `with` or a `try`, is followed.

Each form binds ACT to a layer that works in place, and spoils what `exp` saved, or to one that does not: torch says so.
"""

from __future__ import annotations

import ast

import pytest

torch = pytest.importorskip("torch")

import inplace_lint  # noqa: E402
from inplace_lint.interp import names  # noqa: E402
from inplace_lint.syntax.lower import lower_body  # noqa: E402

FORMS = {
    "one statement": "ACT = {layer}",
    "either arm": "if torch.cuda.is_available():\n    ACT = {layer}\nelse:\n    ACT = {layer}",
    "one arm": "if not torch.backends.mps.is_built():\n    ACT = {layer}\nelse:\n    ACT = {layer}",
    "what is not installed": (
        "try:\n    import not_installed\n\n    ACT = not_installed.Act()\nexcept ImportError:\n    ACT = {layer}"
    ),
    "what is installed": "try:\n    import os\nexcept ImportError:\n    ACT = None\nelse:\n    ACT = {layer}",
    "twice": "ACT = nn.Identity()\nACT = {layer}",
    "twice the other way": "ACT = nn.ReLU(inplace=True)\nACT = nn.ReLU(inplace={flag})",
    "loop": "for ACT in [{layer}]:\n    pass",
    "with": "import contextlib\n\nwith contextlib.nullcontext({layer}) as ACT:\n    pass",
    "match": 'match "a":\n    case "a":\n        ACT = {layer}\n    case _:\n        ACT = nn.Identity()',
    "exchanged": "A, B = nn.Identity(), {layer}\nA, B = B, A\nACT = A",
    "rest": "first, *rest = nn.Identity(), {layer}\nACT = rest[0]",
    "appended": "LAYERS = []\nLAYERS.append({layer})\nACT = LAYERS[0]",
    "added": "LAYERS = []\nLAYERS += [{layer}]\nACT = LAYERS[0]",
    "updated": "LAYERS = {{}}\nLAYERS.update(a={layer})\nACT = LAYERS['a']",
    "flag set in an if": "FLAG = False\nif {flag}:\n    FLAG = True\nACT = nn.ReLU(inplace=FLAG)",
    "made by a function": "def build():\n    return 1, {layer}\n\n\n_, ACT = build()",
    "made by a cached function": (
        "import functools\n\n\n@functools.lru_cache(None)\ndef build():\n    return {layer}\n\n\nACT = build()"
    ),
    "made by a function of a function": (
        "def outer():\n    def inner():\n        return {layer}\n\n    return inner\n\n\nACT = outer()()"
    ),
    "made by a class": (
        "class Kinds:\n    @classmethod\n    def make(cls):\n        return {layer}\n\n\nACT = Kinds.make()"
    ),
}

USED = {
    "kept": "self.act = ACT",
    "in a chain": "self.act = nn.Sequential(nn.Identity(), ACT)",
    "by its name": "pass",
}

PROGRAM = """import torch
from torch import nn

{bound}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        {used}

    def forward(self, x):
        y = torch.exp(self.linear(x))
        return {act}(y)
"""
RUN = "\n\nNet()(torch.ones(2, 3)).sum().backward()\n"


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_the_layer_under_the_name_is_known(form: str, flag: bool, used: str) -> None:
    text = PROGRAM.format(
        bound=FORMS[form].format(layer=f"nn.ReLU(inplace={flag})", flag=flag),
        used=USED[used],
        act="ACT" if used == "by its name" else "self.act",
    )
    for checked in (text, text + RUN):
        assert [one.code for one in inplace_lint.check(checked).diagnostics] == ["IPL101"] * flag, checked
    if flag:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            exec(compile(text + RUN, "program.py", "exec"), {"__name__": "program"})
    else:
        exec(compile(text + RUN, "program.py", "exec"), {"__name__": "program"})


def test_a_long_statement_is_not_run_for_one_name() -> None:
    """What it takes is bounded: then nothing is known of the name, and nothing is said."""
    many = "\n".join(f"    OTHER{number} = {number}" for number in range(80))
    text = PROGRAM.format(
        bound=f"if torch.cuda.is_available():\n    ACT = nn.ReLU(inplace=True)\n{many}\nelse:\n    ACT = nn.Identity()",
        used="self.act = ACT",
        act="self.act",
    )
    assert not inplace_lint.check(text).diagnostics


TRAINED = """import torch

net = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
{name} = None
for x in [torch.ones(1, 2)] * 3:
    opt.zero_grad()
    loss = net(x).tanh().sum()
    {name} = loss
    {backward}
    opt.step()


def report(x):
    y = torch.exp(net(x))
    print({name})
    y.mul_(2)
    return y.sum()
"""


@pytest.mark.parametrize(("backward", "run"), [("loss.backward()", False), ("pass", True)])
def test_a_loop_that_trains_is_not_run_for_the_functions_that_read_its_names(
    backward: str, run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to the run of the whole top level, in its place among the other statements."""
    lowered: list[ast.stmt] = []

    def noted(statements: list[ast.stmt]) -> object:
        lowered.extend(statements)
        return lower_body(statements)

    monkeypatch.setattr(names, "lower_body", noted)
    inplace_lint.check(TRAINED.format(name="last", backward=backward))
    assert any(isinstance(one, ast.For) for one in lowered) is run
