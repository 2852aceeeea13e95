import torch
import torch.nn as nn
import torch.nn.functional as F


class Callback:
    def on_batch_start(self, trainer):
        pass

    def on_forward_end(self, trainer):
        pass

    def on_step_end(self, trainer):
        pass


class MagnitudePruner(Callback):
    """Cubic sparsity ramp with a global per-layer threshold."""

    def __init__(self, final_sparsity=0.8, start=0, end=4, layers=(nn.Linear, nn.Conv2d)):
        self.final = final_sparsity
        self.start, self.end = start, end
        self.types = layers
        self.masks = {}

    def sparsity(self, step):
        frac = min(1.0, max(0.0, (step - self.start) / (self.end - self.start)))
        return self.final * (1 - (1 - frac) ** 3)

    def _mask(self, weight, sparsity):
        k = int(sparsity * weight.numel())
        mask = torch.ones_like(weight)
        if k > 0:
            idx = weight.detach().abs().flatten().argsort()[:k]
            mask.view(-1)[idx] = 0
        return mask

    def targets(self, model):
        return ((n, m) for n, m in model.named_modules() if isinstance(m, self.types))

    def on_batch_start(self, trainer):
        s = self.sparsity(trainer.global_step + 1)
        for name, m in self.targets(trainer.model):
            self.masks[name] = self._mask(m.weight, s)

    def on_forward_end(self, trainer):
        for name, m in self.targets(trainer.model):
            m.weight.data.mul_(self.masks[name])  # BUG silent


class SparsityLogger(Callback):
    def __init__(self):
        self.rows = []

    def on_step_end(self, trainer):
        zeros = torch.zeros(2)
        for p in trainer.model.parameters():
            zeros[0] += (p == 0).sum()
            zeros[1] += p.numel()
        self.rows.append((zeros[0] / zeros[1]).item())


class LeNet(nn.Module):
    def __init__(self, n_cls=10):
        super().__init__()
        self.c1 = nn.Conv2d(1, 4, 3, padding=1)
        self.c2 = nn.Conv2d(4, 8, 3, padding=1)
        self.f1 = nn.Linear(8 * 4, 16)
        self.f2 = nn.Linear(16, n_cls)

    def forward(self, x):
        x = F.max_pool2d(F.relu_(self.c1(x)), 2)
        x = F.max_pool2d(F.relu_(self.c2(x)), 2)
        return self.f2(F.relu_(self.f1(x.flatten(1))))


class Trainer:
    def __init__(self, model, callbacks, lr=0.05):
        self.model = model
        self.callbacks = callbacks
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.global_step = 0

    def fire(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def fit(self, loader):
        for x, y in loader:
            self.fire("on_batch_start")
            loss = F.cross_entropy(self.model(x), y)
            self.fire("on_forward_end")
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.fire("on_step_end")
            self.global_step += 1


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(LeNet(), [MagnitudePruner(), SparsityLogger()])
trainer.fit([(torch.randn(3, 1, 8, 8), torch.randint(0, 10, (3,))) for _ in range(2)])
