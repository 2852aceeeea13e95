"""Top-k gated experts with capacity limits and a load-balancing term."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyTopKGate(nn.Module):
    def __init__(self, dim, n_experts, k=2, noise=0.1):
        super().__init__()
        self.w = nn.Linear(dim, n_experts, bias=False)
        self.k, self.noise = k, noise
        self.register_buffer('usage', torch.zeros(n_experts))

    def forward(self, x):
        logits = self.w(x)
        if self.training:
            logits += self.noise * torch.randn_like(logits)
        val, idx = logits.topk(self.k, dim=-1)
        masked = torch.full_like(logits, float('-inf'))
        masked.scatter_(1, idx, val)
        gates = masked.softmax(-1)
        with torch.no_grad():
            counts = torch.zeros_like(self.usage)
            counts.scatter_add_(0, idx.flatten(), torch.ones(idx.numel()))
            self.usage.mul_(0.9).add_(counts / counts.sum(), alpha=0.1)
        return gates, idx, logits.softmax(-1)


class ExpertBank(nn.Module):
    def __init__(self, n, dim, hidden):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(n, dim, hidden) / dim ** 0.5)
        self.w2 = nn.Parameter(torch.randn(n, hidden, dim) / hidden ** 0.5)

    def run(self, e, x):
        return F.relu_(x @ self.w1[e]) @ self.w2[e]


class DispatchMoE(nn.Module):
    def __init__(self, dim, n_experts=4, hidden=24, k=2, capacity=1.5):
        super().__init__()
        self.gate, self.bank = NoisyTopKGate(dim, n_experts, k), ExpertBank(n_experts, dim, hidden)
        self.n, self.k, self.capacity = n_experts, k, capacity

    def forward(self, x):
        gates, idx, probs = self.gate(x)
        cap = int(self.capacity * x.size(0) * self.k / self.n)
        out = torch.zeros_like(x)
        dropped = 0
        for e in range(self.n):
            rows = (idx == e).any(1).nonzero().squeeze(1)
            dropped += max(0, rows.numel() - cap)
            rows = rows[:cap]
            if rows.numel() == 0:
                continue
            y = self.bank.run(e, x[rows])
            y = y * gates[rows, e].unsqueeze(1)
            out.index_add_(0, rows, y)
        frac = F.one_hot(idx, self.n).float().sum(1).mean(0)
        return out, self.n * (frac * probs.mean(0)).sum(), dropped


class MMoERanker(nn.Module):
    """Multi-task ranking model: click and watch-time heads over a sparse trunk."""

    def __init__(self, cards=(20, 10, 7), n_dense=4, dim=6):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(c, dim) for c in cards])
        width = dim * len(cards) + n_dense
        self.moe = DispatchMoE(width)
        self.norm = nn.LayerNorm(width)
        self.heads = nn.ModuleDict({t: nn.Linear(width, 1) for t in ('click', 'watch')})

    def forward(self, cats, dense):
        x = torch.cat([t(cats[:, i]) for i, t in enumerate(self.tables)] + [dense], dim=1)
        y, aux, dropped = self.moe(x)
        y += x
        z = self.norm(y)
        return {k: h(z).squeeze(1) for k, h in self.heads.items()}, aux, dropped


class UncertaintyWeights(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in tasks})

    def forward(self, losses):
        return sum((-self.log_var[t]).exp() * l + self.log_var[t] for t, l in losses.items())


def train_step(model, weigh, opt, batch, aux_w=0.01):
    cats, dense, click, watch = batch
    dense = dense.clamp(min=0).log1p_()
    out, aux, dropped = model(cats, dense)
    losses = {'click': F.binary_cross_entropy_with_logits(out['click'], click),
              'watch': (F.smooth_l1_loss(out['watch'], watch, reduction='none') * click).mean()}
    loss = weigh(losses) + aux_w * aux
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item(), dropped


# --- driver ---
model, weigh = MMoERanker(), UncertaintyWeights(['click', 'watch'])
opt = torch.optim.Adam([*model.parameters(), *weigh.parameters()], lr=1e-3)
for _ in range(2):
    cats = torch.stack([torch.randint(0, c, (24,)) for c in (20, 10, 7)], 1)
    print(train_step(model, weigh, opt, (cats, torch.rand(24, 4) * 5, torch.randint(0, 2, (24,)).float(), torch.rand(24))))
