"""A GPT small enough to read in one sitting."""
import math
from dataclasses import dataclass
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block_size: int = 8
    vocab_size: int = 16
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16


class CausalSelfAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n_head = c.n_head
        self.c_attn = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.c_proj = nn.Linear(c.n_embd, c.n_embd)
        self.register_buffer('mask', torch.ones(c.block_size, c.block_size, dtype=torch.bool).triu_(1))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1)
        att *= 1.0 / math.sqrt(k.size(-1))
        att.masked_fill_(self.mask[:T, :T], float('-inf'))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attn = CausalSelfAttention(c)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(c.n_embd, 4 * c.n_embd), c_proj=nn.Linear(4 * c.n_embd, c.n_embd)))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        h = self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x))))
        h += x
        return h


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        self.wte, self.wpe = nn.Embedding(c.vocab_size, c.n_embd), nn.Embedding(c.block_size, c.n_embd)
        self.h = nn.ModuleList([Block(c) for _ in range(c.n_layer)])
        self.ln_f = nn.LayerNorm(c.n_embd)
        self.lm_head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight
        for n, p in self.named_parameters():
            if n.endswith('c_proj.weight'):
                p.data.normal_(0.0, 0.02 / math.sqrt(2 * c.n_layer))

    def forward(self, idx, targets=None):
        x = self.wte(idx)
        x += self.wpe.weight[:idx.size(1)]
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)

    @torch.no_grad()
    def generate(self, idx, n, top_k=3):
        for _ in range(n):
            logits = self(idx[:, -self.config.block_size:])[0][:, -1]
            v, _ = logits.topk(top_k)
            logits[logits < v[:, [-1]]] = -float('inf')
            idx = torch.cat([idx, torch.multinomial(F.softmax(logits, -1), 1)], 1)
        return idx


def train(model, iters, bs=2):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    T = model.config.block_size
    for _ in range(iters):
        d = torch.randint(0, model.config.vocab_size, (bs, T + 1))
        tgt = d[:, 1:].clone()
        tgt[:, :2] = -1
        _, loss = model(d[:, :-1], tgt)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(1337)
gpt = GPT(GPTConfig())
train(gpt, 2)
gpt.generate(torch.zeros(1, 1, dtype=torch.long), 4)
