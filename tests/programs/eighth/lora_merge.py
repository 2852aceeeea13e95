import math
from contextlib import ExitStack, contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=2, alpha=4.0, dropout=0.0):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale, self.merged = alpha / r, False
        self.drop = nn.Dropout(dropout)

    def delta(self):
        return self.B @ self.A * self.scale

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.base.weight.add_(self.delta())
            self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if self.merged:
            self.base.weight.sub_(self.delta())
            self.merged = False

    def forward(self, x):
        out = self.base(x)
        if not self.merged:
            out += F.linear(F.linear(self.drop(x), self.A), self.B).mul_(self.scale)
        return out


def inject(model, names, **kw):
    for parent in list(model.modules()):
        for n, child in list(parent.named_children()):
            if n in names and isinstance(child, nn.Linear):
                setattr(parent, n, LoRALinear(child, **kw))
    return model


def lora_layers(model):
    return [m for m in model.modules() if isinstance(m, LoRALinear)]


@contextmanager
def merged(model):
    with ExitStack() as stack:
        for l in lora_layers(model):
            l.merge()
            stack.callback(l.unmerge)
        yield model


class MixerBlock(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.tok1, self.tok2 = nn.Linear(tokens, tokens), nn.Linear(tokens, tokens)
        self.ch1, self.ch2 = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        y = self.n1(x).transpose(1, 2)
        y = self.tok2(F.relu(self.tok1(y), inplace=True)).transpose(1, 2)
        y = y + x
        z = self.ch2(F.relu(self.ch1(self.n2(y)), inplace=True))
        z += y
        return z


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=8, classes=3, depth=2):
        super().__init__()
        self.blocks = nn.Sequential(*[MixerBlock(tokens, dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.blocks(x).mean(1))


class Finetuner:
    def __init__(self, model, lr=1e-2, max_norm=1.0):
        self.model, self.max_norm = model, max_norm
        params = [p for p in model.parameters() if p.requires_grad]
        self.opt = torch.optim.AdamW(params, lr=lr)
        self.hits = torch.zeros(2)

    def step(self, x, y):
        self.model.train()
        loss = F.cross_entropy(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.limit_adapters()
        return loss.item()

    @torch.no_grad()
    def limit_adapters(self):
        for l in lora_layers(self.model):
            n = l.delta().norm()
            if n > self.max_norm:
                l.B.mul_(self.max_norm / n)

    @torch.no_grad()
    def evaluate(self, x, y):
        self.model.eval()
        with merged(self.model) as m:
            self.hits += torch.tensor([(m(x).argmax(1) == y).sum().item(), y.numel()])
        return (self.hits[0] / self.hits[1]).item()


# --- driver ---
torch.manual_seed(0)
tuner = Finetuner(inject(Mixer(), {"tok1", "ch1", "ch2"}, r=2))
for _ in range(2):
    x, y = torch.randn(4, 6, 8), torch.randint(0, 3, (4,))
    tuner.step(x, y)
    tuner.evaluate(x, y)
