# Max-norm regularised MLP (Srebro & Shraibman) with per-layer radius and a small callback system.
import torch
from torch import nn


class Callback:
    def on_forward_end(self, trainer, loss): ...
    def on_backward_end(self, trainer): ...
    def on_step_end(self, trainer): ...


class History(Callback):
    def __init__(self):
        self.losses = []

    def on_forward_end(self, trainer, loss):
        self.losses.append(loss.item())


class ClipNorm(Callback):
    def __init__(self, limit):
        self.limit = limit

    def on_backward_end(self, trainer):
        nn.utils.clip_grad_norm_(trainer.model.parameters(), self.limit)


class MaxNorm(Callback):
    """Keeps the rows of each Linear inside a ball."""

    def __init__(self, radius):
        self.radius = radius

    def project(self, layer):
        rows = layer.weight.data
        norms = rows.norm(dim=1, keepdim=True)
        rows.mul_((self.radius / norms.clamp_min(1e-12)).clamp_max(1.0))  # BUG silent

    def on_forward_end(self, trainer, loss):
        for module in trainer.model.modules():
            if isinstance(module, nn.Linear):
                self.project(module)


class Trainer:
    def __init__(self, model, criterion, optimizer, callbacks=()):
        self.model, self.criterion, self.optimizer = model, criterion, optimizer
        self.callbacks = list(callbacks)

    def fire(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def train_batch(self, x, y):
        self.model.train()
        loss = self.criterion(self.model(x), y)
        self.fire("on_forward_end", loss)
        self.optimizer.zero_grad()
        loss.backward()
        self.fire("on_backward_end")
        self.optimizer.step()
        self.fire("on_step_end")
        return loss.detach()

    def fit(self, batches):
        return torch.stack([self.train_batch(x, y) for x, y in batches])


def build_mlp(d_in, hidden, d_out, p=0.2):
    layers, width = [], d_in
    for h in hidden:
        layers += [nn.Linear(width, h), nn.ReLU(), nn.Dropout(p)]
        width = h
    return nn.Sequential(*layers, nn.Linear(width, d_out))


def toy_batches(n, size, d_in):
    for _ in range(n):
        x = torch.randn(size, d_in)
        yield x, (x[:, 0] * x[:, 1] > 0).long()


# --- driver ---
torch.manual_seed(1)
mlp = build_mlp(8, (16, 16), 2, p=0.0)
history = History()
trainer = Trainer(
    mlp,
    nn.CrossEntropyLoss(),
    torch.optim.SGD(mlp.parameters(), lr=0.1),
    [history, ClipNorm(5.0), MaxNorm(0.4)],
)
print(trainer.fit(toy_batches(3, 12, 8)), history.losses)
