"""Top-k mixture of experts with capacity limits and a load-balancing penalty."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d, mult=2):
        super().__init__()
        self.up, self.gate, self.down = nn.Linear(d, mult * d), nn.Linear(d, mult * d), nn.Linear(mult * d, d)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Router(nn.Module):
    def __init__(self, d, n_experts, k=2, capacity=1.25):
        super().__init__()
        self.proj = nn.Linear(d, n_experts, bias=False)
        self.n, self.k, self.capacity = n_experts, k, capacity

    def overflow(self, chosen):
        """True where an expert is asked for more tokens than it has room for."""
        hot = F.one_hot(chosen, self.n).sum(1)
        place = hot.cumsum(0)
        room = int(self.capacity * self.k * chosen.shape[0] / self.n) + 1
        return (place > room) & hot.bool()

    def forward(self, x):
        probs = self.proj(x).softmax(-1)
        top, chosen = probs.topk(self.k, dim=-1)
        keep = torch.zeros_like(probs, dtype=torch.bool).scatter_(1, chosen, True)
        balance = self.balance(probs, keep)
        gates = probs
        gates.masked_fill_(~keep | self.overflow(chosen), 0.0)  # BUG
        gates = gates / gates.sum(-1, keepdim=True).clamp_min(1e-6)
        return gates, balance

    def balance(self, probs, keep):
        return self.n * (probs.mean(0) * keep.float().mean(0)).sum() / self.k


class MoE(nn.Module):
    def __init__(self, d, n_experts=4, **kw):
        super().__init__()
        self.router = Router(d, n_experts, **kw)
        self.experts = nn.ModuleList([Expert(d) for _ in range(n_experts)])
        self.aux = None

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        gates, self.aux = self.router(x)
        y = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows = gates[:, e].nonzero().squeeze(-1)
            if rows.numel():
                y = y.index_add(0, rows, expert(x[rows]) * gates[rows, e, None])
        return y.view(shape)


class MoETagger(nn.Module):
    def __init__(self, vocab=40, d=16, tags=5, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.mix = nn.ModuleList([nn.Conv1d(d, d, 3, padding=1, groups=d) for _ in range(depth)])
        self.moe = nn.ModuleList([MoE(d) for _ in range(depth)])
        self.norm = nn.ModuleList([nn.LayerNorm(d) for _ in range(depth)])
        self.out = nn.Linear(d, tags)

    def forward(self, ids):
        h = self.emb(ids)
        for mix, moe, norm in zip(self.mix, self.moe, self.norm):
            h = h + mix(h.transpose(1, 2)).transpose(1, 2)
            h = h + moe(norm(h))
        return self.out(h)

    def aux_loss(self):
        return sum(m.aux for m in self.moe) / len(self.moe)


def step(model, opt, ids, tags, coef=0.01):
    opt.zero_grad(set_to_none=True)
    logits = model(ids)
    loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten()) + coef * model.aux_loss()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    return loss.item(), norm.item()


# --- driver ---
torch.manual_seed(0)
model = MoETagger()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
for _ in range(3):
    ids = torch.randint(0, 40, (4, 9))
    print(step(model, opt, ids, ids % 5))
