"""What stands at the end of a `with` runs before the function returns what its body returns.

Each program runs in torch, which has to refuse the backward exactly where the analysis tells a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

#: `{body}` returns what is computed with the weight; `{end}` is what the end of the `with` does.
PROGRAM = """\
import contextlib

import torch
import torch.nn.functional as F
from torch import nn


class Scale:
    def __init__(self, layer):
        self.layer = layer

    def __enter__(self):
        with torch.no_grad():
            self.layer.weight.mul_(2)
        return self.layer.weight

    def __exit__(self, kind, error, trace):
        self.layer.finish()


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3), requires_grad=False)
        self.other = torch.ones(3)
        self.first = nn.Linear(3, 3)

    def finish(self):
        with torch.no_grad():
            {end}

    @contextlib.contextmanager
    def scaled(self):
        with torch.no_grad():
            self.weight.mul_(2)
        yield self.weight
        self.finish()

    @contextlib.contextmanager
    def tried(self):
        try:
            yield self.weight
        finally:
            self.finish()

    def forward(self, x):
        x = self.first(x)
        {body}


layer = Layer()
layer(torch.ones(2, 3)).sum().backward()
"""
BODIES = {
    "of a generator": "with self.scaled():\n            return F.linear(x, self.weight)",
    "of a generator that tries": "with self.tried() as weight:\n            return F.linear(x, weight)",
    "of an object": "with Scale(self) as weight:\n            return F.linear(x, weight)",
    "of a stack": (
        "with contextlib.ExitStack() as stack:\n            stack.callback(self.finish)\n"
        "            return F.linear(x, self.weight)"
    ),
    "within each other": (
        "with torch.enable_grad(), self.scaled():\n            with Scale(self):\n"
        "                return F.linear(x, self.weight)"
    ),
    "on each of two paths": (
        "with self.scaled():\n            if x.sum() > 0:\n                return F.linear(x, self.weight)\n"
        "            else:\n                return F.linear(x + 1, self.weight)"
    ),
    "behind it": "with self.scaled():\n            y = F.linear(x, self.weight)\n        return y",
}
ENDS = {"what was saved": "self.weight.div_(2)", "something else": "self.other.div_(2)"}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_end_of_a_with_runs_before_the_return(body: str, end: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    source = PROGRAM.format(body=body, end=end)
    program = tmp_path / "scales.py"
    program.write_text(source)
    refused = refuses(program, tmp_path)
    assert refused == ("weight" in end)
    assert bool(told(source)) == refused
