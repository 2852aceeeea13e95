"""What a project does elsewhere makes a fix unsafe only where a call really does it."""

from __future__ import annotations

import os
import textwrap

import pytest

from inplace_lint.prefilter.package_uses import hooks_modules, takes_second_derivatives
from inplace_lint.project.modules import Project
from inplace_lint.syntax.module import Module


def module(text: str) -> Module:
    return Module("one.py", textwrap.dedent(text).encode())


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("from torch.autograd.functional import hessian\nhessian(f, x)", True),
        ("import torch\ntorch.autograd.grad(y, x, create_graph=True)", True),
        ("y.backward(create_graph=True)", True),
        ("from torch.func import jvp as forward\nforward(f, (x,), (t,))", True),
        ("import torch.autograd.forward_ad as fw\nfw.make_dual(x, t)", True),
        ("def zero_hessian(x):\n    return x\n\n\nzero_hessian(x)", False),
        ("from .responses import hessian\nhessian(x)", False),
        ("'''Give create_graph=True, or call torch.func.jvp(f).'''", False),
        ("# hessian(f)\ny.backward(create_graph=False)", False),
    ],
)
def test_second_derivatives_are_calls(text: str, does: bool) -> None:
    assert takes_second_derivatives(module(text), Project("/")) == does


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("def watch(m, f):\n    m.register_forward_hook(f)", True),
        ("for m in model.modules():\n    m.register_full_backward_hook(f)", True),
        ("self.attn_drop.register_forward_hook(f)", True),
        ("block.conv.register_forward_hook(f)", False),
        ("'''m.register_forward_hook(f)'''", False),
        (
            "import torch.nn as nn\nfor m in ms:\n    if isinstance(m, nn.Conv2d):\n        m.register_forward_hook(f)",
            False,
        ),
        (
            "import torch.nn as nn\nfor m in ms:\n    if isinstance(m, nn.Module):\n        m.register_forward_hook(f)",
            True,
        ),
        (
            "from torch import nn\nfor m in ms:\n    if isinstance(m, (nn.ReLU, nn.Dropout)):\n"
            "        m.register_forward_hook(f)",
            True,
        ),
        ("class A:\n    def __init__(me):\n        me.register_forward_pre_hook(f)", False),
        ("x.register_hook(f)", False),
        ("from torch.nn.modules.module import register_module_forward_hook as hook\nhook(f)", True),
    ],
)
def test_hooks_are_calls_on_what_may_be_the_module(text: str, does: bool) -> None:
    assert hooks_modules(module(text), Project("/"), "attn_drop", "torch.nn.Dropout") == does


def test_other_files_of_the_project_count(tmp_path: os.PathLike[str]) -> None:
    folder = os.path.join(tmp_path, "package")
    os.mkdir(folder)
    for name, text in (
        ("__init__.py", ""),
        ("probe.py", "def watch(m, f):\n    m.register_forward_hook(f)\n"),
        ("layer.py", "x = 1\n"),
        ("broken.py", "def (:\n    register_forward_hook\n"),
    ):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    one = Module(os.path.join(folder, "layer.py"), b"x = 1\n")
    assert hooks_modules(one, Project(str(tmp_path)), "attn_drop", "torch.nn.Dropout")
    assert not takes_second_derivatives(one, Project(str(tmp_path)))
