"""Sharpness-aware minimisation on a small MLP classifier."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SAM:
    """Wraps a base optimiser; ascend() moves to the worst point, descend() steps back and updates."""

    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        self.params = [p for p in params if p.requires_grad]
        self.base = base_cls(self.params, **kw)
        self.rho, self.adaptive = rho, adaptive
        self.offsets = {}

    def zero_grad(self):
        self.base.zero_grad()

    def grad_norm(self):
        norms = []
        for p in self.params:
            if p.grad is not None:
                g = p.grad * p.detach().abs() if self.adaptive else p.grad
                norms.append(g.norm())
        return torch.stack(norms).norm()

    @torch.no_grad()
    def ascend(self):
        scale = self.rho / (self.grad_norm() + 1e-12)
        for p in self.params:
            if p.grad is None:
                continue
            e = p.grad * scale
            if self.adaptive:
                e *= p.pow(2)
            p.add_(e)  # BUG
            self.offsets[p] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, e in self.offsets.items():
            p.sub_(e)
        self.offsets.clear()
        self.base.step()
        self.zero_grad()


class MLP(nn.Module):
    def __init__(self, sizes, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.dropout = dropout

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.gelu(layer(x))
            x = F.dropout(x, self.dropout, self.training)
        return self.layers[-1](x)


class Trainer:
    def __init__(self, model, rho=0.05, lr=0.1, label_smoothing=0.1):
        self.model = model
        self.sam = SAM(model.parameters(), torch.optim.SGD, rho=rho, lr=lr, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss(label_smoothing=label_smoothing)
        self.history = []

    def training_step(self, batch):
        x, y = batch
        loss = self.criterion(self.model(x), y)
        loss.backward(retain_graph=True)
        self.sam.ascend()
        loss.backward()
        self.sam.descend()
        return loss.detach()

    def fit(self, loader, epochs=1):
        for _ in range(epochs):
            for batch in loader:
                self.history.append(self.training_step(batch).item())
        return self.history


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(MLP([6, 16, 16, 3]))
trainer.fit([(torch.randn(8, 6), torch.randint(0, 3, (8,)))])
