"""An argument, a key or an attribute that may be missing: what stands in for it is a tensor like any other."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, kept=None):
        super().__init__()
        self.linear, self.kept = nn.Linear(4, 4), kept

    @property
    def mask(self):
        if self.kept is not None:
            return self.kept
        return self.own

    def forward(self, x, {parameters}):
        own = torch.ones_like(x)
        {chosen}
        y = self.linear(x)
        z = y * mask
        {body}
        return z
"""
#: By name: the parameters beside `x`, and how `mask` becomes `own` where nothing else is given.
CHOSEN = {
    "if": ("mask=None", "if mask is None:\n            mask = own"),
    "an expression": ("mask=None", "mask = own if mask is None else mask"),
    "or": ("mask=None", "mask = mask or own"),
    "a test of its class": ("mask=None", "mask = mask if isinstance(mask, torch.Tensor) else own"),
    "an attribute": ("*_", "mask = self.kept\n        if mask is None:\n            mask = own"),
    "a property": ("*_", "self.own = own\n        mask = self.mask"),
    "get of options": ("**options", 'mask = options.get("mask", own)'),
    "pop of options": ("**options", 'mask = options.pop("mask", own)'),
    "in options": ("**options", 'mask = options["mask"] if "mask" in options else own'),
    "get of a dict": ("options={}", 'mask = options.get("mask", own)'),
    "getattr": ("*_", 'mask = getattr(self, "nothing", own)'),
    "hasattr": ("*_", 'mask = self.nothing if hasattr(self, "nothing") else own'),
}
#: What follows the product: a change of what it saved, by either name, or a new tensor.
BODIES = {"own += 1": True, "mask += 1": True, "own = own + 1": False, "z = z + own": False}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", CHOSEN)
def test_what_stands_in_is_saved(name: str, body: str) -> None:
    parameters, chosen = CHOSEN[name]
    text = TEXT.format(parameters=parameters, chosen=chosen, body=body)
    names: dict[str, object] = {}
    exec(compile(text, "net.py", "exec"), names)
    raised = False
    try:
        names["Net"]()(torch.rand(3, 4)).sum().backward()  # type: ignore[operator]
    except RuntimeError as error:
        raised = "inplace" in str(error)
        assert raised, error
    assert raised is BODIES[body]
    found = check_source("net.py", text.encode(), Settings(), Project())
    errors = [one.code for one in found if one.severity == "error"]
    assert errors == ["IPL102"] * raised


def test_an_attribute_that_is_set_needs_no_default() -> None:
    text = TEXT.format(
        parameters="*_",
        chosen='self.set = own + 1\n        mask = getattr(self, "set", own)',
        body="own += 1",
    )
    assert not [
        one for one in check_source("net.py", text.encode(), Settings(), Project()) if one.severity == "error"
    ]


WRAPPED = """import torch
from torch import nn


def train(model, loader, opt):
    model = nn.DataParallel(model)
    for x, y in loader:
        out = model(x)
        opt.zero_grad()
        (out - y).abs().mean().backward(retain_graph=True)
        opt.step()
        opt.zero_grad()
        (out - y).square().mean().backward()
        opt.step()
"""


def test_no_label_names_the_stand_in_of_a_wrapper() -> None:
    (found,) = check_source("train.py", WRAPPED.encode(), Settings(), Project())
    assert found.code == "IPL106"
    places = [(one.location.filename, one.location.row) for one in found.labels]
    assert ("train.py", 8) in places
    assert {name for name, _ in places} == {"train.py"}
