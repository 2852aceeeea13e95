import math
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class SamplingParams:
    temperature: float = 0.8
    top_k: Optional[int] = 6
    top_p: float = 0.9
    repetition_penalty: float = 1.2
    min_tokens: int = 2
    eos: int = 0


class LogitsPipeline:
    def __init__(self, p: SamplingParams):
        self.p = p

    def __call__(self, logits, history, step):
        p = self.p
        seen = logits.gather(1, history)
        seen = torch.where(seen > 0, seen / p.repetition_penalty, seen * p.repetition_penalty)
        logits.scatter_(1, history, seen)
        if step < p.min_tokens:
            logits[:, p.eos] = -math.inf
        logits.div_(p.temperature)
        if p.top_k:
            kth = logits.topk(p.top_k).values[:, -1:]
            logits.masked_fill_(logits < kth, -math.inf)
        srt, idx = logits.sort(descending=True)
        cut = srt.softmax(-1).cumsum(-1) > p.top_p
        cut[:, 1:] = cut[:, :-1].clone()
        cut[:, 0] = False
        logits[cut.scatter(1, idx, cut)] = -math.inf
        return logits.softmax(-1)


class StaticCache:
    def __init__(self, b, n, d):
        self.k, self.v, self.n = torch.zeros(b, n, d), torch.zeros(b, n, d), 0

    def write(self, k, v):
        self.k[:, self.n:self.n + k.size(1)] = k
        self.v[:, self.n:self.n + k.size(1)] = v
        self.n += k.size(1)
        return self.k[:, :self.n], self.v[:, :self.n]


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.f1, self.f2 = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x, cache=None):
        q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
        if cache is not None:
            k, v = cache.write(k, v)
        att = q @ k.transpose(1, 2)
        att *= q.size(-1) ** -0.5
        t, s = att.shape[1:]
        future = torch.ones(t, s, dtype=torch.bool).triu_(s - t + 1)
        att.masked_fill_(future, -math.inf)
        y = self.o(att.softmax(-1) @ v)
        y += x
        z = self.f2(F.relu(self.f1(self.n2(y)), inplace=True))
        return z + y


class TinyGPT(nn.Module):
    def __init__(self, vocab=14, d=12, layers=2, ctx=12):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(layers))
        self.ctx, self.d = ctx, d

    def forward(self, ids, caches=None, start=0):
        x = self.tok(ids)
        x += self.pos(torch.arange(start, start + ids.size(1)))
        for i, b in enumerate(self.blocks):
            x = b(x, None if caches is None else caches[i])
        return F.linear(x, self.tok.weight)

    @torch.no_grad()
    def generate(self, prompt, n, params):
        pipe = LogitsPipeline(params)
        out = torch.full((prompt.size(0), prompt.size(1) + n), params.eos)
        out[:, :prompt.size(1)] = prompt
        caches = [StaticCache(prompt.size(0), self.ctx, self.d) for _ in self.blocks]
        done = torch.zeros(prompt.size(0), dtype=torch.bool)
        feed, start = prompt, 0
        for s in range(n):
            at = prompt.size(1) + s
            probs = pipe(self(feed, caches, start)[:, -1], out[:, :at], s)
            nxt = torch.multinomial(probs, 1).squeeze(1)
            nxt[done] = params.eos
            out[:, at] = nxt
            done |= nxt == params.eos
            feed, start = nxt[:, None], at
        return out


def rank_reward(seq, plen):
    gen = seq[:, plen:].float()
    return gen.std(1).sub_(gen.eq(0).float().mean(1))


def reinforce_step(policy, ref, opt, prompt, n, params, kl_coef=0.1):
    seq = policy.generate(prompt, n, params)
    plen = prompt.size(1)
    mask = torch.ones(seq.size(0), n)
    mask[:, 1:] = seq[:, plen:-1].eq(params.eos).cumsum(1).eq(0)
    logp = policy(seq[:, :-1]).log_softmax(-1).gather(2, seq[:, 1:, None]).squeeze(2)[:, plen - 1:]
    with torch.no_grad():
        rlogp = ref(seq[:, :-1]).log_softmax(-1).gather(2, seq[:, 1:, None]).squeeze(2)[:, plen - 1:]
        reward = rank_reward(seq, plen)
        reward.sub_(((logp - rlogp) * mask).sum(1), alpha=kl_coef)
        adv = reward.sub_(reward.mean()).div_(reward.std() + 1e-5)
    loss = -(adv[:, None] * logp * mask).sum() / mask.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
policy, ref = TinyGPT(), TinyGPT()
ref.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=1e-3)
for _ in range(2):
    reinforce_step(policy, ref, opt, torch.randint(1, 14, (4, 3)), 5, SamplingParams())
