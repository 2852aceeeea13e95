"""LoRA adaptation of an acoustic model to a speaker: merge for validation, unmerge before training goes on."""
from __future__ import annotations
import math
from contextlib import ExitStack, contextmanager
import torch
from torch import nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 2, alpha: float = 4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(rank, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / rank
        self._merged: torch.Tensor | None = None

    def forward(self, x):
        y = self.base(x)
        if self._merged is None:
            y += F.linear(F.linear(x, self.A), self.B) * self.scale
        return y

    @contextmanager
    def merged(self):
        with torch.no_grad():
            self._merged = self.base.weight.clone()
            self.base.weight.addmm_(self.B, self.A, alpha=self.scale)
        try:
            yield self
        finally:
            with torch.no_grad():
                self.base.weight.copy_(self._merged)
            self._merged = None


def inject(module: nn.Module, match) -> list[LoRALinear]:
    found = []
    for name, child in module.named_children():
        if isinstance(child, nn.Linear) and match(name):
            wrapped = LoRALinear(child)
            setattr(module, name, wrapped)
            found.append(wrapped)
        else:
            found += inject(child, match)
    return found


class FFBlock(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(3 * d, d)
        self.mem = nn.Conv1d(d, d, 5, padding=2, groups=d)

    def forward(self, x):
        h = self.mem(self.ln(x).transpose(1, 2)).transpose(1, 2)
        return x + self.down(F.relu_(self.up(h)))


class AcousticModel(nn.Module):
    def __init__(self, feats=8, d=16, senones=10, depth=2):
        super().__init__()
        self.inp = nn.Linear(feats, d)
        self.blocks = nn.Sequential(*(FFBlock(d) for _ in range(depth)))
        self.out = nn.Linear(d, senones)

    def forward(self, x):
        return self.out(self.blocks(self.inp(x)))


def cmvn_(x):
    """Per utterance mean and variance normalisation, in the buffer of the features."""
    return x.sub_(x.mean(1, keepdim=True)).div_(x.std(1, keepdim=True).add_(1e-5))


class Adapter:
    def __init__(self, model, lr=5e-3, kl=0.3):
        self.teacher_out = {}
        self.model, self.kl = model.requires_grad_(False), kl
        self.loras = inject(model, lambda n: n in ("up", "down"))
        self.opt = torch.optim.AdamW([p for l in self.loras for p in (l.A, l.B)], lr)

    def remember(self, key, x):
        with torch.no_grad():
            self.teacher_out[key] = self.model(x).log_softmax(-1)

    def step(self, key, x, y):
        lp = self.model(x).log_softmax(-1)
        ce = F.nll_loss(lp.flatten(0, 1), y.flatten())
        drift = F.kl_div(lp, self.teacher_out[key], log_target=True, reduction="batchmean") / x.shape[1]
        self.opt.zero_grad()
        (ce + self.kl * drift).backward()
        self.opt.step()
        return ce.item()

    @torch.no_grad()
    def validate(self, x, y):
        with ExitStack() as stack:
            for l in self.loras:
                stack.enter_context(l.merged())
            return (self.model(x).argmax(-1) == y).float().mean().item()


# --- driver ---
torch.manual_seed(57)
ad = Adapter(AcousticModel())
utts = {f"u{i}": (cmvn_(torch.randn(2, 9, 8) * 3 + 1), torch.randint(0, 10, (2, 9))) for i in range(3)}
for k, (x, _) in utts.items():
    ad.remember(k, x)
for epoch in range(2):
    losses = [ad.step(k, x, y) for k, (x, y) in utts.items()]
    print(epoch, losses, ad.validate(*utts["u0"]))
