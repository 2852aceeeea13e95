from typing import Optional

import torch
from torch import Tensor, nn


def lengths_to_mask(lengths: Tensor, max_len: Optional[int] = None) -> Tensor:
    """True where a position is padding."""
    max_len = int(lengths.max()) if max_len is None else max_len
    return torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model: int, heads: int, drop: float = 0.0) -> None:
        super().__init__()
        if d_model % heads:
            raise ValueError("heads must divide d_model")
        self.heads = heads
        self.scale = (d_model // heads) ** -0.5
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(drop)

    def _heads(self, t: Tensor) -> Tensor:
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def _weights(self, q: Tensor, k: Tensor) -> Tensor:
        return torch.softmax((q @ k.transpose(-2, -1)) * self.scale, dim=-1)

    def forward(self, x: Tensor, pad: Optional[Tensor] = None) -> Tensor:
        q, k, v = (self._heads(t) for t in self.qkv(x).chunk(3, dim=-1))
        w = self._weights(q, k)
        if pad is not None:
            w.masked_fill_(pad[:, None, None, :], 0.0)  # BUG
            w = w / w.sum(dim=-1, keepdim=True).clamp_min(1e-6)
        out = self.drop(w) @ v
        b, h, n, d = out.shape
        return self.proj(out.transpose(1, 2).reshape(b, n, h * d))


class Block(nn.Module):
    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.attn = MultiHeadSelfAttention(d_model, heads)
        self.norm2 = nn.LayerNorm(d_model)
        self.ffn = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x: Tensor, pad: Optional[Tensor]) -> Tensor:
        x = x + self.attn(self.norm1(x), pad)
        return x + self.ffn(self.norm2(x))


class SentenceClassifier(nn.Module):
    def __init__(self, vocab: int, classes: int, d_model: int = 32, heads: int = 4, depth: int = 2) -> None:
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(64, d_model))
        self.blocks = nn.ModuleList(Block(d_model, heads) for _ in range(depth))
        self.out = nn.Linear(d_model, classes)
        nn.init.normal_(self.pos, std=0.02)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        pad = lengths_to_mask(lengths, tokens.size(1))
        x = self.tok(tokens) + self.pos[: tokens.size(1)]
        for block in self.blocks:
            x = block(x, pad)
        keep = (~pad).unsqueeze(-1).to(x.dtype)
        return self.out((x * keep).sum(1) / keep.sum(1))


def make_batch(n: int, vocab: int, max_len: int) -> tuple[Tensor, Tensor, Tensor]:
    lengths = torch.randint(3, max_len + 1, (n,))
    tokens = torch.randint(1, vocab, (n, max_len))
    tokens[lengths_to_mask(lengths, max_len)] = 0
    return tokens, lengths, tokens.sum(1) % 3


# --- driver ---
torch.manual_seed(2)
clf = SentenceClassifier(vocab=30, classes=3)
opt = torch.optim.AdamW(clf.parameters(), lr=1e-3)
for step in range(3):
    tokens, lengths, labels = make_batch(8, 30, 12)
    loss = nn.functional.cross_entropy(clf(tokens, lengths), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
