from torch import nn

from .blocks import GatedBlock


class GatedNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.blocks = nn.ModuleList(GatedBlock(cfg.channels, cfg.gate_floor) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.channels, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(-1)).squeeze(-1)
