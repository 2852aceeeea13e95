import copy
import math
from collections import deque

import torch
from torch import nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.g, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.g


class SwiGLU(nn.Module):
    def __init__(self, d, hidden):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d, hidden, False), nn.Linear(d, hidden, False), nn.Linear(hidden, d, False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class CausalBlock(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = RMSNorm(d), RMSNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d, False), nn.Linear(d, d, False)
        self.ff = SwiGLU(d, 2 * d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.n2(x))


class GPT(nn.Module):
    def __init__(self, vocab=32, d=16, heads=2, depth=2, ctx=16):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.h = nn.ModuleList(CausalBlock(d, heads) for _ in range(depth))
        self.ln_f = RMSNorm(d)

    def forward(self, ids, targets):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for blk in self.h:
            x = blk(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class SpikeGuard:
    """Keeps the last healthy weights; on a loss spike, goes back to them."""

    def __init__(self, model, window=4, factor=1.15):
        self.model, self.factor = model, factor
        self.recent = deque(maxlen=window)
        self.healthy = copy.deepcopy(model.state_dict())
        self.rollbacks = 0

    def check(self, value):
        full = len(self.recent) == self.recent.maxlen
        if not math.isfinite(value) or (full and value > self.factor * sum(self.recent) / len(self.recent)):
            self.rollbacks += 1
            self.model.load_state_dict(self.healthy)  # BUG
            return True
        self.recent.append(value)
        return False

    def commit(self):
        for k, v in self.model.state_dict().items():
            self.healthy[k].copy_(v)


def cosine_lr(step, total, peak, warm=2):
    if step < warm:
        return peak * (step + 1) / warm
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))


def pretrain(model, stream, total, peak=3e-2):
    opt = torch.optim.AdamW(model.parameters(), lr=peak, betas=(0.9, 0.95))
    guard = SpikeGuard(model)
    for step, (x, y) in zip(range(total), stream):
        for g in opt.param_groups:
            g["lr"] = cosine_lr(step, total, peak)
        loss = model(x, y)
        spiked = guard.check(loss.item())
        opt.zero_grad()
        (loss * (0.1 if spiked else 1.0)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if not spiked:
            guard.commit()
        yield step, loss.item(), guard.rollbacks


def token_stream(vocab, b, t):
    n = 0
    while True:
        hi = 6 if n < 7 else vocab
        ids = torch.randint(0, hi, (b, t + 1))
        n += 1
        yield ids[:, :-1], ids[:, 1:]


# --- driver ---
torch.manual_seed(0)
for rec in pretrain(GPT(), token_stream(32, 4, 12), 10):
    print(*rec)
