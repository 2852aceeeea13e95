from typing import NamedTuple, Tuple

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class TabConfig(NamedTuple):
    n_features: int = 10
    n_out: int = 2
    n_d: int = 6
    n_a: int = 6
    n_steps: int = 3
    gamma: float = 1.3
    lambda_sparse: float = 1e-3


class GhostNorm(nn.Module):
    def __init__(self, dim: int, chunk: int = 4):
        super().__init__()
        self.bn, self.chunk = nn.BatchNorm1d(dim, momentum=0.02), chunk

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.bn(c) for c in x.chunk(max(1, len(x) // self.chunk))])


class GLULayer(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.fc, self.norm = nn.Linear(d_in, 2 * d_out, bias=False), GhostNorm(2 * d_out)

    def forward(self, x: Tensor) -> Tensor:
        return F.glu(self.norm(self.fc(x)), dim=-1)


class AttentiveTransformer(nn.Module):
    def __init__(self, n_a: int, n_features: int):
        super().__init__()
        self.fc, self.norm = nn.Linear(n_a, n_features, bias=False), GhostNorm(n_features)

    def forward(self, prior: Tensor, a: Tensor) -> Tensor:
        logits = self.norm(self.fc(a)) * prior
        return torch.softmax(logits, dim=-1)


class TabNet(nn.Module):
    def __init__(self, cfg: TabConfig):
        super().__init__()
        self.cfg = cfg
        width = cfg.n_d + cfg.n_a
        self.bn = nn.BatchNorm1d(cfg.n_features)
        self.initial = GLULayer(cfg.n_features, width)
        self.steps = nn.ModuleList(GLULayer(cfg.n_features, width) for _ in range(cfg.n_steps))
        self.attn = nn.ModuleList(AttentiveTransformer(cfg.n_a, cfg.n_features) for _ in range(cfg.n_steps))
        self.head = nn.Linear(cfg.n_d, cfg.n_out)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        x = self.bn(x)
        prior = torch.ones_like(x)
        a = self.initial(x)[:, self.cfg.n_d:]
        agg = x.new_zeros(len(x), self.cfg.n_d)
        penalty = x.new_zeros(())
        for step, attn in zip(self.steps, self.attn):
            mask = attn(prior, a)
            penalty += -(mask * torch.log(mask + 1e-8)).sum(-1).mean() / self.cfg.n_steps
            prior.mul_(self.cfg.gamma - mask)  # BUG
            out = step(mask * x)
            agg += F.relu(out[:, :self.cfg.n_d])
            a = out[:, self.cfg.n_d:]
        return self.head(agg), penalty


def swap_noise(x: Tensor, p: float) -> Tensor:
    out = x.clone()
    pick = torch.rand_like(x) < p
    out[pick] = x[torch.randperm(len(x))][pick]
    return out


def run_epoch(model: TabNet, opt, loader, noise: float = 0.1) -> float:
    total = 0.0
    for x, y in loader:
        logits, sparse = model(swap_noise(x, noise))
        loss = F.cross_entropy(logits, y) + model.cfg.lambda_sparse * sparse
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total


# --- driver ---
torch.manual_seed(3)
model = TabNet(TabConfig())
opt = torch.optim.Adam(model.parameters(), lr=2e-2)
run_epoch(model, opt, [(torch.randn(8, 10), torch.randint(0, 2, (8,)))])
