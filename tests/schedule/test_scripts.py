"""Training that stands in other files is looked at from the script that starts it: judged in torch.

The network saves what its softmax gives, and the loss writes it; only the script has them meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

import inplace_lint

from ..interp.in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "net.py": """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return torch.softmax(self.last(x), dim=1)
""",
    "losses.py": """\
from torch import nn

LOSSES = {}


def register(cls):
    LOSSES[cls.__name__] = cls
    return cls


class Base(nn.Module):
    def forward(self, p, ignored):
        return self.reduce(self.clean(p, ignored))

    def clean(self, p, ignored):
        SPOIL
        return p

    def reduce(self, p):
        return p.sum()


@register
class Mean(Base):
    def reduce(self, p):
        return p.mean()


class Plain(nn.Module):
    def forward(self, p, ignored):
        SPOIL
        return p.sum()


def build(name, **options):
    return LOSSES[name](**options)
""",
    "training.py": """\
class Trainer:
    def __init__(self, model, loss):
        self.model = model
        self.loss = loss

    def step(self, x, ignored):
        self.loss(self.model(x), ignored).backward()


def step(model, loss, x, ignored):
    loss(model(x), ignored).backward()
""",
}
HEAD = """\
import torch

from losses import Mean, Plain, build
from net import Net
from training import Trainer, step

"""
DATA = "torch.ones(4, 3), torch.tensor([True, False, False, False])"
SCRIPTS = {
    "objects built in the call": f"Trainer(Net(), Plain()).step({DATA})\n",
    "a trainer with a name": f"trainer = Trainer(Net(), Plain())\ntrainer.step({DATA})\n",
    "under the guard": f"if __name__ == '__main__':\n    trainer = Trainer(Net(), Plain())\n    trainer.step({DATA})\n",
    "a function": f"step(Net(), Plain(), {DATA})\n",
    "a loss that inherits": f"Trainer(Net(), Mean()).step({DATA})\n",
    "a loss by its name": f"Trainer(Net(), build('Mean')).step({DATA})\n",
    "within a function": f"def main():\n    Trainer(Net(), build('Mean')).step({DATA})\n\n\nmain()\n",
    "in a loop": f"trainer = Trainer(Net(), build('Mean'))\nfor _ in range(2):\n    trainer.step({DATA})\n",
}


@pytest.mark.parametrize("spoils", [True, False])
@pytest.mark.parametrize("what", SCRIPTS)
def test_what_a_script_brings_together_is_looked_at(what: str, spoils: bool, tmp_path: Path) -> None:
    spoil = "p[ignored] = 0.0" if spoils else "p = p.masked_fill(ignored[:, None], 0.0)"
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("SPOIL", spoil))
    script = tmp_path / "main.py"
    script.write_text(HEAD + "\n" + SCRIPTS[what])
    assert refuses(script, tmp_path) is spoils
    found = inplace_lint.check(script.read_text(), filename=str(script)).diagnostics
    assert [one.code for one in found if one.code < "IPL2"] == (["IPL101"] if spoils else [])


def test_a_script_without_the_word_torch_is_looked_at(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("SPOIL", "p[ignored] = 0.0"))
    (tmp_path / "data.py").write_text(f"import torch\n\n\ndef batch():\n    return {DATA}\n")
    script = tmp_path / "main.py"
    script.write_text(
        "from data import batch\nfrom losses import build\nfrom net import Net\nfrom training import step\n\n"
        "step(Net(), build('Mean'), *batch())\n"
    )
    assert refuses(script, tmp_path)
    found = inplace_lint.check(script.read_text(), filename=str(script)).diagnostics
    assert [one.code for one in found] == ["IPL101"]
