"""One element of a dict was saved, another is changed."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, trunk, width):
        super().__init__()
        self.trunk = trunk
        self.head = nn.Linear(width, 2)

    def forward(self, x, mask):
        found = {name: value for name, value in self.trunk(x).items() if name != "unused"}
        found["logits"] = self.head(found["states"])
        for name in ("exists", "visible"):
            found[name] *= mask
        return found


class Trunk(nn.Module):
    def forward(self, x):
        return {"states": x * 2, "exists": torch.ones(3), "visible": torch.ones(3)}


if __name__ == "__main__":
    x = torch.randn(3, 4, requires_grad=True)
    Head(Trunk(), 4)(x, torch.tensor([1.0, 0.0, 1.0]))["logits"].sum().backward()
