"""What an optimizer of the project keeps and computes was made of gradients, and requires none itself."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import inplace_lint  # noqa: E402

STEP = """import torch


class Scaled(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, largest=False):
        super().__init__(params, dict(lr=lr, largest=largest))

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad.data
                state = self.state[p]
                if len(state) == 0:
                    state["square"] = torch.zeros([])
                    if group["largest"]:
                        state["largest"] = torch.zeros([]).to(state["square"].device)
                square = state["square"]
                norm = torch.sum(torch.pow(grad, 2))
                if square == 0:
                    square = norm
                else:
                    square.mul_(0.9).add_(norm, alpha=0.1)
                if group["largest"]:
                    largest = state["largest"]
                    torch.max(largest, square, out=largest)
                    square = largest
                {update}


def train(loaders, device, epochs):
    net = torch.nn.Linear(2, 2).to(device)
    opt = Scaled(net.parameters(), largest=True)
    for _ in range(epochs):
        for mode in loaders:
            for x in loaders[mode]:
                if mode == "train":
                    opt.zero_grad()
                    net(x).sum().backward()
                    opt.step()

"""


RUN = """
train({"train": [torch.ones(1, 2)], "test": [torch.ones(1, 2)]}, "cpu", 2)
"""


def errors(text: str) -> list[str | None]:
    return [one.code for one in inplace_lint.check(text).diagnostics if one.severity == "error"]


def test_what_an_optimizer_keeps_is_data() -> None:
    text = STEP.format(update="p.data.add_(grad / (square.sqrt() + 1e-8), alpha=-group['lr'])")
    exec(compile(text + RUN, "program.py", "exec"), {"__name__": "__main__"})
    assert errors(text) == []


def test_a_step_that_changes_parameters_while_gradients_are_recorded_is_found() -> None:
    text = STEP.format(update="p.add_(grad, alpha=-group['lr'])")
    with pytest.raises(RuntimeError, match="leaf Variable"):
        exec(compile(text + RUN, "program.py", "exec"), {"__name__": "__main__"})
    assert errors(text) == ["IPL103"]
