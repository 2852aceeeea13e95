"""REINFORCE fine-tuning of a small transformer; sampling uses a preallocated KV cache."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerCache:
    def __init__(self, bsz, max_len, dim):
        self.k = torch.zeros(bsz, max_len, dim)
        self.v = torch.zeros(bsz, max_len, dim)

    def update(self, k, v, pos):
        n = k.size(1)
        self.k[:, pos:pos + n] = k
        self.v[:, pos:pos + n] = v
        return self.k[:, : pos + n], self.v[:, : pos + n]


class Attn(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.o = nn.Linear(dim, dim)
        self.scale = 1 / math.sqrt(dim)

    def forward(self, x, cache=None, pos=0):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if cache is not None:
            k, v = cache.update(k, v, pos)
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(self.scale)
        if cache is None:
            causal = torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), 1)
            scores = scores.masked_fill_(causal, -1e9)
        return self.o(torch.bmm(scores.softmax(-1), v))


class TinyLM(nn.Module):
    def __init__(self, vocab=20, dim=16, depth=2, max_len=12):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(max_len, dim)
        self.attn = nn.ModuleList(Attn(dim) for _ in range(depth))
        self.ff = nn.ModuleList(nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim)) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(2 * depth))
        self.head = nn.Linear(dim, vocab)
        self.dim, self.max_len = dim, max_len

    def forward(self, ids, caches=None, pos=0):
        x = self.tok(ids) + self.pos(torch.arange(pos, pos + ids.size(1)))
        for i, (a, f) in enumerate(zip(self.attn, self.ff)):
            x = x + a(self.norms[2 * i](x), caches[i] if caches else None, pos)
            x = x + f(self.norms[2 * i + 1](x))
        return self.head(x)

    @torch.no_grad()
    def generate(self, prompt, n, temperature=1.0):
        bsz = prompt.size(0)
        caches = [LayerCache(bsz, self.max_len, self.dim) for _ in self.attn]
        ids = torch.zeros(bsz, prompt.size(1) + n, dtype=torch.long)
        ids[:, : prompt.size(1)] = prompt
        logits = self(prompt, caches)[:, -1]
        for t in range(prompt.size(1), ids.size(1)):
            logits.div_(temperature)
            ids[:, t] = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
            logits = self(ids[:, t:t + 1], caches, pos=t)[:, -1]
        return ids


class EMABaseline:
    def __init__(self, decay=0.9):
        self.value, self.decay = torch.zeros(()), decay

    def __call__(self, reward):
        adv = reward - self.value
        self.value.mul_(self.decay).add_(reward.mean(), alpha=1 - self.decay)
        return adv


def reward_fn(ids):
    return (ids == 3).float().mean(1)


def reinforce_step(model, ref, opt, baseline, prompt, n_new=5, kl_coef=0.1):
    ids = model.generate(prompt, n_new)
    adv = baseline(reward_fn(ids))
    logp = F.log_softmax(model(ids[:, :-1]), -1)
    with torch.no_grad():
        ref_logp = F.log_softmax(ref(ids[:, :-1]), -1)
    tok = logp.gather(-1, ids[:, 1:, None]).squeeze(-1)
    mask = torch.zeros_like(tok)
    mask[:, prompt.size(1) - 1:] = 1.0
    kl = (logp.exp() * (logp - ref_logp)).sum(-1)
    loss = ((-adv[:, None] * tok + kl_coef * kl) * mask).sum() / mask.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
lm, ref = TinyLM(), TinyLM()
ref.load_state_dict(lm.state_dict())
opt = torch.optim.Adam(lm.parameters(), lr=1e-3)
base = EMABaseline()
for _ in range(2):
    reinforce_step(lm, ref, opt, base, torch.randint(0, 20, (3, 3)))
