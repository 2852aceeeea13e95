"""Layers that code replaces in a built model, by attribute, index, path and recursion; torch is the judge."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = "from collections import OrderedDict\n\nimport torch\nfrom torch import nn\n\n\n"
NET = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {held}\n\n"
    "    def forward(self, x):\n        {run}\n        return x\n"
)
LAYERS = "nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU()"
NAMED = "lin=nn.Linear(4, 4), sig=nn.Sigmoid(), act=nn.ReLU()"
IN_ORDER = "for layer in self.layers{}: x = layer(x)"
#: The text of a model, what in it holds the activation, and under which name.
NETS = {
    "attributes": (
        NET.format(
            held="self.lin, self.sig, self.act = nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU()",
            run="x = self.act(self.sig(self.lin(x)))",
        ),
        "net",
        "act",
    ),
    "sequential": (
        NET.format(held=f"self.body = nn.Sequential({LAYERS})", run="x = self.body(x)"),
        "net.body",
        "2",
    ),
    "named sequential": (
        NET.format(held=f"self.body = nn.Sequential(OrderedDict({NAMED}))", run="x = self.body(x)"),
        "net.body",
        "act",
    ),
    "added one by one": (
        NET.format(
            held="self.body = nn.Sequential()\n        self.body.add_module('lin', nn.Linear(4, 4))\n"
            "        self.body.add_module('sig', nn.Sigmoid())\n        self.body.add_module('act', nn.ReLU())",
            run="x = self.body(x)",
        ),
        "net.body",
        "act",
    ),
    "nested sequential": (
        NET.format(held=f"self.body = nn.Sequential(nn.Sequential({LAYERS}))", run="x = self.body(x)"),
        "net.body[0]",
        "2",
    ),
    "list": (
        NET.format(held=f"self.layers = nn.ModuleList([{LAYERS}])", run=IN_ORDER.format("")),
        "net.layers",
        "2",
    ),
    "dict": (
        NET.format(held=f"self.layers = nn.ModuleDict(dict({NAMED}))", run=IN_ORDER.format(".values()")),
        "net.layers",
        "act",
    ),
    "subclass of a sequential": (
        "class Net(nn.Sequential):\n    def __init__(self):\n        super().__init__()\n"
        "        self.add_module('lin', nn.Linear(4, 4))\n        self.sig = nn.Sigmoid()\n"
        "        self.act = nn.ReLU()\n",
        "net",
        "act",
    ),
    "function": (f"def Net():\n    return nn.Sequential({LAYERS})\n", "net", "2"),
}
SWAP = (
    "def swap(module):\n    for name, child in module.{children}:\n        if isinstance(child, nn.ReLU):\n"
    "            {put}\n        else:\n            swap(child)\n\n\nswap(net)"
)
SURGERY = {
    "setattr": "setattr({parent}, '{name}', nn.ReLU(inplace={new}))",
    "_modules": "{parent}._modules['{name}'] = nn.ReLU(inplace={new})",
    "add_module": "{parent}.add_module('{name}', nn.ReLU(inplace={new}))",
    "recursive": SWAP.format(
        children="named_children()", put="setattr(module, name, nn.ReLU(inplace={new}))"
    ),
    "recursive, _modules": SWAP.format(
        children="_modules.items()", put="module._modules[name] = nn.ReLU(inplace={new})"
    ),
    "recursive, add_module": SWAP.format(
        children="named_children()", put="module.add_module(name, nn.ReLU(inplace={new}))"
    ),
    "by path": (
        "for path, layer in list(net.named_modules()):\n    if isinstance(layer, nn.ReLU):\n"
        "        parent = net\n        *outer, last = path.split('.')\n        for part in outer:\n"
        "            parent = getattr(parent, part)\n        setattr(parent, last, nn.ReLU(inplace={new}))"
    ),
    "get_submodule": (
        "for path, layer in list(net.named_modules()):\n    if isinstance(layer, nn.ReLU):\n"
        "        outer, _, last = path.rpartition('.')\n"
        "        setattr(net.get_submodule(outer), last, nn.ReLU(inplace={new}))"
    ),
    "flag": "for layer in net.modules():\n    if isinstance(layer, nn.ReLU):\n        layer.inplace = {new}",
}


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("surgery", SURGERY)
@pytest.mark.parametrize("net", NETS)
def test_a_layer_that_is_put_in_place_of_another_runs_instead_of_it(
    tmp_path: Path, net: str, surgery: str, new: bool
) -> None:
    """The in-place ReLU overwrites what the sigmoid saved; one that is not in place changes nothing."""
    model, parent, name = NETS[net]
    change = SURGERY[surgery].replace("{new}", str(new)).replace("{parent}", parent).replace("{name}", name)
    text = f"{HEAD}{model}\n\ndef change(net):\n{indent(change, '    ')}\n\n\n"
    text += "net = Net()\nchange(net)\nnet(torch.randn(2, 4)).sum().backward()\n"
    raises = False
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        raises = True
    assert raises == new
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.code in ("IPL101", "IPL102") for one in found if one.severity == "error") == new


@pytest.mark.parametrize("surgery", [name for name in SURGERY if name != "flag"])
@pytest.mark.parametrize("net", NETS)
def test_the_old_layer_is_gone(tmp_path: Path, net: str, surgery: str) -> None:
    """Behind a Softplus the result may be written; with an Identity in its place it is what the sigmoid saved."""
    model, parent, name = NETS[net]
    change = SURGERY[surgery].replace("{parent}", parent).replace("{name}", name)
    change = change.replace("nn.ReLU(inplace={new})", "nn.Identity()")
    made = f"{HEAD}{model}\n\ndef change(net):\n{indent(change, '    ')}\n\n\nnet = Net()\n"
    made = made.replace("nn.ReLU", "nn.Softplus")
    used = "y = net(torch.randn(2, 4))\ny.add_(1)\ny.sum().backward()\n"
    for changed in (True, False):
        program = made + ("change(net)\n" if changed else "") + used
        raises = False
        try:
            exec(compile(program, "script", "exec"), {"__name__": "__main__"})
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            raises = True
        assert raises == changed
        found = check_source(
            str(tmp_path / "script.py"), program.encode(), Settings(), Project(root=str(tmp_path))
        )
        assert any(one.code in ("IPL101", "IPL102") for one in found if one.severity == "error") == changed
