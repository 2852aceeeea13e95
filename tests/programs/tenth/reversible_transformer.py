"""Reversible residual stack: activations are rebuilt from the outputs during backward."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class RngState:
    """Replays the random numbers of a forward pass."""

    def __init__(self):
        self.state = None

    def record(self):
        self.state = torch.get_rng_state()

    def replay(self, fn, x):
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self.state)
            return fn(x)


class ReversiblePair(nn.Module):
    def __init__(self, f, g):
        super().__init__()
        self.f, self.g = f, g
        self.rng_f, self.rng_g = RngState(), RngState()

    @torch.no_grad()
    def run(self, x1, x2):
        self.rng_f.record()
        y1 = x1 + self.f(x2)
        self.rng_g.record()
        y2 = x2 + self.g(y1)
        return y1, y2

    def undo(self, y1, y2, d1, d2):
        """Consumes outputs and their gradients, returns inputs and theirs."""
        with torch.enable_grad():
            y1.requires_grad_()
            gy = self.rng_g.replay(self.g, y1)
        torch.autograd.backward(gy, d2)
        with torch.no_grad():
            x2 = y2.sub_(gy)
            d1.add_(y1.grad)
            y1 = y1.detach()
        with torch.enable_grad():
            x2.requires_grad_()
            fx = self.rng_f.replay(self.f, x2)
        torch.autograd.backward(fx, d1)
        with torch.no_grad():
            x1 = y1.sub_(fx)
            d2.add_(x2.grad)
            x2 = x2.detach()
        return x1, x2, d1, d2


class ReversibleFn(Function):
    @staticmethod
    def forward(ctx, x, pairs):
        x1, x2 = x.chunk(2, -1)
        for pair in pairs:
            x1, x2 = pair.run(x1, x2)
        ctx.pairs = pairs
        ctx.save_for_backward(x1, x2)
        return torch.cat([x1, x2], -1)

    @staticmethod
    def backward(ctx, grad):
        y1, y2 = (t.clone() for t in ctx.saved_tensors)
        d1, d2 = (t.clone() for t in grad.chunk(2, -1))
        for pair in reversed(ctx.pairs):
            y1, y2, d1, d2 = pair.undo(y1, y2, d1, d2)
        return torch.cat([d1, d2], -1), None


class PreNormAttention(nn.Module):
    def __init__(self, dim, heads=2, drop=0.1):
        super().__init__()
        self.norm, self.mha = nn.LayerNorm(dim), nn.MultiheadAttention(dim, heads, dropout=drop, batch_first=True)

    def forward(self, x):
        h = self.norm(x)
        return self.mha(h, h, h, need_weights=False)[0]


class FeedForward(nn.Module):
    def __init__(self, dim, drop=0.1):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(drop), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return self.net(x)


class ReversibleEncoder(nn.Module):
    def __init__(self, vocab=20, dim=16, depth=3, classes=4):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pairs = nn.ModuleList(ReversiblePair(PreNormAttention(dim), FeedForward(dim)) for _ in range(depth))
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.embed(ids)
        y = ReversibleFn.apply(torch.cat([x, x], -1), list(self.pairs))
        a, b = y.chunk(2, -1)
        return self.out((a + b).mean(1) / 2)


# --- driver ---
torch.manual_seed(38)
model = ReversibleEncoder()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    loss = F.cross_entropy(model(torch.randint(0, 20, (4, 6))), torch.randint(0, 4, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
