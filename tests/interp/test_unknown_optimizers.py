"""Networks and optimizers that are arguments: a step is a hazard where a later backward needs all that it may write."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn
from torch.nn import functional as F


def train({arguments}):
{body}
"""
#: What an argument stands for when torch runs the program.
GIVEN = """
import types

{text}

class Net(nn.Module):
    def __init__(self, outputs=1):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
        self.outputs = outputs

    def forward(self, x, h=None):
        out = self.layers(x if h is None else x + h)
        return out if self.outputs == 1 else (out, out * 2)


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.left, self.right = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        h = torch.tanh(self.trunk(x)).detach()
        return self.left(h).exp(), self.right(h).exp()


def crit(out, y):
    return ((out - y) ** 2).mean()


loader = [(torch.rand(2, 3), torch.rand(2, 3)) for _ in range(3)]
model, other = Net({outputs}), Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
opt2 = torch.optim.SGD(other.parameters(), lr=0.1)
heads = Heads()
nets = [Net(), Net()]
opts = [torch.optim.SGD(net.parameters(), lr=0.1) for net in nets]
opt3 = torch.optim.SGD(heads.left.parameters(), lr=0.1)
opt4 = torch.optim.SGD(heads.right.parameters(), lr=0.1)
masked = False
agent = types.SimpleNamespace(policy=Net())
agent.opt = torch.optim.SGD(agent.policy.parameters(), lr=0.1)
agent.policy.scale = nn.Parameter(torch.ones(()))
agent.opt2 = torch.optim.SGD([agent.policy.scale], lr=0.1)
train({values})
"""
#: By name: the arguments, the number of tensors that the model returns, the body.
PROGRAMS = {
    "a loss that another contains": (
        "model, loader, opt, opt2",
        2,
        """    for x, y in loader:
        out, more = model(x)
        loss = F.mse_loss(out, y)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
        total = loss + more.mean()
        opt2.zero_grad()
        total.backward()
        opt2.step()""",
    ),
    "a criterion that is given too": (
        "model, crit, loader, opt",
        2,
        """    for x, y in loader:
        out, more = model(x)
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
        opt.zero_grad()
        (loss + more.mean()).backward()
        opt.step()""",
    ),
    "good: a weight that has an optimizer of its own is stepped first": (
        "agent, loader",
        1,
        """    for x, y in loader:
        out = agent.policy(x)
        scaled = agent.policy.scale * out.detach().mean()
        scaled.backward()
        agent.opt2.step()
        agent.opt2.zero_grad()
        F.mse_loss(out, y).backward()
        agent.opt.step()
        agent.opt.zero_grad()""",
    ),
    "good: what a known optimizer steps is not stepped by another": (
        "agent, loader",
        1,
        """    opt = torch.optim.SGD(agent.policy.parameters(), lr=0.1)
    for x, y in loader:
        out = agent.policy(x)
        agent.opt2.zero_grad()
        scaled = agent.policy.scale * out.detach().mean()
        scaled.backward()
        agent.opt2.step()
        opt.zero_grad()
        F.mse_loss(out, y).backward()
        opt.step()""",
    ),
    "a state that goes on": (
        "model, loader, opt",
        2,
        """    h = None
    for x, y in loader:
        out, h = model(x, h)
        loss = F.mse_loss(out, y)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()""",
    ),
    "what a discriminator returned is needed again": (
        "model, other, loader, opt, opt2",
        1,
        """    for x, y in loader:
        fake = other(model(x))
        opt2.zero_grad()
        (other(y).mean() - fake.mean()).backward(retain_graph=True)
        opt2.step()
        opt.zero_grad()
        (-fake.mean()).backward()
        opt.step()""",
    ),
    "... by a criterion": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        fake, real = other(model(x)), other(y)
        opt2.zero_grad()
        loss = 0.5 * (crit(real, torch.ones_like(real)) + crit(fake, torch.zeros_like(fake)))
        loss.backward(retain_graph=True)
        opt2.step()
        opt.zero_grad()
        (crit(fake, torch.ones_like(fake)) + crit(x, y)).backward()
        opt.step()""",
    ),
    "... more than once": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        fake = other(model(x))
        for _ in range(2):
            opt2.zero_grad()
            loss = crit(fake, y)
            loss.backward(retain_graph=True)
            opt2.step()""",
    ),
    "... by networks that were moved": (
        "model, other, loader, opt, opt2",
        1,
        """    model = model.to("cpu")
    other = other.to("cpu")
    for x, y in loader:
        fake = other(model(x))
        opt2.zero_grad()
        (other(y).mean() - fake.mean()).backward(retain_graph=True)
        opt2.step()
        opt.zero_grad()
        (-fake.mean()).backward()
        opt.step()""",
    ),
    "a sum over networks goes on": (
        "nets, opts, loader, masked",
        1,
        """    for x, y in loader:
        total = 0
        for net, one in zip(nets if masked else list(nets), opts):
            if net is not None and one is not None:
                one.zero_grad()
                total += net(x.detach()).mean()
                total.backward(retain_graph=True)
                one.step()""",
    ),
    "a dict of losses is summed up": (
        "model, other, loader, opt, opt2",
        1,
        """    for x, y in loader:
        out = model(x)
        opt.zero_grad()
        (out - y).abs().mean().backward(retain_graph=True)
        opt.step()
        opt2.zero_grad()
        losses = {"one": other(out).mean(), "two": other(out).sum()}
        sum(loss for loss in losses.values()).backward()
        opt2.step()""",
    ),
    "good: a loss of each network": (
        "nets, opts, loader",
        1,
        """    for x, y in loader:
        for net, one in zip(nets, opts):
            one.zero_grad()
            net(x.detach()).mean().backward(retain_graph=True)
            one.step()""",
    ),
    "good: another part is needed": (
        "heads, crit, loader, opt3, opt4",
        1,
        """    for x, y in loader:
        left, right = heads(x)
        opt3.zero_grad()
        crit(left, y).backward(retain_graph=True)
        opt3.step()
        opt4.zero_grad()
        crit(right, y).backward()
        opt4.step()""",
    ),
    "good: ... by its index": (
        "heads, loader, opt3, opt4",
        1,
        """    for x, y in loader:
        out = heads(x)
        opt3.zero_grad()
        (out[0] - y).square().mean().backward(retain_graph=True)
        opt3.step()
        opt4.zero_grad()
        (out[1] - y).square().mean().backward()
        opt4.step()""",
    ),
    "good: what the other network computed is needed": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        out = model(x)
        opt2.zero_grad()
        crit(other(out), y).backward(retain_graph=True)
        opt2.step()
        opt.zero_grad()
        crit(out, y).backward()
        opt.step()""",
    ),
    "gradients are clipped for the step": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        out = model(x)
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        loss = crit(other(out), y)
        opt2.zero_grad()
        loss.backward()
        opt2.step()""",
    ),
    "good: clipped for the step, and cut": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        out = model(x)
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        loss = crit(other(out.detach()), y)
        opt2.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(other.parameters(), 5.0)
        opt2.step()""",
    ),
    "good: a state that is cut": (
        "model, crit, loader, opt",
        2,
        """    h = None
    for x, y in loader:
        out, h = model(x, h)
        h = h.detach()
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()""",
    ),
    "good: one loss": (
        "model, crit, loader, opt",
        1,
        """    total = 0
    for x, y in loader:
        loss = crit(model(x), y)
        total += loss.item()
        opt.zero_grad()
        loss.backward()
        opt.step()""",
    ),
    "good: a discriminator that is called again": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        fake = model(x)
        loss = crit(other(y), y) + crit(other(fake.detach()), x)
        opt2.zero_grad()
        loss.backward()
        opt2.step()
        loss = crit(other(fake), y)
        opt.zero_grad()
        loss.backward()
        opt.step()""",
    ),
    "good: both backwards before the steps": (
        "model, other, crit, loader, opt, opt2",
        1,
        """    for x, y in loader:
        out = model(x)
        first, second = crit(out, y), crit(other(out), y)
        opt.zero_grad()
        opt2.zero_grad()
        first.backward(retain_graph=True)
        second.backward()
        opt.step()
        opt2.step()""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_of_given_optimizers(name: str) -> None:
    arguments, outputs, body = PROGRAMS[name]
    text = TEXT.format(arguments=arguments, body=body)
    raised = False
    try:
        exec(
            compile(GIVEN.format(text=text, outputs=outputs, values=arguments), "given.py", "exec"),
            {"__name__": "given"},
        )
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    assert raised is not name.startswith("good: ")
    found = [one.code for one in check_source("given.py", text.encode(), Settings(), Project())]
    assert found == ["IPL106"] * raised
