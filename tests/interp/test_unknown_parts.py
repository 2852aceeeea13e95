"""What a part of unknown class returned in a module's method likely requires grad; torch says what raises then."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, part):
        super().__init__()
        {kept}

    def forward(self, x):
        h = {called}
        {body}
"""
#: How the part is kept, and how it is called.
PARTS = {
    "given": ("self.part = part", "self.part(x)"),
    "in a list": ("self.parts = nn.ModuleList([part, part])", "self.parts[1](x)"),
    "made by a function": ("self.part = (lambda: part)()", "self.part(x)"),
    "its method": ("self.part = part", "self.part.forward(x)"),
}
BODIES = {
    "normalised by itself": "h /= h.norm(dim=-1, keepdim=True)\n        return h",
    "a square": "s = h.pow(2).sum()\n        h.mul_(2)\n        return h * s",
    "good: normalised": "h = h / h.norm(dim=-1, keepdim=True)\n        return h",
    "good: not saved": "h *= 2\n        return h.abs() if False else h + 1",
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_returned_is_differentiated(part: str, body: str) -> None:
    kept, called = PARTS[part]
    text = TEXT.format(kept=kept, called=called, body=BODIES[body])
    names: dict[str, object] = {}
    exec(compile(text, "net.py", "exec"), names)
    raised = False
    try:
        net = names["Net"](torch.nn.Linear(3, 3))  # type: ignore[operator]
        net(torch.rand(2, 3)).sum().backward()
    except RuntimeError as error:
        raised = "inplace" in str(error)
        assert raised, error
    assert raised is not body.startswith("good: ")
    found = [one.code for one in check_source("net.py", text.encode(), Settings(), Project())]
    assert found == ["IPL102"] * raised


def test_of_a_function_that_is_an_argument_nothing_is_known() -> None:
    text = "def f(part, x):\n    h = part(x)\n    h /= h.norm(dim=-1, keepdim=True)\n    return h\n"
    found = check_source("data.py", f"import torch\n\n\n{text}".encode(), Settings(), Project())
    assert not [one for one in found if one.severity == "error"]


LIST = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, x, i=0):
        {called}
            s = h * h
            {body}
            x = s + h
        return x
"""
CALLED = {
    "a loop": "for part in self.parts:\n            h = part(x)",
    "an index": "for _ in range(1):\n            h = self.parts[i](x)",
}


@pytest.mark.parametrize("body", ["h += 1", "h = h + 1"])
@pytest.mark.parametrize("called", CALLED)
def test_an_element_of_a_given_list_of_modules_is_a_module(called: str, body: str) -> None:
    text = LIST.format(called=CALLED[called], body=body)
    names: dict[str, object] = {}
    exec(compile(text, "net.py", "exec"), names)
    raised = False
    try:
        net = names["Net"]([torch.nn.Linear(3, 3)])  # type: ignore[operator]
        net(torch.rand(2, 3)).sum().backward()
    except RuntimeError as error:
        raised = "inplace" in str(error)
        assert raised, error
    assert raised is (body == "h += 1")
    found = [one.code for one in check_source("net.py", text.encode(), Settings(), Project())]
    assert found == ["IPL102"] * raised
