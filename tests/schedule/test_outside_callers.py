"""Callers in other files decide whether gradients are recorded where a function writes what it was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.api import check_paths

#: A write that breaks a backward if the argument requires grad.
OPS = """import torch


def scaled(x):
    y = x.sqrt()
    y.mul_(2)
    return y


class Norm(torch.optim.Optimizer):
    def scaled(self, x, eps):
        y = x.sqrt()
        y.mul_(2)
        return y
"""
QUIET = "    @torch.no_grad()\n    def step(self):\n        return "
HEAD = "import torch\n\nfrom pkg.ops import Norm, scaled\n\n\nclass Step:\n"

#: What another file of the package says, and whether the plain function's write is reported there.
OF_THE_FUNCTION = {
    "nothing": ("import torch\n", True),
    "only an import": ("from pkg.ops import scaled\n", True),
    "a decorated method": (HEAD + QUIET + "scaled(self.p)\n", False),
    "a block": (
        HEAD + "    def step(self):\n        with torch.no_grad():\n            return scaled(self.p)\n",
        False,
    ),
    "another name": (
        "import torch\n\nfrom pkg.ops import scaled as twice\n\n\n"
        "@torch.no_grad()\ndef step(p):\n    return twice(p)\n",
        False,
    ),
    "the module": (
        "import torch\n\nimport pkg.ops\n\n\n@torch.no_grad()\ndef step(p):\n    return pkg.ops.scaled(p)\n",
        False,
    ),
    "an import in the function": (
        "import torch\n\n\n@torch.no_grad()\ndef step(p):\n    from .ops import scaled\n\n    return scaled(p)\n",
        False,
    ),
    "through a function that others call quietly": (
        HEAD + "    def norm(self):\n        return scaled(self.p)\n\n" + QUIET + "self.norm()\n",
        False,
    ),
    "through a function that nobody calls": (
        HEAD + "    def norm(self):\n        return scaled(self.p)\n",
        True,
    ),
    "through a forward": (HEAD + "    def forward(self):\n        return scaled(self.p)\n", True),
    "the backward of a Function": (
        "import torch\n\nfrom pkg.ops import scaled\n\n\nclass F(torch.autograd.Function):\n    @staticmethod\n"
        "    def backward(ctx, grad):\n        return scaled(grad)\n",
        False,
    ),
    "an evaluation hook of Lightning": (
        "from lightning.pytorch import LightningModule\n\nfrom .ops import scaled\n\n\nclass M(LightningModule):\n"
        "    def on_validation_epoch_end(self):\n        return scaled(self.p)\n",
        False,
    ),
    "a training hook of Lightning": (
        "from lightning.pytorch import LightningModule\n\nfrom .ops import scaled\n\n\nclass M(LightningModule):\n"
        "    def on_train_epoch_end(self):\n        return scaled(self.p)\n",
        True,
    ),
    "a quiet call and a recorded one": (
        HEAD + QUIET + "scaled(self.p)\n\n    def __call__(self, x):\n        return scaled(x)\n",
        True,
    ),
    "a quiet call and one of a script that never runs a backward": (
        HEAD + QUIET + "scaled(self.p)\n\n\nprint(scaled(torch.ones(2)))\n",
        False,
    ),
    "a script that runs a backward": (
        HEAD + QUIET + "scaled(self.p)\n\n\nscaled(p).sum().backward()\n",
        True,
    ),
    "a script that hands it to something unknown": (HEAD + QUIET + "scaled(self.p)\n\n\nfit(scaled)\n", True),
    "through a function that runs a backward, which a script calls": (
        "from pkg.ops import scaled\n\n\ndef fit(p):\n    scaled(p).sum().backward()\n\n\nfit(p)\n",
        True,
    ),
    "through a function that nothing but a script calls": (
        "from pkg.ops import scaled\n\n\ndef shown(p):\n    print(scaled(p))\n\n\nshown(p)\n",
        False,
    ),
    "through a function that takes gradients by another name, which a script calls": (
        "from torch.autograd import grad as slope\n\nfrom pkg.ops import scaled\n\n\ndef fit(p):\n"
        "    return slope(scaled(p).sum(), p)\n\n\nfit(p)\n",
        True,
    ),
    "a script that takes gradients by another name": (
        "from torch import autograd\n\nfrom pkg.ops import scaled\n\nautograd.grad(scaled(p).sum(), p)\n",
        True,
    ),
    "a script that turns gradients off by another name": (
        "from torch.autograd import no_grad\n\nfrom pkg.ops import scaled\n\nwith no_grad():\n    print(scaled(p))\n",
        False,
    ),
    "through a function that takes gradients, which a script calls": (
        "import torch\n\nfrom pkg.ops import scaled\n\n\ndef fit(p):\n"
        "    return torch.autograd.grad(scaled(p).sum(), p)\n\n\nfit(p)\n",
        True,
    ),
    "a quiet call and a table": (HEAD + QUIET + "scaled(self.p)\n\n\nALL = {'scaled': scaled}\n", True),
    "another function of this name": (
        "import torch\n\n\ndef scaled(x):\n    return x\n\n\n@torch.no_grad()\ndef step(p):\n    return scaled(p)\n",
        True,
    ),
}

#: The same of the method.
OF_THE_METHOD = {
    "nothing": ("import torch\n", True),
    "on an object": (HEAD + QUIET + "Norm().scaled(self.p, 1)\n", False),
    "on any object, in a file that has the class": (
        HEAD + QUIET + "self.norm.scaled(self.p, eps=1)\n",
        False,
    ),
    "on any object, in a file that has not": (
        "import torch\n\n\n@torch.no_grad()\ndef step(norm, p):\n    return norm.scaled(p, 1)\n",
        True,
    ),
    "inherited": (
        "import torch\n\nfrom .ops import Norm\n\n\nclass Own(Norm):\n" + QUIET + "self.scaled(self.p, 1)\n",
        False,
    ),
    "and what a method of another class asks of its own object": (
        HEAD
        + QUIET
        + "self.norm.scaled(self.p, 1)\n\n\nclass Other:\n    def scaled(self, x, eps):\n        return x\n\n"
        "    def run(self, x):\n        return self.scaled(x, 1)\n",
        False,
    ),
    "and what a method of a class that inherits it asks": (
        HEAD + QUIET + "self.norm.scaled(self.p, 1)\n\n\nclass Own(Norm):\n"
        "    def run(self, x):\n        return self.scaled(x, 1)\n",
        True,
    ),
    "and one that cannot be meant": (
        HEAD
        + QUIET
        + "self.norm.scaled(self.p, 1)\n\n    def show(self, image):\n        return image.scaled(2.0)\n",
        False,
    ),
    "and one that may be meant": (
        HEAD
        + QUIET
        + "self.norm.scaled(self.p, 1)\n\n    def show(self, image):\n        return image.scaled(2.0, 3)\n",
        True,
    ),
}


def reported(row: int) -> bool:
    return any(one.location.row == row for one in check_paths(["pkg/ops.py"]).diagnostics)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "ops.py").write_text(OPS)
    return folder


@pytest.mark.parametrize(("text", "told"), OF_THE_FUNCTION.values(), ids=OF_THE_FUNCTION)
def test_of_a_function(text: str, told: bool, package: Path) -> None:
    (package / "step.py").write_text(text)
    assert reported(6) is told


@pytest.mark.parametrize(("text", "told"), OF_THE_METHOD.values(), ids=OF_THE_METHOD)
def test_of_a_method(text: str, told: bool, package: Path) -> None:
    (package / "step.py").write_text(text)
    assert reported(13) is told


@pytest.mark.parametrize(("decorator", "told"), [("staticmethod", False), ("REGISTRY.add", True)])
def test_what_a_decorator_hands_on_may_be_called_from_anywhere(
    decorator: str, told: bool, package: Path
) -> None:
    norm = f"    @{decorator}\n    def norm(p):\n        return scaled(p)\n\n"
    (package / "step.py").write_text(HEAD + norm + QUIET + "self.norm(self.p)\n")
    assert reported(6) is told


def test_a_file_that_cannot_be_read_may_call_it_in_any_way(package: Path) -> None:
    (package / "step.py").write_text(HEAD + QUIET + "scaled(self.p)\n")
    assert not reported(6)
    (package / "other.py").write_text("from pkg.ops import scaled\n\nprint scaled(1)\n")
    assert reported(6)


def test_the_package_comes_before_the_project_around_it(package: Path) -> None:
    (package.parent / "test_ops.py").write_text(
        "from pkg.ops import scaled\n\n\ndef test():\n    scaled(1)\n"
    )
    assert reported(6)
    (package / "step.py").write_text(HEAD + QUIET + "scaled(self.p)\n")
    assert not reported(6)


def test_scripts_beside_a_folder_of_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "ops.py").write_text(OPS)
    (tmp_path / "show.py").write_text(
        "import torch\n\nfrom pkg.ops import scaled\n\n\n@torch.no_grad()\ndef show(p):\n    print(scaled(p))\n"
    )
    assert not reported(6)
