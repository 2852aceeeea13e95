import torch
import torch.nn as nn


class MultiTaskNet(nn.Module):
    def __init__(self, d_in, width, names):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, width), nn.ELU(), nn.Linear(width, width), nn.ELU())
        self.heads = nn.ModuleDict({n: nn.Linear(width, 1) for n in names})

    def forward(self, x):
        h = self.trunk(x)
        return {n: head(h).squeeze(1) for n, head in self.heads.items()}

    def groups(self, lr):
        yield {"params": self.trunk.parameters(), "lr": lr}
        for head in self.heads.values():
            yield {"params": head.parameters(), "lr": 2 * lr}
