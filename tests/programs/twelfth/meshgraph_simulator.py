"""Learned cloth simulator on meshes (encode, process, decode) with online normalisers and noise on the inputs."""
import torch
from torch import nn


class OnlineNormaliser(nn.Module):
    def __init__(self, dim, max_count=10_000, floor=1e-6):
        super().__init__()
        for name in ("total", "total_sq"):
            self.register_buffer(name, torch.zeros(dim))
        self.register_buffer("count", torch.zeros(()))
        self.max_count, self.floor = max_count, floor

    @torch.no_grad()
    def accumulate(self, x):
        if self.count < self.max_count:
            self.total += x.sum(0)
            self.total_sq += x.square().sum(0)
            self.count += len(x)

    def moments(self):
        n = self.count.clamp(min=1.0)
        mean = self.total / n
        var = self.total_sq / n - mean**2
        return mean, var.clamp_(min=self.floor).sqrt_()

    def forward(self, x):
        if self.training:
            self.accumulate(x.detach())
        mean, std = self.moments()
        return (x - mean) / std

    def inverse(self, x):
        mean, std = self.moments()
        return x * std + mean


def mlp(i, h, o, norm=True):
    layers = [nn.Linear(i, h), nn.ReLU(inplace=True), nn.Linear(h, o)]
    return nn.Sequential(*layers, *([nn.LayerNorm(o)] if norm else []))


class ProcessorBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.edge, self.node = mlp(3 * d, d, d), mlp(2 * d, d, d)

    def forward(self, v, e, s, r):
        e = e + self.edge(torch.cat([v[s], v[r], e], -1))
        agg = torch.zeros_like(v)
        agg.index_add_(0, r, e)
        return v + self.node(torch.cat([v, agg], -1)), e


class MeshSimulator(nn.Module):
    def __init__(self, d=16, blocks=2, kinds=3):
        super().__init__()
        self.kinds = kinds
        self.nv, self.ne, self.nt = OnlineNormaliser(3 + kinds), OnlineNormaliser(8), OnlineNormaliser(3)
        self.enc_v, self.enc_e = mlp(3 + kinds, d, d), mlp(8, d, d)
        self.blocks = nn.ModuleList(ProcessorBlock(d) for _ in range(blocks))
        self.dec = mlp(d, d, 3, norm=False)

    def features(self, x, prev, rest, kind, s, r):
        onehot = torch.zeros(len(x), self.kinds)
        onehot.scatter_(1, kind[:, None], 1.0)
        rel, rel0 = x[s] - x[r], rest[s] - rest[r]
        edge = torch.cat([rel, rel.norm(dim=-1, keepdim=True), rel0, rel0.norm(dim=-1, keepdim=True)], -1)
        return torch.cat([x - prev, onehot], -1), edge

    def forward(self, x, prev, rest, kind, s, r):
        v, e = self.features(x, prev, rest, kind, s, r)
        v, e = self.enc_v(self.nv(v)), self.enc_e(self.ne(e))
        for b in self.blocks:
            v, e = b(v, e, s, r)
        return self.dec(v)

    def loss(self, x, prev, nxt, rest, kind, s, r, sigma=0.01):
        free = kind == 0
        noise = sigma * torch.randn_like(x)
        noise[~free] = 0.0
        x = x + noise
        acc = nxt - 2 * x + prev
        err = (self(x, prev, rest, kind, s, r) - self.nt(acc)).square().sum(-1)
        err = err * free
        return err.sum() / free.sum()

    @torch.no_grad()
    def rollout(self, x, prev, rest, kind, s, r, steps):
        frames = torch.empty(steps, *x.shape)
        for k in range(steps):
            acc = self.nt.inverse(self(x, prev, rest, kind, s, r))
            nxt = 2 * x - prev + acc
            nxt[kind != 0] = x[kind != 0]
            frames[k] = nxt
            x, prev = nxt, x
        return frames


def cloth(n):
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    rest = torch.stack([i, j, torch.zeros_like(i)], -1).reshape(-1, 3).float().div_(n)
    near = torch.cdist(rest, rest) < 1.5 / n
    near.fill_diagonal_(False)
    kind = torch.zeros(n * n, dtype=torch.long)
    kind[:n] = 1
    return rest, kind, *near.nonzero(as_tuple=True)


# --- driver ---
torch.manual_seed(56)
rest, kind, s, r = cloth(4)
sim = MeshSimulator()
opt = torch.optim.Adam(sim.parameters(), 1e-3)
for _ in range(4):
    prev = rest + 0.02 * torch.randn_like(rest)
    x = prev + 0.01 * torch.randn_like(rest)
    loss = sim.loss(x, prev, 2 * x - prev, rest, kind, s, r)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
print(sim.eval().rollout(x, prev, rest, kind, s, r, 3).shape)
