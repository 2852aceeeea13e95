"""SchNet-like potential with periodic boundary conditions, forces by autograd."""
import torch
from torch import nn
from typing import Callable

Cutoff = Callable[[torch.Tensor], torch.Tensor]


def cosine_cutoff(rc: float) -> Cutoff:
    def f(d):
        out = torch.cos(d * (torch.pi / rc))
        out = out.add_(1.0).mul_(0.5)
        return out * (d < rc)
    return f


def neighbour_list(pos, cell, rc):
    """All pairs below rc under the minimum image convention, with the integer shifts."""
    with torch.no_grad():
        delta = pos[:, None] - pos[None]
        shift = torch.round(delta / cell)
        delta.sub_(shift * cell)
        dist = delta.norm(dim=-1)
        dist.fill_diagonal_(float("inf"))
        i, j = (dist < rc).nonzero(as_tuple=True)
        return i, j, shift[i, j] * cell


class Rbf(nn.Module):
    def __init__(self, n, rc):
        super().__init__()
        self.register_buffer("mu", torch.linspace(0, rc, n))
        self.beta = nn.Parameter(torch.full((n,), (n / rc) ** 2 / 2))

    def forward(self, d):
        return torch.exp(-self.beta * (d.unsqueeze(-1) - self.mu) ** 2)


class ShiftedSoftplus(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x).sub_(0.6931472)


class Interaction(nn.Module):
    def __init__(self, width, n_rbf):
        super().__init__()
        self.filt = nn.Sequential(nn.Linear(n_rbf, width), ShiftedSoftplus(), nn.Linear(width, width))
        self.pre = nn.Linear(width, width, bias=False)
        self.post = nn.Sequential(nn.Linear(width, width), ShiftedSoftplus(), nn.Linear(width, width))

    def forward(self, h, rbf, fc, i, j):
        msg = self.pre(h)[j] * self.filt(rbf) * fc.unsqueeze(-1)
        agg = torch.zeros_like(h)
        agg.index_add_(0, i, msg)
        return h + self.post(agg)


class SchNet(nn.Module):
    def __init__(self, species, width=16, n_rbf=8, rc=2.5, blocks=2):
        super().__init__()
        self.rc, self.fc, self.rbf = rc, cosine_cutoff(rc), Rbf(n_rbf, rc)
        self.emb = nn.Embedding(species, width)
        self.blocks = nn.ModuleList(Interaction(width, n_rbf) for _ in range(blocks))
        self.read = nn.Sequential(nn.Linear(width, 8), ShiftedSoftplus(), nn.Linear(8, 1))

    def forward(self, z, pos, cell):
        i, j, offset = neighbour_list(pos, cell, self.rc)
        vec = pos[i] - pos[j]
        vec -= offset
        d = vec.norm(dim=-1)
        rbf, fc, h = self.rbf(d), self.fc(d), self.emb(z)
        for blk in self.blocks:
            h = blk(h, rbf, fc, i, j)
        return self.read(h).sum()


def force_matching(model, frames, cell, epochs, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr)
    for _ in range(epochs):
        total = 0.0
        for z, pos, e_ref, f_ref in frames:
            pos = pos.clone().requires_grad_()
            e = model(z, pos, cell)
            (g,) = torch.autograd.grad(e, pos, create_graph=True)
            loss = (e - e_ref) ** 2 / len(z) + (g + f_ref).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        yield total / len(frames)


# --- driver ---
torch.manual_seed(17)
L = 4.0
frames = [(torch.randint(0, 3, (10,)), torch.rand(10, 3) * L, torch.randn(()), torch.randn(10, 3)) for _ in range(3)]
print(list(force_matching(SchNet(3), frames, L, 2)))
