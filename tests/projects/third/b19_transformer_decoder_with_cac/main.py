import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)


@dataclass
class GPTConfig:
    vocab_size: int = 11
    block_size: int = 8
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    free_running: bool = True   # train on the model's own samples


class KVCache:
    def __init__(self, bsz, cfg):
        hd = cfg.n_embd // cfg.n_head
        self.k = torch.zeros(bsz, cfg.n_head, cfg.block_size, hd)
        self.v = torch.zeros_like(self.k)
        self.len = 0

    def append(self, k, v):
        n = k.size(2)
        self.k[:, :, self.len:self.len + n] = k
        self.v[:, :, self.len:self.len + n] = v  # BUG
        self.len += n
        return self.k[:, :, :self.len], self.v[:, :, :self.len]


class SelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n_head = cfg.n_head
        self.c_attn = nn.Linear(cfg.n_embd, 3 * cfg.n_embd)
        self.c_proj = nn.Linear(cfg.n_embd, cfg.n_embd)

    def forward(self, x, cache):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
                   for t in self.c_attn(x).split(C, dim=2))
        past = cache.len
        k, v = cache.append(k, v)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if T > 1:
            mask = torch.ones(T, past + T, dtype=torch.bool).tril_(past)
            att.masked_fill_(~mask, float('-inf'))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(cfg.n_embd), nn.LayerNorm(cfg.n_embd)
        self.attn = SelfAttention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.n_embd, 32), nn.GELU(), nn.Linear(32, cfg.n_embd))

    def forward(self, x, cache):
        x = x + self.attn(self.ln_1(x), cache)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.wte = nn.Embedding(cfg.vocab_size, cfg.n_embd)
        self.wpe = nn.Embedding(cfg.block_size, cfg.n_embd)
        self.h = nn.ModuleList(Block(cfg) for _ in range(cfg.n_layer))
        self.ln_f = nn.LayerNorm(cfg.n_embd)
        self.head = nn.Linear(cfg.n_embd, cfg.vocab_size, bias=False)

    def new_caches(self, bsz):
        return [KVCache(bsz, self.cfg) for _ in self.h]

    def forward(self, idx, caches):
        pos = torch.arange(idx.size(1)) + caches[0].len
        x = self.wte(idx)
        x += self.wpe(pos)
        for blk, c in zip(self.h, caches):
            x = blk(x, c)
        return self.head(self.ln_f(x))

    def rollout(self, tok, targets):
        caches = self.new_caches(tok.size(0))
        if not self.cfg.free_running:
            return self(tok, caches)
        cur, logits = tok[:, :1], []
        for t in range(tok.size(1)):
            out = self(cur, caches)
            logits.append(out)
            cur = out[:, -1].argmax(-1, keepdim=True)
        return torch.cat(logits, 1)


def main():
    torch.manual_seed(0)
    model = GPT(GPTConfig())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(4):
        seq = (torch.randint(0, 11, (4, 1)) + torch.arange(7)) % 11
        x, y = seq[:, :-1], seq[:, 1:]
        logits = model.rollout(x, y)
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
