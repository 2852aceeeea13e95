from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEConfig:
    dim: int = 16
    hidden: int = 24
    n_experts: int = 4
    top_k: int = 2
    capacity_factor: float = 1.5
    bias_lr: float = 1e-2
    z_weight: float = 1e-3


class Expert(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.w1, self.w3 = nn.Linear(c.dim, c.hidden, False), nn.Linear(c.dim, c.hidden, False)
        self.w2 = nn.Linear(c.hidden, c.dim, False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Router(nn.Module):
    """Top-k routing; the balance bias only steers the selection (DeepSeek-V3 style)."""

    def __init__(self, c: MoEConfig):
        super().__init__()
        self.c = c
        self.gate = nn.Linear(c.dim, c.n_experts, bias=False)
        self.register_buffer("bias", torch.zeros(c.n_experts))

    def forward(self, x):
        logits = self.gate(x)
        score = logits.sigmoid()
        idx = (score.detach() + self.bias).topk(self.c.top_k, -1).indices
        w = score.gather(-1, idx)
        w = w / w.sum(-1, keepdim=True)
        z = torch.logsumexp(logits, -1).square().mean()
        load = torch.zeros_like(self.bias).index_add_(0, idx.flatten(), torch.ones(idx.numel()))
        return idx, w, load, z

    @torch.no_grad()
    def rebalance(self, load):
        self.bias.add_(torch.sign(load.mean() - load), alpha=self.c.bias_lr)


class MoE(nn.Module):
    def __init__(self, c: MoEConfig):
        super().__init__()
        self.c = c
        self.router = Router(c)
        self.experts = nn.ModuleList(Expert(c) for _ in range(c.n_experts))
        self.shared = Expert(c)
        self.aux = None
        self.dropped = 0

    def forward(self, x):
        shape, x = x.shape, x.flatten(0, -2)
        idx, w, load, self.aux = self.router(x)
        cap = int(self.c.capacity_factor * idx.numel() / self.c.n_experts)
        out = self.shared(x)
        self.dropped = 0
        for e, expert in enumerate(self.experts):
            tok, slot = (idx == e).nonzero(as_tuple=True)
            self.dropped += max(0, len(tok) - cap)
            tok, slot = tok[:cap], slot[:cap]
            if len(tok):
                out.index_add_(0, tok, expert(x[tok]) * w[tok, slot, None])
        if self.training:
            self.router.rebalance(load)
        return out.view(shape)


class MoELM(nn.Module):
    def __init__(self, c: MoEConfig, vocab=30, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, c.dim)
        self.rnn = nn.ModuleList(nn.GRU(c.dim, c.dim, batch_first=True) for _ in range(depth))
        self.moe = nn.ModuleList(MoE(c) for _ in range(depth))
        self.norms = nn.ModuleList(nn.RMSNorm(c.dim) for _ in range(depth))
        self.c = c

    def forward(self, ids):
        x = self.emb(ids[:, :-1])
        for rnn, norm, moe in zip(self.rnn, self.norms, self.moe):
            x = x + moe(norm(rnn(x)[0]))
        loss = F.cross_entropy((x @ self.emb.weight.t()).flatten(0, 1), ids[:, 1:].flatten())
        return loss + self.c.z_weight * sum(m.aux for m in self.moe)


# --- driver ---
torch.manual_seed(0)
lm = MoELM(MoEConfig())
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3)
for i in range(3):
    loss = lm(torch.randint(0, 30, (4, 10)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), [m.dropped for m in lm.moe])
