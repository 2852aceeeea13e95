"""Graph-level property regression with variational weight noise (perturb, predict, restore)."""
import torch
import torch.nn as nn
from contextlib import contextmanager


class GIN(nn.Module):
    def __init__(self, fin, width, depth):
        super().__init__()
        self.inp = nn.Linear(fin, width)
        self.mlps = nn.ModuleList()
        for _ in range(depth):
            self.mlps.append(nn.Sequential(nn.Linear(width, width), nn.ReLU(inplace=True), nn.Linear(width, width)))
        self.eps = nn.Parameter(torch.zeros(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x, src, dst, batch, num):
        h = self.inp(x)
        for eps, mlp in zip(self.eps, self.mlps):
            agg = torch.zeros_like(h).index_add_(0, dst, h[src])
            h = torch.tanh(mlp(agg + (1 + eps) * h))
        pooled = h.new_zeros(num, h.shape[1])
        pooled.index_add_(0, batch, h)
        return self.out(pooled).squeeze(1)


class NoiseInjector:
    """Adds Gaussian noise, proportional to the weight's own rms, to all matrices."""

    def __init__(self, module, rel):
        self.rel = rel
        self.targets = [p for p in module.parameters() if p.dim() > 1]
        self.backup = [torch.empty_like(p) for p in self.targets]

    @torch.no_grad()
    def perturb(self):
        for p, b in zip(self.targets, self.backup):
            b.copy_(p)
            p.add_(torch.randn_like(p), alpha=self.rel * p.square().mean().sqrt().item())

    @torch.no_grad()
    def restore(self):
        for p, b in zip(self.targets, self.backup):
            p.copy_(b)  # BUG

    @contextmanager
    def __call__(self):
        self.perturb()
        try:
            yield
        finally:
            self.restore()


def collate(graphs):
    xs, srcs, dsts, batch, ys, off = [], [], [], [], [], 0
    for i, (x, e, y) in enumerate(graphs):
        xs.append(x)
        srcs.append(e[0] + off)
        dsts.append(e[1] + off)
        batch.append(torch.full((len(x),), i))
        ys.append(y)
        off += len(x)
    return torch.cat(xs), torch.cat(srcs), torch.cat(dsts), torch.cat(batch), torch.stack(ys)


def elbo_step(net, noisy, opt, graphs):
    x, s, d, b, y = collate(graphs)
    with noisy():
        pred = net(x, s, d, b, len(y))
        loss = (pred - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def random_graph(lo=4, hi=8):
    n = int(torch.randint(lo, hi, ()))
    return torch.randn(n, 5), torch.randint(0, n, (2, 2 * n)), torch.randn(())


# --- driver ---
torch.manual_seed(33)
gin = GIN(5, 12, 2)
noise = NoiseInjector(gin, 0.02)
opt = torch.optim.Adam(gin.parameters(), 2e-3)
for _ in range(3):
    print(elbo_step(gin, noise, opt, [random_graph() for _ in range(6)]))
