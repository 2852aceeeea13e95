"""What repositories were falsely told of, in small: torch runs each program through, and nothing is reported."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project import Project, Settings

HEAD = "import copy\nimport sys\n\nimport torch\nfrom torch import nn\n\n\n"
PROGRAMS = {
    "a dict of six tensors that a loop renews": """
class Buffer:
    def __init__(self):
        self.data = {name: torch.zeros(3) for name in ("a", "b", "c", "d", "e", "f")}

    def renew(self):
        for key, value in self.data.items():
            self.data[key] = torch.zeros_like(value)

buffer, weight = Buffer(), torch.ones(3, requires_grad=True)
loss = 0
for _ in range(3):
    buffer.renew()
    for key in buffer.data:
        buffer.data[key][0] = 1.0
    loss = loss + sum((weight * value).sum() for value in buffer.data.values())
loss.backward()
""",
    "children in the order in which they were set": """
class Block(nn.Module):
    def __init__(self, normed):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)
        if normed:
            self.norm = nn.BatchNorm1d(2)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        for module in self.children():
            x = module(x)
        return x

x = torch.rand(2, 2, 4, requires_grad=True)
y = x.exp()
(Block(True)(y) + y).sum().backward()
""",
    "a list of modules times an unknown number": """
net = nn.Linear(2, 2)
nets = [copy.deepcopy(net)] * (len(sys.argv) + 1)
for i, one in enumerate(nets):
    nets[i] = nn.Linear(2, 2)
nets[0](torch.ones(2)).sum().backward()
""",
    "integers that come of a cast": """
x = torch.rand(3, requires_grad=True)
rows = torch.floor(x.exp()).long().clamp(0, 3)
columns = torch.floor(x.exp()).long()
out = torch.empty(3, dtype=torch.long)
torch.mul(rows, columns, out=out)
(x * out).sum().backward()
""",
    "a tuple of slices": """
def fill(labels, target: tuple[slice, slice]):
    labels[target][labels[target] > 0.5] = 0.0
    return labels

w = torch.ones(3, 3, requires_grad=True)
(w * fill(torch.rand(3, 3), (slice(0, 2), slice(0, 2)))).sum().backward()
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_reported_of_what_torch_runs(name: str) -> None:
    pytest.importorskip("torch")
    program = HEAD + PROGRAMS[name]
    exec(compile(program, "program", "exec", dont_inherit=True), {})
    found = check_source("program.py", program.encode(), Settings(), Project())
    assert not [one for one in found if one.code[:4] in ("IPL1", "IPL2") and one.severity != "note"]
