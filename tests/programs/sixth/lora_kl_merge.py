import contextlib
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=2, alpha=4.0):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / r
        self.merged = False
        self.stash = None

    @property
    def delta(self):
        return self.scaling * (self.B @ self.A)

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.stash = self.base.weight.detach().clone()
            self.base.weight.add_(self.delta)  # BUG
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.data = self.stash
            self.merged = False

    def forward(self, x):
        out = self.base(x)
        if not self.merged:
            out += self.scaling * F.linear(F.linear(x, self.A), self.B)
        return out


def inject(model, names, **kw):
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and name in names:
                setattr(parent, name, LoRALinear(child, **kw))
    return model


@contextlib.contextmanager
def fused(model):
    layers = [m for m in model.modules() if isinstance(m, LoRALinear)]
    for m in layers:
        m.merge()
    try:
        yield model
    finally:
        for m in layers:
            m.unmerge()


class FeedForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.down(F.relu(self.up(x)))


class Model(nn.Module):
    def __init__(self, vocab, dim, depth):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.Sequential(*[FeedForward(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.head(self.layers(self.emb(ids)))


class LoRATrainer:
    def __init__(self, model, lr=1e-2, eval_every=1):
        self.model = model
        self.params = [p for n, p in model.named_parameters() if n.endswith((".A", ".B"))]
        self.opt = torch.optim.AdamW(self.params, lr=lr)
        self.eval_every = eval_every
        self.best = torch.tensor(float("inf"))

    @torch.no_grad()
    def evaluate(self, x, y):
        with fused(self.model) as m:
            return F.cross_entropy(m(x), y)

    def step(self, i, x, y, val):
        loss = F.cross_entropy(self.model(x), y)
        if i % self.eval_every == 0:
            torch.minimum(self.best, self.evaluate(*val), out=self.best)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


# --- driver ---
torch.manual_seed(0)
model = inject(Model(12, 8, 2), {"up", "down"})
ids = torch.randint(0, 12, (6,))
trainer = LoRATrainer(model)
for i in range(2):
    trainer.step(i, ids, ids.roll(1), (ids[:3], ids[3:]))
