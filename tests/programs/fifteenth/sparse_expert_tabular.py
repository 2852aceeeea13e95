"""Top-k mixture of experts for tabular regression, with noisy routing."""
from typing import Dict, Tuple

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class NoisyRouter(nn.Module):
    def __init__(self, dim: int, n_experts: int, k: int):
        super().__init__()
        self.k = k
        self.clean = nn.Linear(dim, n_experts, bias=False)
        self.noise = nn.Linear(dim, n_experts, bias=False)
        self.register_buffer("load", torch.zeros(n_experts))
        self.register_buffer("disabled", torch.zeros(n_experts, dtype=torch.bool))

    def logits(self, x: Tensor) -> Tensor:
        out = self.clean(x)
        if self.training:
            out += F.softplus(self.noise(x)) * torch.randn_like(out)
        out[:, self.disabled] = float("-inf")
        return out

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        probs = self.logits(x).softmax(-1)
        top, idx = probs.topk(self.k, dim=-1)
        weight = top / top.sum(-1, keepdim=True)
        with torch.no_grad():
            counts = torch.bincount(idx.flatten(), minlength=len(self.load)).float()
            self.load.mul_(0.9).add_(counts / counts.sum(), alpha=0.1)
        return weight, idx, probs


class SparseMixture(nn.Module):
    def __init__(self, dim: int, n_experts: int = 4, k: int = 2):
        super().__init__()
        self.router = NoisyRouter(dim, n_experts, k)
        self.up = nn.Parameter(torch.randn(n_experts, dim, 2 * dim) * dim ** -0.5)
        self.down = nn.Parameter(torch.randn(n_experts, 2 * dim, dim) * (2 * dim) ** -0.5)

    def expert(self, e: int, x: Tensor) -> Tensor:
        h = x @ self.up[e]
        F.relu(h, inplace=True)
        return h @ self.down[e]

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        weight, idx, probs = self.router(x)
        out = torch.zeros_like(x)
        for e in range(len(self.up)):
            rows, slot = (idx == e).nonzero(as_tuple=True)
            if len(rows) == 0:
                continue
            y = self.expert(e, x[rows])
            y *= weight[rows, slot].unsqueeze(1)
            out.index_add_(0, rows, y)
        importance = probs.mean(0)
        return out, importance.var() / importance.mean().square()


class TabMoE(nn.Module):
    def __init__(self, n_num: int, cardinalities: Dict[str, int], dim: int = 16):
        super().__init__()
        self.num = nn.Linear(n_num, dim)
        self.cat = nn.ModuleDict({c: nn.Embedding(n, dim) for c, n in cardinalities.items()})
        self.norm = nn.LayerNorm(dim)
        self.mix = SparseMixture(dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, num: Tensor, cat: Dict[str, Tensor]) -> Tuple[Tensor, Tensor]:
        h = self.num(num)
        for name, emb in self.cat.items():
            h += emb(cat[name])
        y, aux = self.mix(self.norm(h))
        y += h
        return self.out(y).squeeze(-1), aux


# --- driver ---
def main() -> None:
    torch.manual_seed(0)
    card = {"region": 5, "channel": 3}
    model = TabMoE(6, card)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(3):
        num = torch.randn(32, 6)
        num[torch.rand_like(num) < 0.05] = 0.0
        cat = {c: torch.randint(0, n, (32,)) for c, n in card.items()}
        pred, aux = model(num, cat)
        loss = F.smooth_l1_loss(pred, num.sum(1) + cat["region"]) + 0.01 * aux
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step == 1:
            model.mix.router.disabled[model.mix.router.load.argmin()] = True
        print(step, loss.item(), model.mix.router.load.tolist())


if __name__ == "__main__":
    main()
