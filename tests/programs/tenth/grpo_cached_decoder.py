"""Group-relative policy optimisation of a tiny decoder: cached sampling, full-sequence scoring, frozen reference."""
import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class LMConfig:
    vocab: int = 12
    dim: int = 16
    heads: int = 2
    depth: int = 2
    max_len: int = 12


class LayerCache:
    def __init__(self, batch, cfg):
        shape = (batch, cfg.heads, cfg.max_len, cfg.dim // cfg.heads)
        self.k, self.v = torch.zeros(shape), torch.zeros(shape)
        self.length = 0

    def extend(self, k, v):
        end = self.length + k.shape[2]
        self.k[:, :, self.length:end] = k
        self.v[:, :, self.length:end] = v
        self.length = end
        return self.k[:, :, :end], self.v[:, :, :end]


class DecoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h = cfg.heads
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.qkv, self.o = nn.Linear(cfg.dim, 3 * cfg.dim), nn.Linear(cfg.dim, cfg.dim)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim))

    def forward(self, x, cache=None):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k, v = cache.extend(k, v)
        scores = (q @ k.transpose(-1, -2)).div_((d // self.h) ** 0.5)
        future = torch.ones(t, k.shape[2], dtype=torch.bool).triu_(k.shape[2] - t + 1)
        scores.masked_fill_(future, float("-inf"))
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class TinyLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.tok, self.pos = nn.Embedding(cfg.vocab, cfg.dim), nn.Embedding(cfg.max_len, cfg.dim)
        self.layers = nn.ModuleList(DecoderLayer(cfg) for _ in range(cfg.depth))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids, caches=None):
        start = caches[0].length if caches else 0
        x = self.tok(ids)
        x += self.pos.weight[start:start + ids.shape[1]]
        for i, layer in enumerate(self.layers):
            x = layer(x, caches[i] if caches else None)
        return self.head(x)

    @torch.no_grad()
    def sample(self, prompt):
        caches = [LayerCache(len(prompt), self.cfg) for _ in self.layers]
        out = torch.zeros(len(prompt), self.cfg.max_len, dtype=torch.long)
        out[:, : prompt.shape[1]] = prompt
        logits = self(prompt, caches)[:, -1]
        for t in range(prompt.shape[1], self.cfg.max_len):
            out[:, t] = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
            logits = self(out[:, t:t + 1], caches)[:, -1]
        return out

    def logprobs(self, ids):
        logp = self(ids[:, :-1]).log_softmax(-1)
        return logp.gather(-1, ids[:, 1:, None]).squeeze(-1)


class GRPO:
    def __init__(self, policy, reward, group=6, clip=0.2, kl=0.02):
        self.policy, self.reference = policy, copy.deepcopy(policy).requires_grad_(False)
        self.reward, self.group, self.clip, self.kl = reward, group, clip, kl
        self.opt = torch.optim.AdamW(policy.parameters(), lr=1e-3)

    def advantages(self, r):
        r = r.view(-1, self.group)
        r -= r.mean(1, keepdim=True)
        r /= r.std(1, keepdim=True).add_(1e-4)
        return r.flatten()

    def iterate(self, prompts, epochs=2):
        ids = self.policy.sample(prompts.repeat_interleave(self.group, 0))
        adv = self.advantages(self.reward(ids)).unsqueeze(1)
        with torch.no_grad():
            old, ref = self.policy.logprobs(ids), self.reference.logprobs(ids)
        for _ in range(epochs):
            new = self.policy.logprobs(ids)[:, prompts.shape[1] - 1:]
            ratio = (new - old[:, prompts.shape[1] - 1:]).exp()
            gain = torch.minimum(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv)
            gap = ref[:, prompts.shape[1] - 1:] - new
            loss = (self.kl * (gap.exp() - gap - 1) - gain).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


# --- driver ---
torch.manual_seed(35)
cfg = LMConfig()
trainer = GRPO(TinyLM(cfg), reward=lambda ids: (ids == 3).float().sum(1))
for _ in range(2):
    trainer.iterate(torch.randint(0, cfg.vocab, (3, 2)))
