from typing import NamedTuple, Optional
import torch
from torch import nn
import torch.nn.functional as F


class ProtoOut(NamedTuple):
    logits: torch.Tensor
    assign: torch.Tensor
    feats: torch.Tensor


class PrototypeBank(nn.Module):
    """Class prototypes tracked by a running mean of assigned features (no gradient to the bank)."""

    def __init__(self, n_class, dim, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("proto", F.normalize(torch.randn(n_class, dim), dim=-1))
        self.register_buffer("seen", torch.zeros(n_class))

    def similarity(self, feats):
        return torch.einsum("bd,kd->bk", F.normalize(feats, dim=-1), self.proto)

    @torch.no_grad()
    def absorb(self, feats, labels):
        for k in labels.unique().tolist():
            centre = F.normalize(feats[labels == k].mean(0), dim=0)
            mom = self.momentum if self.seen[k] else 0.0
            self.proto[k].mul_(mom).add_(centre, alpha=1 - mom)  # BUG
            self.seen[k] += 1


class ProtoSegmenter(nn.Module):
    def __init__(self, backbone: nn.Module, bank: PrototypeBank, tau: float = 0.1):
        super().__init__()
        self.backbone, self.bank, self.tau = backbone, bank, tau

    def forward(self, x, labels: Optional[torch.Tensor] = None) -> ProtoOut:
        fmap = self.backbone(x)
        feats = fmap.flatten(2).transpose(1, 2).reshape(-1, fmap.size(1))
        sim = self.bank.similarity(feats) / self.tau
        return ProtoOut(sim, sim.softmax(-1), feats)


class Callback:
    def on_loss(self, model, out, labels): ...
    def on_step_end(self, model): ...


class BankUpdater(Callback):
    def __init__(self, every=1):
        self.every, self.n = every, 0

    def on_loss(self, model, out, labels):
        self.n += 1
        if self.n % self.every == 0:
            model.bank.absorb(out.feats, labels)


class UsageMonitor(Callback):
    def on_step_end(self, model):
        print("prototypes seen:", int((model.bank.seen > 0).sum()))


def train(model, data, callbacks, lr=0.1):
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=lr)
    for x, y in data:
        y = y.flatten()
        out = model(x)
        loss = F.cross_entropy(out.logits, y)
        for cb in callbacks:
            cb.on_loss(model, out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for cb in callbacks:
            cb.on_step_end(model)


def toy_data(n, classes, size=6):
    for _ in range(n):
        y = torch.randint(0, classes, (2, size, size))
        yield torch.randn(2, 3, size, size) + y[:, None] * 0.5, y


# --- driver ---
torch.manual_seed(2)
net = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 10, 1))
train(ProtoSegmenter(net, PrototypeBank(5, 10)), toy_data(4, 5), [BankUpdater(every=2), UsageMonitor()])
