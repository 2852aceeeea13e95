"""Encoder for long documents; inspection is opt-in through `record_weights()`."""
import contextlib

import torch
from torch import nn
from torch.nn.functional import dropout, softmax

_TAPE = None


@contextlib.contextmanager
def record_weights():
    global _TAPE
    saved, _TAPE = _TAPE, []
    try:
        yield _TAPE
    finally:
        _TAPE = saved


@contextlib.contextmanager
def full_precision(*tensors):
    yield tuple(t.double() for t in tensors)


class ParagraphMixer(nn.Module):
    def __init__(self, d, n_heads, p=0.1):
        super().__init__()
        self.n_heads, self.p = n_heads, p
        self.qk = nn.Linear(d, 2 * d, bias=False)
        self.v = nn.Linear(d, d)
        self.o = nn.Linear(d, d)

    def _heads(self, x):
        b, l, d = x.shape
        return x.view(b, l, self.n_heads, d // self.n_heads).permute(0, 2, 1, 3)

    def forward(self, x, lengths=None):
        q, k = (self._heads(t) for t in self.qk(x).tensor_split(2, dim=-1))
        v = self._heads(self.v(x))
        with full_precision(q, k) as (qd, kd):
            scores = qd.matmul(kd.transpose(2, 3)).div_(q.shape[3] ** 0.5)
            if lengths is not None:
                beyond = torch.arange(x.shape[1])[None, None, None] >= lengths[:, None, None, None]
                scores = scores.masked_fill_(beyond, float("-inf"))
            weights = softmax(scores, dim=3).to(v)  # ATTN
        if _TAPE is not None:
            _TAPE.append(weights.detach().mean(1))
        weights = dropout(weights, self.p, self.training)
        y = weights.matmul(v).permute(0, 2, 1, 3).reshape_as(x)
        return self.o(y)


class DocEncoder(nn.Module):
    def __init__(self, d=16, n_heads=4, depth=2):
        super().__init__()
        self.mixers = nn.ModuleList([ParagraphMixer(d, n_heads) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in range(depth)])
        self.salience = nn.Linear(d, 1)

    def forward(self, paragraphs, lengths=None):
        x = paragraphs
        for mixer, norm in zip(self.mixers, self.norms):
            x = norm(x + mixer(x, lengths))
        return self.salience(x).squeeze(-1).sigmoid()


# --- driver ---
torch.manual_seed(41)
enc = DocEncoder().double().eval()
RESULTS = []
for n, lens in ((8, None), (11, torch.tensor([11, 6]))):
    x = torch.randn(2, n, 16, dtype=torch.float64, requires_grad=True)
    enc.zero_grad()
    if lens is not None:
        with record_weights() as tape:
            s = enc(x, lens)
        RESULTS += list(tape)
    else:
        s = enc(x)
    s.log().sum().backward()
    RESULTS += [s.detach(), x.grad] + [p.grad.clone() for p in enc.parameters()]
