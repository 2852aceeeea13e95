from __future__ import annotations

import contextlib
import random
from typing import Callable, Sequence

import torch
from torch import Tensor, nn


class Corruption:
    """Callable chain of row-wise augmentations for tabular data."""

    def __init__(self, ops: Sequence[Callable[[Tensor], Tensor]]):
        self.ops = list(ops)

    def __call__(self, x: Tensor) -> Tensor:
        out = x.clone()
        for op in self.ops:
            out = op(out)
        return out


def swap_noise(p: float):
    def apply(x: Tensor) -> Tensor:
        mask = torch.rand_like(x) < p
        shuffled = x[torch.randperm(x.size(0))]
        x[mask] = shuffled[mask]
        return x
    return apply


def jitter(std: float):
    return lambda x: x.add_(torch.randn_like(x), alpha=std)


class Encoder(nn.Module):
    def __init__(self, n_in: int, widths: Sequence[int]):
        super().__init__()
        dims = [n_in, *widths]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.act = nn.ELU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        for i, lin in enumerate(self.layers):
            x = lin(x)
            if i < len(self.layers) - 1:
                x = self.act(x)
        return x


class NTXent(nn.Module):
    def __init__(self, temperature: float = 0.5):
        super().__init__()
        self.tau = temperature

    def forward(self, za: Tensor, zb: Tensor) -> Tensor:
        n = za.size(0)
        z = nn.functional.normalize(torch.cat([za, zb]), dim=1)
        sim = torch.exp(z @ z.t() / self.tau)
        partner = torch.arange(2 * n).roll(n)
        positive = sim[torch.arange(2 * n), partner]
        sim.fill_diagonal_(0)  # BUG
        return -(positive / sim.sum(1)).log().mean()


class AlignUniform(nn.Module):
    def __init__(self, weight: float = 1.0):
        super().__init__()
        self.weight = weight

    def forward(self, za: Tensor, zb: Tensor) -> Tensor:
        za, zb = (nn.functional.normalize(z, dim=1) for z in (za, zb))
        align = (za - zb).pow(2).sum(1).mean()
        uniform = torch.pdist(za).pow(2).mul(-2).exp().mean().log()
        return align + self.weight * uniform


LOSSES = {"ntxent": NTXent, "align": AlignUniform}


@contextlib.contextmanager
def seeded(seed: int):
    state = torch.get_rng_state()
    torch.manual_seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(state)


def pretrain(encoder: nn.Module, head: nn.Module, table: Tensor, cfg: dict) -> list[float]:
    augment = Corruption([swap_noise(cfg["swap"]), jitter(cfg["jitter"])])
    criterion = LOSSES[cfg["loss"]](**cfg.get("loss_kw", {}))
    params = [*encoder.parameters(), *head.parameters()]
    opt = torch.optim.Adam(params, lr=cfg["lr"])
    log = []
    with seeded(cfg["seed"]):
        for _ in range(cfg["epochs"]):
            for rows in torch.randperm(table.size(0)).split(cfg["batch"]):
                x = table[rows]
                loss = criterion(head(encoder(augment(x))), head(encoder(augment(x))))
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
                log.append(loss.item())
    return log


# --- driver ---
config = dict(swap=0.3, jitter=0.05, loss="ntxent", loss_kw={"temperature": 0.3}, lr=1e-3, epochs=1, batch=8, seed=3)
torch.manual_seed(0)
pretrain(Encoder(6, [16, 12]), nn.Linear(12, 8), torch.randn(16, 6), config)
