import torch
import torch.nn as nn

ACTS = {"sigmoid": torch.sigmoid, "relu": torch.relu, "tanh": torch.tanh}


class TapDict(dict):
    """Collects intermediate activations by layer name for inspection."""

    def put(self, name, value):
        self[name] = value.detach()
        return value


class Block(nn.Module):
    def __init__(self, d_in, d_out, act, taps, name):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        self.act = ACTS[act]
        self.taps, self.tag = taps, name

    def forward(self, x):
        z = self.lin(x)
        return self.taps.put(self.tag, self.act(z))


class MLP(nn.Module):
    def __init__(self, d_in, width, depth, n_classes, act):
        super().__init__()
        self.taps = TapDict()
        dims = [d_in] + [width] * depth
        self.blocks = nn.ModuleList(
            Block(a, b, act, self.taps, f"block{i}") for i, (a, b) in enumerate(zip(dims, dims[1:])))
        self.head = nn.Linear(width, n_classes)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.head.bias.zero_()

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def build_model(cfg, in_dim, n_classes):
    return {"mlp": MLP}[cfg.model](in_dim, cfg.width, cfg.depth, n_classes, cfg.act)
