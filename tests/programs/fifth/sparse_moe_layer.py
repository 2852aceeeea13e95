"""Top-k routed mixture of experts with capacity, balance loss and usage counters."""
import torch
from torch import nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up, self.gate, self.down = nn.Linear(dim, hidden), nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        u = self.up(x)
        return self.down(F.silu(self.gate(x)) * u)


class Router(nn.Module):
    def __init__(self, dim, n, k, jitter=0.01):
        super().__init__()
        self.w = nn.Linear(dim, n, bias=False)
        self.n, self.k, self.jitter = n, k, jitter
        self.register_buffer('load', torch.zeros(n))
        self.register_buffer('bias', torch.zeros(n))

    def forward(self, x):
        logits = self.w(x)
        if self.training:
            logits += torch.empty_like(logits).uniform_(-self.jitter, self.jitter)
        probs = logits.softmax(-1)
        _, idx = (probs.detach() + self.bias).topk(self.k, dim=-1)
        gates = probs.gather(1, idx)
        gates = gates / gates.sum(-1, keepdim=True)
        return probs, gates, idx

    @torch.no_grad()
    def rebalance(self, idx, rate=0.01):
        count = torch.bincount(idx.flatten(), minlength=self.n).float()
        self.load.mul_(0.9).add_(count, alpha=0.1)
        self.bias.add_(torch.sign(count.mean() - count), alpha=rate)


class MoE(nn.Module):
    def __init__(self, dim, hidden=16, n=4, k=2, capacity=1.5):
        super().__init__()
        self.router = Router(dim, n, k)
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(n))
        self.capacity = capacity
        self.aux = None

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs, gates, idx = self.router(x)
        cap = max(1, int(self.capacity * idx.numel() / len(self.experts)))
        out = torch.zeros_like(x)
        frac = torch.zeros(len(self.experts))
        for e, expert in enumerate(self.experts):
            tok, slot = (idx == e).nonzero(as_tuple=True)
            frac[e] = len(tok) / idx.numel()
            tok, slot = tok[:cap], slot[:cap]
            if len(tok) == 0:
                continue
            y = expert(x[tok])
            out.index_add_(0, tok, y * gates[tok, slot].unsqueeze(1))
        self.aux = len(self.experts) * (frac * probs.mean(0)).sum()
        if self.training:
            self.router.rebalance(idx)
        return out.view(shape)


class Block(nn.Module):
    def __init__(self, dim, **kw):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mix, self.moe = nn.Conv1d(dim, dim, 3, padding=1, groups=dim), MoE(dim, **kw)

    def forward(self, x):
        h = self.mix(self.n1(x).transpose(1, 2)).transpose(1, 2)
        h += x
        y = self.moe(self.n2(h))
        y += h
        return y


class Model(nn.Module):
    def __init__(self, vocab, dim=8, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.out(x), sum(b.moe.aux for b in self.blocks)


def fit_masked(model, ids, steps, rate=0.3, mask_id=0, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for _ in range(steps):
        hide = torch.rand(ids.shape) < rate
        hide[:, 0] = True
        x, y = ids.clone(), ids.clone()
        x[hide] = mask_id
        y[~hide] = -100
        logits, aux = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss += 0.01 * aux
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
fit_masked(Model(12), torch.randint(1, 12, (2, 6)), 2)
