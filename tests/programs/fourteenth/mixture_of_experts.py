"""Top-k token-routed mixture of experts with capacity, load-balancing loss and router z-loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass, field


@dataclass
class Losses:
    """Auxiliary terms collected during one forward."""
    terms: dict = field(default_factory=dict)

    def add(self, name, value):
        self.terms[name] = self.terms.get(name, 0.0) + value

    def total(self, weights):
        return sum(weights[k] * v for k, v in self.terms.items())


class Router(nn.Module):
    def __init__(self, dim, experts, k):
        super().__init__()
        self.k, self.experts = k, experts
        self.gate = nn.Linear(dim, experts, bias=False)
        self.register_buffer("usage", torch.zeros(experts))

    def forward(self, x, losses):
        logits = self.gate(x)
        probs = logits.softmax(-1)
        weight, expert = probs.topk(self.k, dim=-1)
        weight = weight / weight.sum(-1, keepdim=True)
        counts = torch.zeros(self.experts)
        counts.scatter_add_(0, expert.flatten(), torch.ones(expert.numel()))
        share = counts / expert.numel()
        losses.add("balance", self.experts * (share * probs.mean(0)).sum())
        losses.add("z", torch.logsumexp(logits, -1).square().mean())
        if self.training:
            self.usage.mul_(0.9).add_(share, alpha=0.1)
        return weight, expert


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up, self.gate, self.down = nn.Linear(dim, hidden), nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class MoELayer(nn.Module):
    def __init__(self, dim, hidden, experts=4, k=2, capacity=1.5):
        super().__init__()
        self.router = Router(dim, experts, k)
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(experts))
        self.capacity = capacity

    def forward(self, x, losses):
        tokens = x.reshape(-1, x.size(-1))
        weight, expert = self.router(tokens, losses)
        limit = int(self.capacity * tokens.size(0) * self.router.k / len(self.experts))
        out = torch.zeros_like(tokens)
        for i, module in enumerate(self.experts):
            rows, slot = (expert == i).nonzero(as_tuple=True)
            if rows.numel() == 0:
                continue
            rows, slot = rows[:limit], slot[:limit]
            out.index_add_(0, rows, module(tokens[rows]) * weight[rows, slot].unsqueeze(1))
        return out.view_as(x)


class MoETransformer(nn.Module):
    def __init__(self, vocab, dim=16, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(nn.MultiheadAttention(dim, 2, batch_first=True) for _ in range(layers))
        self.moe = nn.ModuleList(MoELayer(dim, 32) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(2 * layers))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        losses, x = Losses(), self.embed(ids)
        mask = nn.Transformer.generate_square_subsequent_mask(ids.size(1))
        for i, (attn, moe) in enumerate(zip(self.attn, self.moe)):
            h = self.norms[2 * i](x)
            x = x + attn(h, h, h, attn_mask=mask, need_weights=False, is_causal=True)[0]
            x = x + moe(self.norms[2 * i + 1](x), losses)
        return self.head(x), losses


# --- driver ---
torch.manual_seed(9)
model = MoETransformer(20)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for _ in range(3):
    ids = torch.randint(0, 20, (4, 13))
    logits, aux = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + aux.total({"balance": 0.01, "z": 1e-3})
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), model.moe[0].router.usage.tolist())
