"""Several named LoRA adapters on one frozen backbone; an adapter can be folded into the weights for evaluation."""
from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a, self.b = nn.ParameterDict(), nn.ParameterDict()
        self.scale, self.active, self.folded = {}, None, None

    def add(self, name, rank, alpha):
        self.a[name] = nn.Parameter(torch.randn(rank, self.base.in_features) * 0.02)
        self.b[name] = nn.Parameter(torch.zeros(self.base.out_features, rank))
        self.scale[name] = alpha / rank

    def delta(self, name):
        return self.scale[name] * self.b[name] @ self.a[name]

    @torch.no_grad()
    def fold(self):
        if self.active and self.folded is None:
            self.base.weight.add_(self.delta(self.active))
            self.folded = self.active

    @torch.no_grad()
    def unfold(self):
        if self.folded is not None:
            self.base.weight.sub_(self.delta(self.folded))
            self.folded = None

    def forward(self, x):
        y = self.base(x)
        if self.active is None or self.folded is not None:
            return y
        return y + self.scale[self.active] * (x @ self.a[self.active].T @ self.b[self.active].T)


class AdapterHub:
    def __init__(self, model, match):
        self.model = model.requires_grad_(False)
        self.layers = {}
        for path, mod in list(model.named_modules()):
            if isinstance(mod, nn.Linear) and match in path:
                parent, _, leaf = path.rpartition(".")
                wrapped = LoRALinear(mod)
                setattr(model.get_submodule(parent), leaf, wrapped)
                self.layers[path] = wrapped

    def create(self, name, rank=4, alpha=8):
        for layer in self.layers.values():
            layer.add(name, rank, alpha)

    def use(self, name):
        for layer in self.layers.values():
            layer.active = name

    def params(self, name):
        return [p for l in self.layers.values() for p in (l.a[name], l.b[name])]

    @contextmanager
    def folded(self):
        was = self.model.training
        self.model.eval()
        for layer in self.layers.values():
            layer.fold()
        try:
            yield self.model
        finally:
            for layer in self.layers.values():
                layer.unfold()
            self.model.train(was)


class Encoder(nn.Module):
    def __init__(self, d=16, depth=2):
        super().__init__()
        self.attn_q = nn.ModuleList([nn.Linear(d, d) for _ in range(depth)])
        self.attn_v = nn.ModuleList([nn.Linear(d, d) for _ in range(depth)])
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        for q, v in zip(self.attn_q, self.attn_v):
            x = x + F.scaled_dot_product_attention(q(x), x, v(x))
        return self.norm(x).mean(1)


def tune(hub, name, data, epochs=2, lr=1e-2):
    hub.use(name)
    opt = torch.optim.Adam(hub.params(name), lr=lr)
    scores = []
    for _ in range(epochs):
        for x, y in data:
            opt.zero_grad()
            F.mse_loss(hub.model(x), y).backward()
            opt.step()
        with hub.folded() as m, torch.no_grad():
            scores.append(sum(F.mse_loss(m(x), y).item() for x, y in data) / len(data))
    return scores


# --- driver ---
torch.manual_seed(0)
hub = AdapterHub(Encoder(), match="attn_")
for task in ("reviews", "news"):
    hub.create(task)
    data = [(torch.randn(4, 5, 16), torch.randn(4, 16)) for _ in range(2)]
    print(task, tune(hub, task, data))
