import contextlib
import functools

import torch
import torch.nn as nn


def with_heads(n_heads_attr="heads"):
    """Split the first three tensors into heads before calling the wrapped method, then merge."""

    def deco(fn):
        @functools.wraps(fn)
        def inner(self, q, k, v, *args, **kwargs):
            h = getattr(self, n_heads_attr)
            parts = []
            for t in (q, k, v):
                b, n, c = t.size()
                parts.append(t.view(b, n, h, c // h).transpose(1, 2))
            o = fn(self, *parts, *args, **kwargs)
            b, h, n, d = o.size()
            return o.transpose(1, 2).reshape(b, n, h * d)

        return inner

    return deco


@contextlib.contextmanager
def full_precision(device_type="cpu"):
    with torch.autocast(device_type=device_type, enabled=False):
        yield


class GuardedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)

    @with_heads()
    def mix(self, q, k, v, bias=None):
        with full_precision():
            dtype = v.dtype
            q = q * (q.size(-1) ** -0.25)
            k = k * (k.size(-1) ** -0.25)
            dots = torch.matmul(q, k.transpose(-1, -2))
            if bias is not None:
                dots = dots + bias
            probs = torch.softmax(dots, dim=-1).to(dtype)  # ATTN
        return torch.matmul(probs, v)

    def forward(self, x, bias=None):
        y = self.norm(x)
        return x + self.o(self.mix(self.q(y), self.k(y), self.v(y), bias=bias))


class PairBias(nn.Module):
    """Pairwise distances turned into one bias per head through radial functions."""

    def __init__(self, heads, n_rbf=6):
        super().__init__()
        self.register_buffer("centres", torch.linspace(0, 4, n_rbf))
        self.lin = nn.Linear(n_rbf, heads)

    def forward(self, pos):
        d = (pos[:, :, None] - pos[:, None]).pow(2).sum(-1).add(1e-6).sqrt()
        r = torch.exp(-(d[..., None] - self.centres) ** 2)
        return self.lin(r).permute(0, 3, 1, 2)


class AtomEncoder(nn.Module):
    def __init__(self, dim=16, heads=4, depth=2):
        super().__init__()
        self.emb = nn.Embedding(10, dim)
        self.bias = PairBias(heads)
        self.layers = nn.ModuleList(GuardedAttention(dim, heads) for _ in range(depth))

    def forward(self, z, pos=None):
        x = self.emb(z)
        bias = self.bias(pos) if pos is not None else None
        for layer in self.layers:
            x = layer(x, bias)
        return x.sum(1)


# --- driver ---
torch.manual_seed(27)
net = AtomEncoder().double().eval()
RESULTS = []
for n, geo in ((9, True), (6, False)):
    net.zero_grad(set_to_none=True)
    z = torch.randint(0, 10, (2, n))
    pos = torch.randn(2, n, 3, dtype=torch.float64, requires_grad=True)
    e = net(z, pos if geo else None)
    (e * e.tanh()).sum().backward()
    RESULTS.append(e.detach())
    if geo:
        RESULTS.append(pos.grad)
    RESULTS += [p.grad for p in net.parameters() if p.grad is not None]
