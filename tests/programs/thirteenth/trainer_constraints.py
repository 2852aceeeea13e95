from __future__ import annotations

from typing import Any, Iterable, Protocol

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class Module(nn.Module):
    """Minimal LightningModule stand-in."""

    def training_step(self, batch: Any, idx: int) -> Tensor:
        raise NotImplementedError

    def configure_optimizers(self) -> torch.optim.Optimizer:
        raise NotImplementedError


class Callback:
    def on_train_batch_start(self, trainer, module, batch): ...
    def on_before_backward(self, trainer, module, loss): ...
    def on_after_backward(self, trainer, module): ...
    def on_before_zero_grad(self, trainer, module): ...
    def on_train_batch_end(self, trainer, module, loss): ...


class MaxNorm(Callback):
    """Projects the rows of the chosen weights onto a ball (Hinton et al., 2012)."""

    def __init__(self, limit: float, names: Iterable[str]):
        self.limit, self.names = limit, tuple(names)

    def on_before_backward(self, trainer, module, loss):
        with torch.no_grad():
            for name, p in module.named_parameters():
                if name.endswith(self.names):
                    norms = p.norm(dim=1, keepdim=True)
                    p.mul_(self.limit / norms.clamp(min=self.limit))  # BUG


class GradCentral(Callback):
    def on_after_backward(self, trainer, module):
        for p in module.parameters():
            if p.grad is not None and p.dim() > 1:
                p.grad.sub_(p.grad.mean(dim=tuple(range(1, p.dim())), keepdim=True))


class History(Callback):
    def __init__(self):
        self.loss: list[float] = []

    def on_train_batch_end(self, trainer, module, loss):
        self.loss.append(loss.item())


class Trainer:
    def __init__(self, max_epochs: int, callbacks: list[Callback], accumulate: int = 1):
        self.max_epochs, self.callbacks, self.accumulate = max_epochs, callbacks, accumulate
        self.global_step = 0

    def call(self, hook: str, *args):
        for cb in self.callbacks:
            getattr(cb, hook)(self, *args)

    def fit(self, module: Module, loader):
        opt = module.configure_optimizers()
        module.train()
        for _ in range(self.max_epochs):
            for i, batch in enumerate(loader):
                self.call("on_train_batch_start", module, batch)
                loss = module.training_step(batch, i)
                self.call("on_before_backward", module, loss)
                (loss / self.accumulate).backward()
                self.call("on_after_backward", module)
                if (i + 1) % self.accumulate == 0:
                    opt.step()
                    self.call("on_before_zero_grad", module)
                    opt.zero_grad()
                    self.global_step += 1
                self.call("on_train_batch_end", module, loss)


class TabularNet(Module):
    def __init__(self, cards: list[int], n_cont: int, dim: int = 6):
        super().__init__()
        self.embeds = nn.ModuleList(nn.Embedding(c, dim) for c in cards)
        self.fc1 = nn.Linear(dim * len(cards) + n_cont, 32)
        self.bn = nn.BatchNorm1d(32)
        self.fc2 = nn.Linear(32, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, cat: Tensor, cont: Tensor) -> Tensor:
        x = torch.cat([e(cat[:, i]) for i, e in enumerate(self.embeds)] + [cont], 1)
        x = F.relu(self.bn(self.fc1(x)))
        return self.head(F.relu(self.fc2(x))).squeeze(1)

    def training_step(self, batch, idx):
        cat, cont, y = batch
        return F.binary_cross_entropy_with_logits(self(cat, cont), y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=5e-3)


# --- driver ---
torch.manual_seed(0)
loader = [(torch.randint(0, 5, (16, 2)), torch.randn(16, 3), torch.randint(0, 2, (16,)).float()) for _ in range(4)]
hist = History()
Trainer(2, [MaxNorm(1.0, ["fc1.weight", "fc2.weight"]), GradCentral(), hist], accumulate=2).fit(TabularNet([5, 5], 3), loader)
print(hist.loss)
