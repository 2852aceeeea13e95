"""Forward hooks: how their module was held and picked, where they were hung, with which options; torch is the judge."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

MODEL = """import re
from collections import OrderedDict

import torch
from torch import nn


def hook(module, args, output):
    {effect}


def hook_with_keywords(module, args, kwargs, output):
    {effect}


def attach(root):
{hang_there}


class Named(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.add_module("lin", nn.Linear(4, 4))
        self.add_module("act", nn.Tanh())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {held}

    def forward(self, x):
        return {used}


"""
#: How the model holds its layers and uses them, and the path to them.
HELD = {
    "attribute": ("self.lin, self.act = nn.Linear(4, 4), nn.Tanh()", "self.act(self.lin(x))", ""),
    "setattr": (
        "for name, layer in (('lin', nn.Linear(4, 4)), ('act', nn.Tanh())): setattr(self, name, layer)",
        "self.act(self.lin(x))",
        "",
    ),
    "ordered": (
        "self.body = nn.Sequential(OrderedDict([('lin', nn.Linear(4, 4)), ('act', nn.Tanh())]))",
        "self.body(x)",
        "body.",
    ),
    "added": (
        "self.body = nn.Sequential(); self.body.add_module('lin', nn.Linear(4, 4)); "
        "self.body.add_module('act', nn.Tanh())",
        "self.body(x)",
        "body.",
    ),
    "subclass": ("self.body = Named()", "self.body(x)", "body."),
    "dict": (
        "self.body = nn.ModuleDict({'lin': nn.Linear(4, 4), 'act': nn.Tanh()})",
        "self.body['act'](self.body['lin'](x))",
        "body.",
    ),
}
#: How the layer is picked, at `{path}act` of `root`.
PICKED = {
    "by class": "for m in root.modules():\n    if isinstance(m, nn.Tanh):\n        {hang}",
    "by name": "for name, m in root.named_modules():\n    if name == '{path}act':\n        {hang}",
    "by pattern": "for name, m in root.named_modules():\n    if re.fullmatch('{path}a.t', name):\n        {hang}",
    "by path": "m = root.get_submodule('{path}act')\n{hang}",
    "as attribute": "m = root.{path}act\n{hang}",
    "from a dict": "m = dict(root.named_modules())['{path}act']\n{hang}",
    "by apply": "def visit(m):\n    if isinstance(m, nn.Tanh):\n        {hang}\nroot.apply(visit)",
}
#: Where: in a script; by a function; in the constructor of a class that inherits its forward.
PLACES = {
    "script": "net = root = Net()\n{hang_here}\n",
    "function": "net = Net()\nattach(net)\n",
    "constructor": (
        "class Hung(Net):\n    def __init__(self):\n        super().__init__()\n"
        "        root = self\n{hang_inside}\n\n\nnet = Hung()\n"
    ),
    "constructor's function": (
        "class Hung(Net):\n    def __init__(self):\n        super().__init__()\n"
        "        attach(self)\n\n\nnet = Hung()\n"
    ),
}
REGISTERED = {
    "plainly": "m.register_forward_hook(hook)",
    "first": "m.register_forward_hook(hook, prepend=True)",
    "with keywords": "m.register_forward_hook(hook_with_keywords, with_kwargs=True)",
    "by keyword": "m.register_forward_hook(hook=hook)",
}
BACKWARD = "net(torch.randn(2, 4)).sum().backward()\n"


def program(held: str, picked: str, place: str, registered: str, effect: str) -> str:
    """The text of one program without the line that builds and trains the model."""
    layers, used, path = HELD[held]
    hang = PICKED[picked].format(hang=REGISTERED[registered], path=path)
    model = MODEL.format(effect=effect, held=layers, used=used, hang_there=indent(hang, "    "))
    return model + PLACES[place].format(hang_here=hang, hang_inside=indent(hang, "        "))


def is_told(text: str, folder: Path) -> bool:
    found = check_source(str(folder / "script.py"), text.encode(), Settings(), Project(root=str(folder)))
    return any(one.severity == "error" for one in found)


def raises(text: str) -> bool:
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return True
    return False


@pytest.mark.parametrize("effect", ["output.mul_(0.5)", "return output * 0.5"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("picked", PICKED)
@pytest.mark.parametrize("held", HELD)
def test_a_hook_is_run_wherever_it_is_hung(
    tmp_path: Path, held: str, picked: str, place: str, effect: str
) -> None:
    text = program(held, picked, place, "plainly", effect) + BACKWARD
    assert raises(text) == ("mul_" in effect)
    assert is_told(text, tmp_path) == ("mul_" in effect)


@pytest.mark.parametrize("effect", ["output.mul_(0.5)", "return output * 0.5"])
@pytest.mark.parametrize("registered", REGISTERED)
def test_options_of_a_registration_are_followed(tmp_path: Path, registered: str, effect: str) -> None:
    text = program("attribute", "by class", "function", registered, effect) + BACKWARD
    assert raises(text) == is_told(text, tmp_path) == ("mul_" in effect)


@pytest.mark.parametrize("place", ["constructor", "constructor's function"])
@pytest.mark.parametrize("picked", PICKED)
def test_a_class_that_hangs_hooks_needs_no_caller(tmp_path: Path, picked: str, place: str) -> None:
    """The forward is inherited, and nothing in the file builds the class."""
    text = program("subclass", picked, place, "plainly", "output.mul_(0.5)").replace("net = Hung()\n", "")
    assert raises(text + "net = Hung()\n" + BACKWARD)
    assert is_told(text, tmp_path)


def test_a_function_of_another_file_hangs_the_hooks(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(
        "def halve(module, args, output):\n    output.mul_(0.5)\n\n\n"
        "def attach(root):\n    for m in root.children():\n        m.register_forward_hook(halve)\n"
    )
    model = (
        "from torch import nn\nfrom hooks import attach\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.lin, self.act = nn.Linear(4, 4), nn.Tanh()\n        attach(self)\n\n"
        "    def forward(self, x):\n        return self.act(self.lin(x))\n"
    )
    (tmp_path / "model.py").write_text(model)
    assert is_told(model, tmp_path)
    assert not is_told(model.replace("        attach(self)\n", ""), tmp_path)


@pytest.mark.parametrize("prepend", [True, False])
def test_a_hook_that_is_put_first_sees_what_the_layer_saved(tmp_path: Path, prepend: bool) -> None:
    """Behind a hook that returns a new tensor, a hook may write."""
    text = (
        "import torch\nfrom torch import nn\n\nnet = nn.Sequential(nn.Linear(4, 4), nn.Tanh())\n"
        "net[1].register_forward_hook(lambda module, args, output: output * 0.5)\n"
        f"net[1].register_forward_hook(lambda module, args, output: output.mul_(2), prepend={prepend})\n"
        + BACKWARD
    )
    assert raises(text) == prepend
    assert is_told(text, tmp_path) == prepend


@pytest.mark.parametrize("picked", ["name == 'child.act'", "name == ''"])
def test_modules_that_hold_each_other_have_names(tmp_path: Path, picked: str) -> None:
    """The model itself has the empty name, and each module the first one that leads to it."""
    text = (
        "import torch\nfrom torch import nn\n\n\ndef halve(module, args, output):\n    output.mul_(0.5)\n\n\n"
        "class Child(nn.Module):\n    def __init__(self, parent):\n        super().__init__()\n"
        "        self.act, self.parent = nn.Tanh(), parent\n\n"
        "    def forward(self, x):\n        return self.act(x)\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.lin, self.child = nn.Linear(4, 4), Child(self)\n\n"
        "    def forward(self, x):\n        return self.child(self.lin(x)){last}\n\n\n"
        f"net = Net()\nfor name, module in net.named_modules():\n    if {picked}:\n"
        "        module.register_forward_hook(halve)\n" + BACKWARD
    )
    spoiled, spared = text.replace("{last}", ""), text.replace("{last}", " + 0")
    assert raises(spoiled) and is_told(spoiled, tmp_path)
    assert raises(spared) == is_told(spared, tmp_path) == ("act" in picked)
