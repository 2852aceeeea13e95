import torch.nn as nn


class SharedTrunk(nn.Module):
    def __init__(self, d, h, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, h), nn.GELU(), nn.Linear(h, h), nn.GELU())
        self.heads = nn.ModuleDict({name: nn.Linear(h, n) for name, n in tasks.items()})

    def forward(self, x):
        f = self.trunk(x)
        return {name: head(f) for name, head in self.heads.items()}
