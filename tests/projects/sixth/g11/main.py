"""minimal GPT, training loop with in-place attention logits."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 20
    block: int = 12
    n_head: int = 2
    n_embd: int = 16
    n_layer: int = 2
    dropout: float = 0.1


class Attention(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.h, self.d = c.n_head, c.n_embd // c.n_head
        self.qkv = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.proj = nn.Linear(c.n_embd, c.n_embd)
        self.rel = nn.Parameter(torch.zeros(c.n_head, c.block, c.block))
        self.drop = c.dropout
        mask = torch.ones(c.block, c.block, dtype=torch.bool).triu_(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.h, self.d).transpose(1, 2) for t in self.qkv(x).split(C, dim=2))
        att = q @ k.transpose(-2, -1)
        att *= 1.0 / math.sqrt(self.d)
        att += self.rel[:, :T, :T]
        att.masked_fill_(self.mask[:T, :T], float("-inf"))
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, self.drop, self.training)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attn = Attention(c)
        self.mlp = nn.Sequential(
            nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(),
            nn.Linear(4 * c.n_embd, c.n_embd), nn.Dropout(c.dropout, inplace=True),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, c: Config) -> None:
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.n_embd)
        self.pos = nn.Embedding(c.block, c.n_embd)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.n_layer))
        self.ln = nn.LayerNorm(c.n_embd)
        self.head = nn.Linear(c.n_embd, c.vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, idx, targets=None):
        x = self.tok(idx)
        x += self.pos(torch.arange(idx.size(1)))
        for b in self.blocks:
            x = b(x)
        logits = self.head(self.ln(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)


def main() -> None:
    torch.manual_seed(1337)
    torch.set_num_threads(1)
    cfg = Config()
    model = GPT(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for it in range(8):
        start = torch.randint(0, cfg.vocab, (8, 1))
        seq = start + torch.arange(cfg.block + 1)
        seq %= cfg.vocab
        x, y = seq[:, :-1], seq[:, 1:].clone()
        y[:, 0] = -1
        _, loss = model(x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if it % 2 == 0:
            print(it, round(loss.item(), 4))


if __name__ == "__main__":
    main()
