"""Forms that reported bugs and judged findings of real repositories showed; torch says what is right."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from .in_torch import told

#: Programs with the one in-place write that torch refuses in backward.
WRONG = {
    "a Function that returns its input without mark_dirty": """
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


Doubled.apply(torch.exp(w)).sum().backward()
""",
    "the least of a list": """
outs = [torch.sigmoid(w + i) for i in range(3)]
least = min(outs, key=lambda t: t.sum().item())
least += 1
sum(outs).sum().backward()
""",
    "an element at an index that is not known": """
outs = [torch.sigmoid(w + i) for i in range(3)]
chosen = outs[int(w.sum())  % 3]
chosen += 1
sum(outs).sum().backward()
""",
    "a step behind an entry that is counted": """
def train(model, optimizer, rounds, log):
    kept = 0
    for i in range(rounds):
        a, b = model(w)
        if b > 0:
            optimizer.zero_grad()
            b.backward(retain_graph=True)
            optimizer.step()
        if i % 2:
            kept.backward()
            kept = 0
        else:
            kept = kept + a
        log["steps"] = log["steps"] + 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)

    def forward(self, x):
        y = self.two(self.one(x) ** 2)
        return y.sum(), (y * y).sum() + 1


net = Net()
train(net, torch.optim.SGD(net.parameters(), lr=0.1), 4, {"steps": 0})
""",
    "layers that are made to work in place later": """
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(3, 3)
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, x):
        return self.one(self.drop(torch.relu(self.one(x))))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        for part in self.modules():
            if isinstance(part, torch.nn.Dropout):
                part.inplace = True

    def forward(self, x):
        return self.block(x)


Net()(w).sum().backward()
""",
    "a layer of the object itself that is made so": """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(3, 3)
        self.drop = torch.nn.Dropout(0.1)
        self.drop.inplace = True

    def forward(self, x):
        return self.one(self.drop(torch.relu(self.one(x))))


Net()(w).sum().backward()
""",
}
#: Programs that torch accepts.
RIGHT = {
    "two look-ups in an embedding that renormalises": """
table = torch.nn.Embedding(4, 3, max_norm=1)


def score(pairs):
    first, second = table(pairs[:, 0]), table(pairs[:, 1])
    return (first - second).norm()


score(torch.tensor([[0, 1], [2, 3]])).backward()
""",
    "the results of an unknown network are unpacked": """
def train(model, x):
    optimizer = torch.optim.Adam(model.parameters())
    loss, other = model(x)
    loss += other.mean()
    loss.backward()
    optimizer.step()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.one(x).sum(), self.one(x)


build = {"net": Net}
train(build[str("net")](), w.detach())
""",
    "a list that is indexed by a number computed from one": """
class Pyramid(torch.nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels
        self.scale = torch.nn.Parameter(torch.ones(2, levels))

    def forward(self, inputs):
        levels = self.levels
        path = inputs
        for i in range(0, levels - 2, 1):
            path[i + 1] = self.scale[0, i] * path[i + 1] + torch.relu(path[i])
        path[levels - 1] = self.scale[1, levels - 1] * path[levels - 1] * torch.relu(path[levels - 2])
        return path


sum(Pyramid(3)([torch.ones(3), torch.ones(3), torch.ones(3)])).sum().backward()
""",
}
HEAD = "import torch\n\nw = torch.ones(3, requires_grad=True)\n"


@pytest.mark.parametrize("what", WRONG)
def test_what_torch_refuses_is_told(what: str) -> None:
    program = HEAD + WRONG[what]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(program, {})
    assert len(told(program)) == 1


@pytest.mark.parametrize("what", RIGHT)
def test_of_what_torch_accepts_nothing_is_told(what: str) -> None:
    program = HEAD + RIGHT[what]
    exec(program, {})
    assert told(program) == []
