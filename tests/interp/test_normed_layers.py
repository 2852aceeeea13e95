"""Layers whose weight is computed in each call, of parameters that are saved then: judged in torch."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

SCRIPT = """import torch
from torch import nn
{imports}


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential({first}, nn.LeakyReLU(0.2, inplace=True))
        self.last = {last}

    def forward(self, x):
        return self.last(self.first(x))


def run():
    critic, actor = Critic(), nn.Linear(4, 4)
    of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
    of_actor = torch.optim.SGD(actor.parameters(), lr=0.1)
    for _ in range(2):
        x = torch.randn(2, 4)
        made = actor(x)
        loss = critic(made.detach()).mean() - critic(x).mean()
{end}
"""
WAYS = {
    "none": ("", "{}"),
    "spectral_norm": ("from torch.nn.utils import spectral_norm", "spectral_norm({})"),
    "weight_norm": ("", "nn.utils.weight_norm({}, dim=0)"),
    "of its file": ("from torch.nn.utils.weight_norm import weight_norm", "weight_norm({})"),
    "parametrized": ("from torch.nn.utils.parametrizations import spectral_norm", "spectral_norm({})"),
    "by a function": (
        "def normed(layer, on=True):\n    return nn.utils.parametrizations.weight_norm(layer) if on else layer",
        "normed({})",
    ),
}
ENDS = {
    "steps too early": (
        "wanted = -critic(made).mean()\nloss.backward()\nof_critic.step()\nwanted.backward()\nof_actor.step()",
        {"IPL106"},
    ),
    "one after the other": (
        "loss.backward()\nof_critic.step()\nwanted = -critic(made).mean()\nwanted.backward()\nof_actor.step()",
        set(),
    ),
    "the output changed": ("y = torch.exp(critic(made))\ny += 1\ny.sum().backward()", {"IPL101"}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("end", "codes"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize(("imports", "norm"), WAYS.values(), ids=WAYS)
def test_a_normed_layer_saves_what_is_trained(imports: str, norm: str, end: str, codes: set[str]) -> None:
    text = SCRIPT.format(
        imports=imports,
        first=norm.format("nn.Linear(4, 4)"),
        last=norm.format("nn.Linear(4, 1)"),
        end="\n".join(" " * 8 + line for line in end.splitlines()),
    )
    space: dict[str, object] = {}
    exec(compile(text, "script.py", "exec"), space)
    run = space["run"]
    assert callable(run)
    if codes:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run()
    else:
        run()
    found = check_source("script.py", text.encode(), Settings(), Project())
    assert {one.code for one in found if one.severity == "error"} == codes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("imports", "norm"), WAYS.values(), ids=WAYS)
def test_the_weight_of_a_normed_layer_is_no_leaf(imports: str, norm: str) -> None:
    text = f"import torch\nfrom torch import nn\n{imports}\n\n\ndef run():\n"
    text += f"    layer = {norm.format('nn.Linear(4, 4)')}\n    layer.weight.fill_(0)\n    return layer\n"
    space: dict[str, object] = {}
    exec(compile(text, "script.py", "exec"), space)
    run = space["run"]
    assert callable(run)
    codes = {"IPL103"} if norm == "{}" else set()
    if codes:
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            run()
    else:
        run()
    found = check_source("script.py", text.encode(), Settings(), Project())
    assert {one.code for one in found if one.severity == "error"} == codes
