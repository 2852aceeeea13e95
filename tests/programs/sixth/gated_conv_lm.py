import math
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv1d(nn.Conv1d):
    def __init__(self, c_in, c_out, kernel_size, dilation=1):
        super().__init__(c_in, c_out, kernel_size, dilation=dilation)
        self.left = (kernel_size - 1) * dilation

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class GLUBlock(nn.Module):
    def __init__(self, dim, kernel_size, dilation):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.conv = CausalConv1d(dim, 2 * dim, kernel_size, dilation)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        value, gate = h.chunk(2, dim=-1)
        gate.sigmoid_()  # BUG
        return x + self.out(value * gate)


class GatedConvLM(nn.Module):
    def __init__(self, vocab, dim=16, layers=2, kernel_size=3, max_len=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(GLUBlock(dim, kernel_size, 2 ** i) for i in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.register_buffer("pos", self._sinusoid(max_len, dim), persistent=False)
        self.reset_parameters()

    @staticmethod
    def _sinusoid(n, d):
        pe = torch.zeros(n, d)
        pos = torch.arange(n).float().unsqueeze(1)
        freq = torch.exp(torch.arange(0, d, 2).float() * (-math.log(1e4) / d))
        pe[:, 0::2] = torch.sin(pos * freq)
        pe[:, 1::2] = torch.cos(pos * freq)
        return pe

    def reset_parameters(self):
        nn.init.normal_(self.tok.weight, std=0.02)
        with torch.no_grad():
            for blk in self.blocks:
                blk.out.weight.mul_(1 / math.sqrt(2 * len(self.blocks)))

    def forward(self, ids, targets: Optional[torch.Tensor] = None):
        x = self.tok(ids)
        x += self.pos[: ids.size(1)]
        for blk in self.blocks:
            x = blk(x)
        logits = self.norm(x) @ self.tok.weight.t()
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def lr_at(step, warmup, base):
    return base * min(1.0, (step + 1) / warmup)


def run(model, batches, base_lr=1e-3, warmup=10):
    opt = torch.optim.AdamW(model.parameters(), lr=base_lr)
    for step, (x, y) in enumerate(batches):
        for group in opt.param_groups:
            group["lr"] = lr_at(step, warmup, base_lr)
        _, loss = model(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(2)
data = torch.randint(0, 30, (2, 13))
run(GatedConvLM(30), [(data[:, :-1], data[:, 1:])])
