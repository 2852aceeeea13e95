import torch
import torch.nn.functional as F

from .init import scaled_normal_
from .params import FlatParameters


class FlatMLP:
    def __init__(self, dims):
        self.depth = len(dims) - 1
        self.params = FlatParameters()
        for i, (a, b) in enumerate(zip(dims, dims[1:])):
            self.params.reserve(f"w{i}", b, a)
            self.params.reserve(f"b{i}", b)
        self.flat = self.params.allocate()
        for name, p in self.params.items():
            if name.startswith("w"):
                scaled_normal_(p, 1.4)
        self.activity = {}

    def __call__(self, x):
        for i in range(self.depth):
            x = F.linear(x, self.params[f"w{i}"], self.params[f"b{i}"])
            if i < self.depth - 1:
                x = F.relu_(x)
                self.track(i, x)
        return x.squeeze(1)

    @torch.no_grad()
    def track(self, i, h):
        rate = (h > 0).float().mean(0)
        if i in self.activity:
            self.activity[i].lerp_(rate, 0.3)
        else:
            self.activity[i] = rate

    def reset_units(self, i, units, rows):
        """Re-draws incoming weights of the units and silences their outgoing ones."""
        for name, edit in ((f"w{i}", self._fill_rows), (f"b{i}", self._zero), (f"w{i + 1}", self._zero_cols)):
            edit(self.params[name], units, rows)

    @staticmethod
    def _fill_rows(w, units, rows):
        w[units] = rows  # BUG

    @staticmethod
    def _zero(b, units, rows):
        b[units] = 0.0

    @staticmethod
    def _zero_cols(w, units, rows):
        w[:, units] = 0.0


def build_mlp(dims):
    return FlatMLP(dims)
