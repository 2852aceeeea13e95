"""An object that an annotation names is followed where it is only called, also if its class stands in another file."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from inplace_lint.api import check_paths

torch = pytest.importorskip("torch")

#: A layer whose weights are set anew at each call.
HEADS = """import torch
import torch.nn.functional as F
from torch import nn


class Prototypes(nn.Module):
    def __init__(self, dim, count):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(count, dim))

    @torch.no_grad()
    def renorm(self):
        self.weight.copy_(F.normalize(self.weight, dim=1))

    def forward(self, z):
        if self.training:
            self.renorm()
        return F.linear(z, self.weight)
"""
MODEL = """from torch import nn

from {package}.heads import Prototypes


class Model(nn.Module):
    def __init__(self, backbone: nn.Module, prototypes: Prototypes):
        super().__init__()
        self.backbone = backbone
        self.prototypes = prototypes

    def forward(self, a, b):
        {lines}
"""
#: What the forward computes.
FORMS = {
    "two calls": "return (self.prototypes(self.backbone(a)) + self.prototypes(self.backbone(b))).sum()",
    "a call for each": "return sum(self.prototypes(self.backbone(one)).sum() for one in (a, b))",
    "one call": "return self.prototypes(self.backbone(a)).sum()",
    "of data, which needs no gradient": "return (self.prototypes(a) + self.prototypes(b)).sum()",
    "the second result alone": "self.prototypes(a)\n        return self.prototypes(self.backbone(b)).sum()",
}


@pytest.mark.parametrize("number, form", [*enumerate(FORMS)], ids=FORMS)
def test_weights_that_are_set_anew_at_each_call(
    number: int, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch says whether backward raises."""
    package = tmp_path / f"swav{number}"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "heads.py").write_text(HEADS)
    model = package / "model.py"
    model.write_text(MODEL.format(package=package.name, lines=FORMS[form]))
    monkeypatch.syspath_prepend(str(tmp_path))
    heads = importlib.import_module(f"{package.name}.heads")
    net = importlib.import_module(f"{package.name}.model").Model(
        torch.nn.Linear(3, 3), heads.Prototypes(3, 2)
    )
    raises = False
    try:
        net(torch.randn(2, 3), torch.randn(2, 3)).backward()
    except RuntimeError:
        raises = True
    for name in ("heads", "model"):
        del sys.modules[f"{package.name}.{name}"]
    told = [one.code for one in check_paths([model]).diagnostics]
    assert told == ["IPL102"] * raises
