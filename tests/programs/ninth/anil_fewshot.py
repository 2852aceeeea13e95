from typing import Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Params = Dict[str, Tensor]


class Encoder(nn.Module):
    def __init__(self, cin: int = 1, ch: int = 6):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(cin, ch, 3, 2, 1), nn.Conv2d(ch, ch, 3, 2, 1)])
        self.norms = nn.ModuleList(nn.BatchNorm2d(ch, track_running_stats=False) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        for conv, norm in zip(self.convs, self.norms):
            x = F.relu(norm(conv(x)), inplace=True)
        return x.flatten(1)


class LearnedRates(nn.Module):
    def __init__(self, names: List[str], init: float):
        super().__init__()
        self.rates = nn.ParameterDict({n: nn.Parameter(torch.tensor(init)) for n in names})

    def apply_to(self, params: Params, grads: Params) -> Params:
        return {n: p - self.rates[n] * grads[n] for n, p in params.items()}

    @torch.no_grad()
    def clip(self) -> None:
        for r in self.rates.values():
            r.clamp_(1e-4, 1.0)


class ANIL(nn.Module):
    def __init__(self, ways: int, feat: int, inner_steps: int = 2, inner_lr: float = 0.1):
        super().__init__()
        self.enc = Encoder()
        self.head_w = nn.Parameter(torch.zeros(ways, feat).normal_(std=0.1))
        self.head_b = nn.Parameter(torch.zeros(ways))
        self.rates = LearnedRates(["w", "b"], inner_lr)
        self.inner_steps, self.ways = inner_steps, ways

    def prototype_init(self, f: Tensor, y: Tensor) -> Params:
        protos = torch.zeros(self.ways, f.size(1)).index_add_(0, y, f)
        counts = torch.zeros(self.ways).index_add_(0, y, torch.ones(len(y)))
        protos = protos / counts.clamp_(min=1)[:, None]
        return {"w": self.head_w + protos, "b": self.head_b - 0.5 * protos.pow(2).sum(1)}

    def adapt(self, f: Tensor, y: Tensor) -> Params:
        params = self.prototype_init(f, y)
        for _ in range(self.inner_steps):
            loss = F.cross_entropy(F.linear(f, params["w"], params["b"]), y)
            gw, gb = torch.autograd.grad(loss, (params["w"], params["b"]), create_graph=True)
            params = self.rates.apply_to(params, {"w": gw, "b": gb})
        return params

    def episode(self, support: Tuple[Tensor, Tensor], query: Tuple[Tensor, Tensor]):
        params = self.adapt(self.enc(support[0]), support[1])
        logits = F.linear(self.enc(query[0]), params["w"], params["b"])
        return F.cross_entropy(logits, query[1]), logits.detach().argmax(1)


def rotate_episode(x: Tensor, y: Tensor, ways: int) -> Tuple[Tensor, Tensor]:
    for c in range(ways):
        x[y == c] = torch.rot90(x[y == c], k=c, dims=(2, 3))
    x.add_(0.01 * torch.randn_like(x))
    return x, y


def meta_train(model: ANIL, episodes, lr: float = 1e-2) -> float:
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    confusion = torch.zeros(model.ways, model.ways)
    for support, query in episodes:
        loss, pred = model.episode(support, query)
        opt.zero_grad()
        loss.backward()
        for p in model.enc.parameters():
            p.grad.mul_(0.5)
        opt.step()
        model.rates.clip()
        confusion.index_put_((query[1], pred), torch.ones(len(pred)), accumulate=True)
    return (confusion.diagonal().sum() / confusion.sum()).item()


# --- driver ---
torch.manual_seed(11)
ways, y = 3, torch.arange(3).repeat(2)
eps = [tuple(rotate_episode(torch.randn(6, 1, 8, 8), y, ways) for _ in range(2)) for _ in range(2)]
print(meta_train(ANIL(ways, 24), eps))
