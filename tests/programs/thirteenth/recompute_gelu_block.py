import math
import torch
import torch.nn as nn
import torch.nn.functional as F

C = math.sqrt(2 / math.pi)


class GatedGeluFn(torch.autograd.Function):
    """gelu_tanh(x) * scale, with the tanh recomputed in the backward to spare memory."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.x = x.detach()
        ctx.scale = float(scale)
        inner = x.pow(3).mul_(0.044715).add_(x).mul_(C).tanh_()
        return inner.add_(1).mul_(x).mul_(0.5 * ctx.scale)

    @staticmethod
    def backward(ctx, g):
        x = ctx.x
        t = torch.tanh(C * (x + 0.044715 * x ** 3))
        d = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * C * (1 + 3 * 0.044715 * x * x)
        return g * d * ctx.scale, None


class FFN(nn.Module):
    def __init__(self, dim, hidden, scale):
        super().__init__()
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.scale = scale
        self.tap = None

    def forward(self, x):
        self.tap = self.up(x)
        return self.down(GatedGeluFn.apply(self.tap, self.scale))


class ActivationTrace:
    """Collects the pre-activations of every FFN, normalised per unit, for the dead-unit report."""

    def __init__(self, model):
        self.ffns = [m for m in model.modules() if isinstance(m, FFN)]
        self.rows = []

    @torch.no_grad()
    def collect(self):
        for i, f in enumerate(self.ffns):
            a = f.tap.flatten(0, -2)
            dead = (a < -1).all(0).float().mean()
            a -= a.mean(0)  # BUG silent
            kurt = (a.pow(4).mean(0) / a.pow(2).mean(0).square().clamp(min=1e-9)).mean()
            self.rows.append((i, dead.item(), kurt.item()))


class Net(nn.Module):
    def __init__(self, vocab=40, dim=16, depth=2, classes=4):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.blocks = nn.ModuleList(FFN(dim, 32, 1 / math.sqrt(i + 1)) for i in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        for n, b in zip(self.norms, self.blocks):
            x = x + b(n(x))
        return self.head(x)


class Loop:
    def __init__(self, model, trace_every=1):
        self.model, self.every = model, trace_every
        self.trace = ActivationTrace(model)
        self.opt = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def __call__(self, n):
        for i in range(n):
            ids, y = torch.randint(0, 40, (16, 6)), torch.randint(0, 4, (16,))
            loss = F.cross_entropy(self.model(ids), y)
            if i % self.every == 0:
                self.trace.collect()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            print(i, loss.item(), self.trace.rows[-1])


# --- driver ---
torch.manual_seed(0)
Loop(Net())(3)
