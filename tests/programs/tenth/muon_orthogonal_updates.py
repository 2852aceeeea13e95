"""Orthogonalised momentum for matrices (Newton-Schulz), AdamW for everything else, fused in post-accumulate hooks."""
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@torch.no_grad()
def newton_schulz(g: Tensor, steps: int = 4) -> Tensor:
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.clone()
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.T
    x = x.div_(x.norm() + 1e-7)
    for _ in range(steps):
        gram = x @ x.T
        mix = (b * gram).addmm_(gram, gram, alpha=c)
        x = (a * x).addmm_(mix, x)
    return x.T if tall else x


class MuonRule:
    def __init__(self, lr=0.02, momentum=0.9, nesterov=True):
        self.lr, self.momentum, self.nesterov = lr, momentum, nesterov
        self.buffers: Dict[nn.Parameter, Tensor] = {}

    @torch.no_grad()
    def __call__(self, p: nn.Parameter):
        buf = self.buffers.setdefault(p, torch.zeros_like(p))
        buf.mul_(self.momentum).add_(p.grad)
        g = p.grad.add(buf, alpha=self.momentum) if self.nesterov else buf
        update = newton_schulz(g.flatten(1)).view_as(p)
        p.add_(update, alpha=-self.lr * max(1, p.shape[0] / p[0].numel()) ** 0.5)


class AdamRule:
    def __init__(self, lr=1e-3, betas=(0.9, 0.95), eps=1e-8):
        self.lr, self.betas, self.eps = lr, betas, eps
        self.moments: Dict[nn.Parameter, list] = {}

    @torch.no_grad()
    def __call__(self, p: nn.Parameter):
        m, v, t = self.moments.setdefault(p, [torch.zeros_like(p), torch.zeros_like(p), torch.zeros(())])
        b1, b2 = self.betas
        t += 1
        m.lerp_(p.grad, 1 - b1)
        v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
        denom = (v / (1 - b2 ** t)).sqrt_().add_(self.eps)
        p.sub_(m / (1 - b1 ** t) / denom * self.lr)


class HybridOptimizer:
    """Each parameter is updated by its rule once all gradients of a step are there."""

    def __init__(self, model: nn.Module):
        muon, adam = MuonRule(), AdamRule()
        self.rules, self.norms = {}, {}
        for name, p in model.named_parameters():
            matrix = p.dim() >= 2 and "embed" not in name and "head" not in name
            self.rules[p] = muon if matrix else adam
            p.register_post_accumulate_grad_hook(self._record)

    @torch.no_grad()
    def _record(self, p: nn.Parameter):
        norm = p.grad.norm()
        self.norms[p] = norm
        p.grad.mul_((10.0 / (norm + 1e-6)).clamp_(max=1.0))

    def step(self):
        for p, rule in self.rules.items():
            if p.grad is not None:
                rule(p)
                p.grad = None


class CharModel(nn.Module):
    def __init__(self, vocab=16, dim=16, context=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.Linear(context * dim, 2 * dim, bias=False)
        self.deep = nn.Linear(2 * dim, 2 * dim, bias=False)
        self.gain = nn.Parameter(torch.ones(2 * dim))
        self.head = nn.Linear(2 * dim, vocab)

    def forward(self, ids):
        h = F.relu(self.mix(self.embed(ids).flatten(1))).square()
        h = h + F.relu(self.deep(F.rms_norm(h, h.shape[-1:]) * self.gain)).square()
        return self.head(F.rms_norm(h, h.shape[-1:]))


def windows(stream: Tensor, context: int, batch: int):
    while True:
        at = torch.randint(0, len(stream) - context, (batch,))
        yield stream[at[:, None] + torch.arange(context)], stream[at + context]


# --- driver ---
torch.manual_seed(46)
model = CharModel()
opt = HybridOptimizer(model)
feed = windows(torch.randint(0, 16, (200,)), 6, 12)
for _ in range(4):
    x, y = next(feed)
    F.cross_entropy(model(x), y).backward()
    opt.step()
