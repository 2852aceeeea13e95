"""A function that returns one number is likely a loss: a gradient counts as likely there. Torch says what raises."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n\n"
#: By name: the program, which defines `f(x, y)`.
PROGRAMS = {
    "an energy of normalised vectors": """
def f(x, y):
    v = x - y
    v /= torch.norm(v, dim=1).unsqueeze(1)
    return (v[:, 0] - 1).pow(2).sum()
""",
    "a loss class without weights": """
class Smoothed(nn.Module):
    def forward(self, x, y):
        target = torch.zeros_like(x) + y.detach()
        weighted = x.exp() * target
        target.mul_(0.9)
        return (weighted + target * x).sum(dim=-1).mean()


f = Smoothed()
""",
    "a sum over rows": """
def f(x: torch.Tensor, y):
    total = 0
    for row, other in zip(x.cpu(), y):
        row[0] -= 1.0
        total += (row * other).sum()
    return total
""",
    "a helper that spoils what the loss needs": """
def distances(a, b):
    d = (a - b) ** 2
    d.sqrt_().clamp_(min=1e-6)
    return d


def f(x, y):
    return F.relu(1 - distances(x, y)).mean()
""",
    "a sum in place that begins as zeros of no axis": """
def f(x, y):
    scale = torch.ones(2)
    total = torch.zeros(())
    total += F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum that begins as zeros of no axis": """
def f(x, y):
    scale = torch.ones(2)
    total = torch.zeros(())
    total = total + F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum in place that begins as a tensor of a number": """
def f(x, y):
    scale = torch.ones(2)
    total = torch.tensor(0.0)
    total += F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum that begins as a tensor of a number": """
def f(x, y):
    scale = torch.ones(2)
    total = torch.tensor(0.0)
    total = total + F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum in place that begins as the number 0": """
def f(x, y):
    scale = torch.ones(2)
    total = 0
    total += F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum that begins as the number 0": """
def f(x, y):
    scale = torch.ones(2)
    total = 0
    total = total + F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum in place that begins as new zeros": """
def f(x, y):
    scale = torch.ones(2)
    total = x.new_zeros(())
    total += F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "a sum that begins as new zeros": """
def f(x, y):
    scale = torch.ones(2)
    total = x.new_zeros(())
    total = total + F.mse_loss(x, y) * scale[0]
    scale[1] = 3
    return total
""",
    "good: what is changed was not saved": """
def f(x, y):
    v = x - y
    v /= torch.norm(x, dim=1).unsqueeze(1)
    return v.sum()
""",
    "good: it is changed for the number alone": """
def f(x, y):
    v = x - y
    out = v.sum()
    v /= torch.norm(v.detach(), dim=1).unsqueeze(1)
    return out
""",
}
#: Functions that return no number, or one without a graph: nothing says that these are ever differentiated.
DATA = {
    "a tensor": """
def f(x, y):
    v = x - y
    v /= torch.norm(v, dim=1).unsqueeze(1)
    return v
""",
    "a Python number": """
def f(x, y):
    v = x - y
    v /= torch.norm(v, dim=1).unsqueeze(1)
    return v.sum().item()
""",
    "a metric": """
@torch.no_grad()
def f(x, y):
    v = x - y
    v /= torch.norm(v, dim=1).unsqueeze(1)
    return v.mean()
""",
    "a count": """
def f(x, y):
    v = x - y
    v /= torch.norm(v, dim=1).unsqueeze(1)
    return (v > 0).sum()
""",
}


def _found(text: str) -> list[str]:
    found = check_source("given.py", text.encode(), Settings(), Project())
    return [one.code for one in found if one.severity == "error"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_spoils_a_number_is_found_where_torch_raises(name: str) -> None:
    text = HEAD + PROGRAMS[name]
    names: dict[str, object] = {}
    exec(compile(text, "given.py", "exec"), names)
    x, y = torch.rand(3, 3, requires_grad=True), torch.rand(3, 3)
    raised = False
    try:
        names["f"](x * 1, y).backward()  # type: ignore[operator]
    except RuntimeError as error:
        raised = "inplace" in str(error)
        assert raised, error
    assert raised is not name.startswith("good: ")
    assert bool(_found(text)) is raised


@pytest.mark.parametrize("name", DATA)
def test_without_a_number_nothing_says_that_gradients_flow(name: str) -> None:
    assert not _found(HEAD + DATA[name])
