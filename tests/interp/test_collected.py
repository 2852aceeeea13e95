"""What is saved of a tensor that a helper collects in its rounds, and that is written later, is found: torch judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = """import torch
from collections import OrderedDict, deque
from dataclasses import dataclass
from torch import nn


@dataclass
class Output:
    last: torch.Tensor
    states: list


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.linear = nn.Linear(n, n)

    def forward(self, x):
        return x + self.linear(self.norm(x)) if {saved} else x + 1.0


class Encoder(nn.Module):
    def __init__(self, n, count):
        super().__init__()
        self.blocks = nn.ModuleList([Block(n) for _ in range(count)])
        self.first = nn.Linear(n, n)

"""
MODEL = """

class Model(nn.Module):
    def __init__(self, n, count):
        super().__init__()
        self.encoder = Encoder(n, count)

    def forward(self, x):
        {take}
        state.tanh_()
        return x.sum() + state.sum()
"""
#: How the encoder collects, and how the model takes one of what it collected.
WAYS = {
    "append": (
        "states = []\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "append what was made": (
        "states = []\nfor block in self.blocks:\n    x = block(x)\n    states.append(x)\nreturn states, x",
        "states, x = self.encoder(x); state = states[1]",
    ),
    "the last but one": (
        "states = []\nfor block in self.blocks:\n    x = block(x)\n    states.append(x)\nreturn states",
        "states = self.encoder(x); x, state = states[-1], states[-2]",
    ),
    "a tuple that grows": (
        "states = ()\nfor block in self.blocks:\n    states = states + (x,)\n    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "+=": (
        "states = []\nfor block in self.blocks:\n    states += [x]\n    x = block(x)\nreturn x, tuple(states)",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "insert": (
        "states = []\nfor block in self.blocks:\n    states.insert(0, x)\n    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "deque": (
        "states = deque()\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x); state = states.pop()",
    ),
    "a dict by name": (
        "states = {}\nfor i, block in enumerate(self.blocks):\n    states[f'block{i}'] = x\n    x = block(x)\n"
        "return x, states",
        "x, states = self.encoder(x); state = states['block1']",
    ),
    "a dict of pairs": (
        "pairs = []\nfor i, block in enumerate(self.blocks):\n    pairs.append((f'block{i}', x))\n    x = block(x)\n"
        "states = {}\nstates.update(pairs)\nreturn x, states",
        "x, states = self.encoder(x); state = states['block1']",
    ),
    "an OrderedDict": (
        "states = OrderedDict()\nfor i, block in enumerate(self.blocks):\n    states[i] = x\n    x = block(x)\n"
        "return x, states",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "under a condition": (
        "states = []\nfor i, block in enumerate(self.blocks):\n    if i in (0, 1):\n        states.append(x)\n"
        "    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "a dict of a list": (
        "states = []\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\n"
        "return {'last': x, 'states': states}",
        "found = self.encoder(x); x, state = found['last'], found['states'][1]",
    ),
    "a record": (
        "states = []\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\nreturn Output(x, states)",
        "found = self.encoder(x); x, state = found.last, found.states[1]",
    ),
    "an attribute": (
        "self.states = []\nfor block in self.blocks:\n    self.states.append(x)\n    x = block(x)\nreturn x",
        "x = self.encoder(x); state = self.encoder.states[1]",
    ),
    "reversed": (
        "states = []\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\nreturn x, states[::-1]",
        "x, states = self.encoder(x); state = states[1]",
    ),
    "gone over": (
        "states = []\nfor block in self.blocks:\n    states.append(x)\n    x = block(x)\nreturn x, states",
        "x, states = self.encoder(x)\n        for state in states[1:]:\n            break",
    ),
}


@pytest.mark.parametrize("count", ["3", "12", "count"])
@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_helper_collects_is_known_to_be_saved(
    way: str, saved: bool, count: str, tmp_path: Path
) -> None:
    collect, take = WAYS[way]
    body = "".join(f"        {line}\n" for line in ("x = self.first(x)\n" + collect).splitlines())
    text = HEAD.replace("{saved}", str(saved)).replace("range(count)", f"range({count})")
    text += f"    def forward(self, x):\n{body}" + MODEL.replace("{take}", take)
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "collected.py", "exec"), space)
    assert _raises(space["Model"](4, 3)) is saved
    path = tmp_path / "collected.py"
    found = check_source(str(path), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == ({"IPL102"} if saved else set())


TUPLE_KEYS = """import torch
from collections import OrderedDict
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.conv = nn.Linear(n, n)
        self.act = nn.ELU(inplace=True)

    def forward(self, x):
        return self.act(self.conv(x))


class Model(nn.Module):
    def __init__(self, n, scales):
        super().__init__()
        self.layers = OrderedDict()
        for i in range(4, -1, -1):
            self.layers[("up", i, 0)] = Block(n)
            self.layers[("up", i, 1)] = Block(n)
        for s in scales:
            self.layers[("out", s)] = nn.Linear(n, n)
        self.decoder = nn.ModuleList(list(self.layers.values()))
        self.act = nn.ELU(inplace=True)

    def forward(self, x):
        outputs = {}
        for i in range(4, -1, -1):
            x = self.layers[("up", i, 0)](x)
            outputs[("out", i)] = self.act(self.layers[KEY](x))
        return sum(one.sum() for one in outputs.values())
"""


#: A copy of the dict, to which more is added, says nothing less of what it holds.
COPIED = (
    "self.layers = copy.deepcopy(self.layers)\n        self.layers[('new', scales[0])] = nn.Linear(n, n)\n"
)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize(("key", "codes"), [('"up", i, 1', {"IPL101"}), ('"out", i', set())])
def test_parts_of_a_key_tell_layers_apart(key: str, codes: set[str], copied: bool, tmp_path: Path) -> None:
    text = TUPLE_KEYS.replace("KEY", key)
    if copied:
        text = "import copy\n" + text.replace("self.decoder", COPIED + "        self.decoder")
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, "keys.py", "exec"), space)
    assert _raises(space["Model"](4, range(5))) is bool(codes)
    found = check_source(str(tmp_path / "keys.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert {one.code for one in found if one.severity == "error"} == codes


def _raises(model: torch.nn.Module) -> bool:
    try:
        model(torch.randn(2, 4)).backward()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False
