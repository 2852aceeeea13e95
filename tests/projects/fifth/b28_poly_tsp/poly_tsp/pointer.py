import math

import torch
from torch import nn
import torch.nn.functional as F

from .mask import VisitState


class Encoder(nn.Module):
    def __init__(self, dim, heads=2, layers=1):
        super(Encoder, self).__init__()
        self.init = nn.Linear(2, dim)
        self.att = nn.ModuleList([nn.MultiheadAttention(dim, heads, batch_first=True) for _ in range(layers)])
        self.ff = nn.ModuleList([
            nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim)) for _ in range(layers)
        ])

    def forward(self, x):
        h = self.init(x)
        for att, ff in zip(self.att, self.ff):
            h = h + att(h, h, h, need_weights=False)[0]
            h = h + ff(h)
        return h


class Pointer(nn.Module):
    """Single-head compatibility, clipped by ``tanh_clipping`` (0 for none)."""

    def __init__(self, dim, tanh_clipping=10.0):
        super(Pointer, self).__init__()
        self.q = nn.Linear(2 * dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.clip = tanh_clipping
        self.dim = dim

    def precompute(self, h):
        return self.k(h)

    def forward(self, ctx, keys, mask):
        logits = torch.einsum("bd,bnd->bn", self.q(ctx), keys)
        logits /= math.sqrt(self.dim)
        if self.clip > 0:
            logits = logits.tanh() * self.clip
        logits = logits.masked_fill(mask, -1e9)
        return F.log_softmax(logits, dim=-1)


class AttentionModel(nn.Module):
    """REINFORCE policy for TSP. forward(coords (B, N, 2)) -> (tour length, log likelihood of the tour).

    decode_type: "sampling" or "greedy"
    """

    def __init__(self, dim=8, decode_type="sampling", **pointer_kwargs):
        super(AttentionModel, self).__init__()
        self.encoder = Encoder(dim)
        self.pointer = Pointer(dim, **pointer_kwargs)
        self.placeholder = nn.Parameter(torch.empty(dim).uniform_(-1, 1))
        self.decode_type = decode_type

    def _choose(self, logp):
        p = logp.detach().exp()
        if self.decode_type == "greedy":
            return p.argmax(1)
        return p.multinomial(1).squeeze(1)

    def forward(self, coords):
        h = self.encoder(coords)
        b, n, d = h.shape
        keys = self.pointer.precompute(h)
        mean = h.mean(1)
        last = self.placeholder.expand(b, d)
        state = VisitState(b, n)
        ll = coords.new_zeros(b)
        for _ in range(n):
            logp = self.pointer(torch.cat([mean, last], 1), keys, state.mask())
            idx = self._choose(logp)
            ll += logp.gather(1, idx[:, None]).squeeze(1)
            last = h[torch.arange(b), idx]
            state.select(idx, coords)
        return state.close(), ll


def reinforce_loss(cost, ll, baseline=None):
    adv = cost.detach() - (cost.mean() if baseline is None else baseline)
    return (adv * ll).mean()
