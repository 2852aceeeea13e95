"""A parameter of what is not in sight is written before another takes its place: refused, as torch judges."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\n\n\n"
FUNCTION = """def start(model, k=-1):
    layer = {layer}
{body}


def program():
    model = nn.Module()
    model.last = nn.Linear(4, 4)
    model.parts = nn.ModuleList([nn.Linear(4, 4)])
    start(model)
"""
LAYERS = {
    "attribute": "model.last",
    "element": "model.parts[0]",
    "last element": "model.parts[-1]",
    "some element": "model.parts[k % 1]",
    "found": "[part for part in model.parts][0]",
}
#: What is done with the bias, and whether torch refuses it.
BODIES = {
    "view": ("b = layer.bias.view(2, -1)\nb[:, 1] += 1\nlayer.bias = nn.Parameter(b.view(-1))", True),
    "itself": ("layer.bias[0] = 1\nlayer.bias = torch.nn.Parameter(layer.bias * 2)", True),
    "method": ("b = layer.bias\nb.mul_(2)\nlayer.bias = nn.Parameter(b, requires_grad=True)", True),
    "no_grad": (
        "with torch.no_grad():\n    b = layer.bias.view(2, -1)\n"
        "    b[:, 1] += 1\n    layer.bias = nn.Parameter(b.flatten())",
        False,
    ),
    "data": ("b = layer.bias.data.view(2, -1)\nb[:, 1] += 1\nlayer.bias = nn.Parameter(b.view(-1))", False),
    "detached": ("b = layer.bias.detach()\nb[1] += 1\nlayer.bias = nn.Parameter(b)", False),
    "copy": ("b = layer.bias.clone()\nb[1] += 1\nlayer.bias = nn.Parameter(b)", False),
    "frozen": (
        "layer.requires_grad_(False)\nb = layer.bias\nb[1] += 1\nlayer.bias = nn.Parameter(b, requires_grad=False)",
        False,
    ),
    "another's": ("b = model.scale = torch.ones(4)\nb[1] += 1\nlayer.bias = nn.Parameter(b)", False),
}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("body", BODIES)
def test_what_a_parameter_takes_the_place_of_is_one(body: str, layer: str, tmp_path: Path) -> None:
    rows, refused = BODIES[body]
    text = HEAD + FUNCTION.format(layer=LAYERS[layer], body=_indented(rows, 4))
    _judge(text, refused, tmp_path)


BUILT = """class Net(nn.Module):
    def __init__(self, count=2):
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(4, 4) for _ in range(count)])
{call}

    def _start(self):
{body}

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


def program():
    Net()
"""
FILLS = {
    "weight": ("for part in self.parts:\n    part.weight[0] = 0", True),
    "view": ("for part in self.parts:\n    b = part.bias.view(2, -1)\n    b[:, 1] += 1", True),
    "data": ("for part in self.parts:\n    part.weight.data[0] = 0", False),
    "init": ("for part in self.parts:\n    nn.init.zeros_(part.bias)", False),
    "no_grad": ("with torch.no_grad():\n    for part in self.parts:\n        part.weight[0] = 0", False),
}
CALLS = {"alone": "self._start()", "no_grad": "with torch.no_grad():\n    self._start()", "none": "pass"}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fill", FILLS)
def test_what_is_refused_is_refused_while_an_object_is_built(fill: str, call: str, tmp_path: Path) -> None:
    rows, refused = FILLS[fill]
    text = HEAD + BUILT.format(call=_indented(CALLS[call], 8), body=_indented(rows, 8))
    _judge(text, refused and call == "alone", tmp_path)


def _indented(rows: str, width: int) -> str:
    return "\n".join(" " * width + row for row in rows.splitlines())


def _judge(text: str, refused: bool, folder: Path) -> None:
    space: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), space)
    program = space["program"]
    assert callable(program)
    if refused:
        with pytest.raises(RuntimeError, match=r"a (view of a )?leaf"):
            program()
    else:
        program()
    found = check_source(str(folder / "program.py"), text.encode(), Settings(), Project(root=str(folder)))
    codes = {one.code for one in found if one.code[:4] in ("IPL1", "IPL2") and one.severity != "note"}
    assert codes == ({"IPL103"} if refused else set())
