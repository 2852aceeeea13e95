"""What other files do with the objects of a module decides whether gradients are recorded in its `forward`."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.api import check_paths

#: A module whose `forward` breaks a backward.
NET = """import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        y = self.head(x).sigmoid()
        y.mul_(2)
        return y
"""
HELD = """import torch

from pkg.net import Detector


class Finder:
    def __init__(self, weights):
        {held}
        self.net.load_state_dict(torch.load(weights))
        self.net.eval()

"""
QUIET = """    def find(self, image):
        with torch.no_grad():
            return self.net(image)
"""
RECORDED = """    def find(self, image):
        return self.net(image)
"""
PLAIN = HELD.format(held="self.net = Detector()")
LISTED = HELD.format(held="self.net = torch.nn.ModuleList()\n        self.net.append(Detector())")
#: Another file of the package, and whether the write is reported.
OTHERS = {
    "nothing": ("import torch\n", True),
    "held and called quietly": (PLAIN + QUIET, False),
    "held on a device": (HELD.format(held="self.net = Detector().to('cuda')") + QUIET, False),
    "held by a method of a decorated caller": (
        PLAIN + "    @torch.inference_mode()\n    def find(self, image):\n        return self.net(image)\n",
        False,
    ),
    "held in a list": (LISTED + QUIET, False),
    "held under a type": (HELD.format(held="self.net: Detector = Detector()") + QUIET, False),
    "held in a list that is extended": (
        LISTED.replace("append(Detector())", "extend([Detector()])") + QUIET,
        False,
    ),
    "held in a sequence": (
        HELD.format(held="self.net = torch.nn.Sequential(Detector(), torch.nn.ReLU())") + QUIET,
        False,
    ),
    "held and called where gradients are recorded": (PLAIN + RECORDED, True),
    "through a caller that is quiet": (
        PLAIN
        + RECORDED
        + "\n    @torch.no_grad()\n    def __call__(self, image):\n        return self.find(image)\n",
        False,
    ),
    "called by another file as well": (
        PLAIN + QUIET + "\n\ndef fit(finder: Finder, image):\n    finder.net(image).sum().backward()\n",
        True,
    ),
    "by another object that holds it": (
        PLAIN
        + RECORDED
        + "\n\nclass App:\n    def __init__(self):\n        self.finder = Finder('w')\n\n    @torch.no_grad()\n"
        "    def run(self, image):\n        return self.finder.find(image)\n",
        False,
    ),
    "of a subclass": (
        (PLAIN + QUIET)
        .replace("class Finder", "class Own(Detector):\n    pass\n\n\nclass Finder")
        .replace("= Detector()", "= Own()"),
        False,
    ),
    "of a subclass that is trained": (
        PLAIN + QUIET + "\n\nclass Own(Detector):\n    pass\n\n\nclass Fit:\n    def __init__(self):\n"
        "        self.net = Own()\n\n    def step(self, x):\n        self.net(x).sum().backward()\n",
        True,
    ),
    "a local object": (
        "from pkg.net import Detector\n\n\ndef build():\n    net = Detector()\n    return net\n",
        True,
    ),
    "a local object in a quiet function": (
        "import torch\n\nfrom pkg.net import Detector as D\n\n\n@torch.no_grad()\ndef run(x):\n    return D()(x)\n",
        False,
    ),
    "at the top level": ("from pkg.net import Detector\n\nnet = Detector()\n", True),
    "held quietly, and in a table": (PLAIN + QUIET + "\n\nNETS = {'detector': Detector}\n", True),
    "held quietly, and asked for": (
        PLAIN + QUIET + "\n\ndef is_one(net: Detector) -> bool:\n    return isinstance(net, Detector)\n",
        False,
    ),
    "of a class that a lambda builds": (HELD.format(held="self.net = lambda: Detector()") + QUIET, True),
}


@pytest.mark.parametrize("text, told", OTHERS.values(), ids=OTHERS)
def test_of_a_module(text: str, told: bool, tmp_path: Path) -> None:
    assert _is_told(NET, text, tmp_path) is told


def test_a_decorated_class_may_be_built_from_anywhere(tmp_path: Path) -> None:
    text = NET.replace("class Detector", "@REGISTRY.register()\nclass Detector")
    text = text.replace("from torch import nn", "from torch import nn\n\nfrom registries import REGISTRY")
    assert _is_told(text, PLAIN + QUIET, tmp_path)


def _is_told(net: str, other: str, folder: Path) -> bool:
    """Whether the write in `net` is reported above `possible`; it is always found."""
    package = folder / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "net.py").write_text(net)
    (package / "other.py").write_text(other)
    found = [
        one
        for one in check_paths([package / "net.py"], {"min-confidence": "possible"}).diagnostics
        if one.code == "IPL101"
    ]
    assert [one.location.row for one in found] == [net.splitlines().index("        y.mul_(2)") + 1]
    return found[0].confidence != "possible"
