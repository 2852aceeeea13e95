"""A state that begins without a graph, as zeros, spoils what was saved in the third round at the earliest."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        x = self.linear(x)
{body}
"""
#: By how the state is kept. SPOILS stands for a write of what the state's product has saved, or for a right one.
BODIES = {
    "a name, the last output": """
        gain = torch.ones_like(x[:, 0])
        h = torch.zeros_like(x[:, 0])
        for i in range(x.shape[1]):
            out = h.sigmoid()
            h = out * gain + x[:, i]
            SPOILS
        return out""",
    "a name, a list of outputs": """
        gain = torch.ones_like(x[:, 0])
        h = torch.zeros_like(x[:, 0])
        outs = []
        for step in x.unbind(1):
            out = h.sigmoid()
            outs.append(out)
            h = out * gain + step
            SPOILS
        return torch.stack(outs, 1)""",
    "a name, a tensor of outputs": """
        gain = torch.ones_like(x[:, 0])
        h = torch.zeros(x.shape[0], 3)
        outs = torch.zeros_like(x)
        for i in range(x.shape[1]):
            out = h.sigmoid()
            outs[:, i] = out
            h = out * gain + x[:, i]
            SPOILS
        return outs""",
    "an attribute": """
        gain = torch.ones_like(x[:, 0])
        self.h = torch.zeros_like(x[:, 0])
        outs = []
        for i in range(x.shape[1]):
            out = self.h.sigmoid()
            outs.append(out)
            self.h = out * gain + x[:, i]
            SPOILS
        return torch.stack(outs, 1)""",
    "an element": """
        gain = torch.ones_like(x[:, 0])
        kept = {"h": torch.zeros_like(x[:, 0])}
        outs = []
        for i in range(x.shape[1]):
            out = kept["h"].sigmoid()
            outs.append(out)
            kept["h"] = out * gain + x[:, i]
            SPOILS
        return torch.stack(outs, 1)""",
    "while": """
        gain = torch.ones_like(x[:, 0])
        h = torch.zeros_like(x[:, 0])
        i = 0
        while i < x.shape[1]:
            out = h.sigmoid()
            h = out * gain + x[:, i]
            SPOILS
            i += 1
        return out""",
}
SPOILS = {"bad": "gain += 1", "good": "gain = gain + 1"}


def test_each_round_has_an_element_of_its_own() -> None:
    text = TEXT.format(
        body="""        parts = [x.roll(k, -1) for k in range(x.dim())]
        total = torch.zeros(1)
        for part in parts:
            part *= 2
            total = total + (part**2).sum()
        return total"""
    )
    names: dict[str, object] = {}
    exec(compile(text, "net.py", "exec"), names)
    names["Net"]()(torch.rand(2, 4, 3)).sum().backward()  # type: ignore[operator]
    assert not check_source("net.py", text.encode(), Settings(), Project())


@pytest.mark.parametrize("form", SPOILS)
@pytest.mark.parametrize("name", BODIES)
def test_what_the_third_round_needs(name: str, form: str) -> None:
    text = TEXT.format(body=BODIES[name].lstrip("\n").replace("SPOILS", SPOILS[form]))
    names: dict[str, object] = {}
    exec(compile(text, "net.py", "exec"), names)
    raised = False
    try:
        names["Net"]()(torch.rand(2, 4, 3)).sum().backward()  # type: ignore[operator]
    except RuntimeError as error:
        raised = "inplace" in str(error)
        assert raised, error
    assert raised is (form == "bad")
    found = [one.code for one in check_source("net.py", text.encode(), Settings(), Project())]
    assert found == ["IPL102"] * raised
