from torch import nn

from .blocks import ConvAct
from .merge import upsample_add


class FPN(nn.Module):
    def __init__(self, in_channels, out_channels, act="relu"):
        super().__init__()
        self.lateral = nn.ModuleList(ConvAct(c, out_channels, 1, act) for c in in_channels)
        self.smooth = nn.ModuleList(ConvAct(out_channels, out_channels, 3, act) for _ in in_channels)

    def forward(self, feats):
        lats = [l(f) for l, f in zip(self.lateral, feats)]
        outs = [lats[-1]]
        for lat in reversed(lats[:-1]):
            outs.append(upsample_add(outs[-1], lat))
        return [s(o) for s, o in zip(self.smooth, reversed(outs))]
