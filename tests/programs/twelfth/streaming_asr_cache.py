"""Chunked conformer-lite encoder: training over full chunks with a detached left context ring buffer."""
from __future__ import annotations
import torch
from torch import nn
import torch.nn.functional as F


class LeftContext:
    """Fixed ring of past frames for one layer. Readers get their own copy."""

    def __init__(self, batch: int, frames: int, dim: int):
        self.buf = torch.zeros(batch, frames, dim)
        self.valid = torch.zeros(batch, frames, dtype=torch.bool)

    def read(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self.buf.clone(), self.valid.clone()

    @torch.no_grad()
    def write(self, x: torch.Tensor) -> None:
        n = min(x.shape[1], self.buf.shape[1])
        self.buf.copy_(self.buf.roll(-n, 1))
        self.valid.copy_(self.valid.roll(-n, 1))
        self.buf[:, -n:] = x[:, -n:]
        self.valid[:, -n:] = True

    @torch.no_grad()
    def forget(self, rows: torch.Tensor) -> None:
        self.buf[rows] = 0
        self.valid[rows] = False


class ChunkAttention(nn.Module):
    def __init__(self, d: int, heads: int):
        super().__init__()
        self.mha = nn.MultiheadAttention(d, heads, batch_first=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, x, ctx: LeftContext):
        past, ok = ctx.read()
        h = self.norm(x)
        kv = torch.cat([past, h], 1)
        pad = torch.cat([~ok, torch.zeros(x.shape[:2], dtype=torch.bool)], 1)
        y, _ = self.mha(h, kv, kv, key_padding_mask=pad, need_weights=False)
        ctx.write(h)
        return x + y


class ConvModule(nn.Module):
    def __init__(self, d: int, k: int = 3):
        super().__init__()
        self.pw = nn.Conv1d(d, 2 * d, 1)
        self.dw = nn.Conv1d(d, d, k, groups=d)
        self.k = k

    def forward(self, x):
        y = F.glu(self.pw(x.transpose(1, 2)), 1)
        y = self.dw(F.pad(y, (self.k - 1, 0)))
        return x + F.silu(y).transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self, feats=8, d=12, depth=2, vocab=7, left=6):
        super().__init__()
        self.inp = nn.Linear(feats, d)
        self.att = nn.ModuleList(ChunkAttention(d, 2) for _ in range(depth))
        self.conv = nn.ModuleList(ConvModule(d) for _ in range(depth))
        self.ctc = nn.Linear(d, vocab)
        self.left, self.d = left, d

    def contexts(self, batch):
        return [LeftContext(batch, self.left, self.d) for _ in self.att]

    def forward(self, chunk, ctxs):
        x = self.inp(chunk)
        for a, c, ctx in zip(self.att, self.conv, ctxs):
            x = c(a(x, ctx))
        return self.ctc(x).log_softmax(-1)


def utterance_loss(model, feats, targets, lengths, chunk=4):
    ctxs = model.contexts(len(feats))
    lps = [model(c, ctxs) for c in feats.split(chunk, 1)]
    lp = torch.cat(lps, 1).transpose(0, 1)
    frames = torch.full((len(feats),), lp.shape[0])
    return F.ctc_loss(lp, targets, frames, lengths, zero_infinity=True)


# --- driver ---
torch.manual_seed(31)
asr = Encoder()
opt = torch.optim.Adam(asr.parameters(), 1e-3)
for _ in range(3):
    loss = utterance_loss(asr, torch.randn(3, 12, 8), torch.randint(1, 7, (3, 4)), torch.tensor([4, 3, 2]))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
