"""`build, register = make_registry("model")`: what one of the functions stores another finds, in whatever file."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.api import check_paths

MAKER = """
def make_registry(name, default=None):
    table = {}

    def build(choice, *rest):
        cls = table[choice or default]
        return getattr(cls, "build", cls)(*rest)

    def register(key):
        def keep(cls):
            if key in table:
                raise ValueError(f"{key} is a {name} already")
            table[key] = cls
            return cls

        return keep

    return build, register, table
"""
PACKAGE = """
from registry import make_registry

build_{0}, register_{0}, {1} = make_registry("{0}", default="first")

from {0}s import first, second
"""
#: Only the class `second` of the package `models`, and only `first` of the package `heads`, writes what it is given.
CLASS = """
from {0}s import register_{0}


@register_{0}("{1}")
class {2}:
    def change(self, x):
        {3}
"""
WRITES, READS = "x.mul_(2)", "x.sum()"
FILES = {
    "registry.py": MAKER,
    "models/__init__.py": PACKAGE.format("model", "MODELS"),
    "models/first.py": CLASS.format("model", "first", "First", READS),
    "models/second.py": CLASS.format("model", "second", "Second", WRITES),
    "heads/__init__.py": PACKAGE.format("head", "HEADS"),
    "heads/first.py": CLASS.format("head", "first", "First", WRITES),
    "heads/second.py": CLASS.format("head", "second", "Second", READS),
}
SCRIPT = """
import torch
import heads
import models
from heads import HEADS, build_head
from models import MODELS, build_model

w = torch.randn(3, requires_grad=True)
y = w.sigmoid()
made = {made}
made.change(y)
y.sum().backward()
"""


@pytest.mark.parametrize(
    "made, told",
    [
        ('build_model("second")', True),
        ('build_model("first")', False),
        ('models.build_model("second")', True),
        ('MODELS["second"]()', True),
        ('models.MODELS["first"]()', False),
        ('build_head("second")', False),
        ('build_head("first")', True),
        ("heads.build_head(None)", True),
        ("build_model(None)", False),
        ('HEADS["second"]()', False),
    ],
)
def test_a_class_is_found_in_its_own_registry(made: str, told: bool, tmp_path: Path) -> None:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(made=made))
    found = check_paths([script]).diagnostics
    assert [one.code for one in found] == ["IPL101"] * told


ASKED = """
import torch
from torch import nn


class Plain:
    made = staticmethod(lambda: None)


class Layer(nn.Module):
    pass


def seen(x):
    y = x.sigmoid()
    if {asked}:
        y.mul_(2)
    return y.sum()
"""


@pytest.mark.parametrize(
    "asked",
    [
        'hasattr(Plain, "made")',
        'hasattr(Plain, "build")',
        'hasattr(Layer, "build")',
        'hasattr(Layer, "forward")',
        'getattr(Plain, "build", None) is None',
        'getattr(Layer, "build", None) is not None',
        'getattr(Layer, "build", Layer) is Layer',
        'getattr(Plain, "build", Layer) is Plain',
        'not hasattr(Layer(), "build")',
    ],
)
def test_what_a_class_has(asked: str, tmp_path: Path) -> None:
    """Python says whether the test holds."""
    pytest.importorskip("torch")
    source = ASKED.format(asked=asked)
    scope: dict[str, object] = {}
    exec(source.partition("def seen")[0] + f"holds = bool({asked})", scope)
    file = tmp_path / "asked.py"
    file.write_text(source)
    told = [one.code for one in check_paths([file]).diagnostics]
    assert told == ["IPL101"] * bool(scope["holds"])
