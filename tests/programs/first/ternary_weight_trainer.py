"""Ternary weight networks on a residual MLP."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


def ternarize(w, ratio=0.7):
    delta = ratio * w.abs().mean()
    mask = (w.abs() > delta).float()
    alpha = (w.abs() * mask).sum() / mask.sum().clamp(min=1)
    return alpha * torch.sign(w) * mask


QUANTIZERS = {
    'ternary': ternarize,
    'binary': lambda w: w.abs().mean() * torch.sign(w),
}


class WeightQuantizer:
    def __init__(self, model, kind='ternary', min_dim=2, exclude=('stem', 'head')):
        self.fn = QUANTIZERS[kind]
        self.params = {n: p for n, p in model.named_parameters()
                       if p.dim() >= min_dim and not n.startswith(exclude)}
        self.real = {n: p.detach().clone() for n, p in self.params.items()}

    def push(self):
        for n, p in self.params.items():
            self.real[n].copy_(p.data)
            p.data.copy_(self.fn(p.data))

    def pop(self):
        for n, p in self.params.items():
            p.data.copy_(self.real[n])

    def clip(self, limit=1.0):
        for p in self.params.values():
            p.data.clamp_(-limit, limit)

    @contextlib.contextmanager
    def applied(self):
        self.push()
        try:
            yield self
        finally:
            self.pop()


class ResidualMLP(nn.Module):
    def __init__(self, d_in, width=24, depth=2, n_out=3):
        super().__init__()
        self.stem = nn.Linear(d_in, width)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(nn.ModuleDict({'norm': nn.LayerNorm(width), 'up': nn.Linear(width, width * 2),
                                              'down': nn.Linear(width * 2, width)}))
        self.head = nn.Linear(width, n_out)

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            h = F.relu_(b['up'](b['norm'](x)))
            x = x + b['down'](h)
        return self.head(x)


class TernaryTrainer:
    def __init__(self, model, kind='ternary', lr=1e-2):
        self.model = model
        self.q = WeightQuantizer(model, kind)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def train_step(self, x, y):
        self.opt.zero_grad()
        with self.q.applied():
            loss = F.cross_entropy(self.model(x), y)
            loss.backward()
        self.opt.step()
        self.q.clip()
        return loss.item()

    @torch.no_grad()
    def evaluate(self, x, y):
        with self.q.applied():
            return (self.model(x).argmax(1) == y).float().mean().item()

    def sparsity(self):
        with self.q.applied():
            zeros = sum((p == 0).sum().item() for p in self.q.params.values())
        return zeros / sum(p.numel() for p in self.q.params.values())


# --- driver ---
trainer = TernaryTrainer(ResidualMLP(10))
for _ in range(2):
    print(trainer.train_step(torch.randn(16, 10), torch.randint(0, 3, (16,))))
print(trainer.evaluate(torch.randn(8, 10), torch.randint(0, 3, (8,))), trainer.sparsity())
