import torch
import torch.nn as nn
import torch.nn.functional as F


class LoadBalancer:
    """Bias-based balancing: no auxiliary loss, the router bias is nudged after every step."""

    def __init__(self, n, rate=1e-2):
        self.bias = torch.zeros(n)
        self.counts = torch.zeros(n)
        self.rate = rate

    def observe(self, idx):
        self.counts.scatter_add_(0, idx.flatten(), torch.ones(idx.numel()))

    def adjust(self):
        err = self.counts.mean() - self.counts
        self.bias.add_(err.sign_(), alpha=self.rate)
        self.counts.zero_()


class GatedExpert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1, self.w2, self.w3 = nn.Linear(dim, hidden), nn.Linear(hidden, dim), nn.Linear(dim, hidden)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class TopKMoE(nn.Module):
    def __init__(self, dim, n_experts=4, k=2, shared=True):
        super().__init__()
        self.k = k
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.experts = nn.ModuleList(GatedExpert(dim, dim) for _ in range(n_experts))
        self.shared = GatedExpert(dim, dim) if shared else None
        self.balancer = LoadBalancer(n_experts)

    def route(self, x):
        scores = torch.sigmoid(self.gate(x))
        biased = scores.detach() + self.balancer.bias
        idx = biased.topk(self.k, dim=-1).indices
        w = scores.gather(-1, idx)
        w = w / w.sum(-1, keepdim=True)
        return w, idx

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        w, idx = self.route(x)
        if self.training:
            self.balancer.observe(idx)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            tok, slot = (idx == e).nonzero(as_tuple=True)
            if tok.numel():
                out.index_add_(0, tok, expert(x[tok]) * w[tok, slot, None])
        if self.shared is not None:
            out += self.shared(x)
        return out.view(shape)


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1, groups=dim)
        self.moe = TopKMoE(dim)

    def forward(self, x):
        x = x + self.mix(x.transpose(1, 2)).transpose(1, 2)
        return x + self.moe(self.norm(x))


class Regressor(nn.Module):
    def __init__(self, d_in, dim, depth=2):
        super().__init__()
        self.inp = nn.Linear(d_in, dim)
        self.layers = nn.ModuleList(Layer(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.inp(x)
        for l in self.layers:
            h = l(h)
        return self.out(h).squeeze(-1)

    def rebalance(self):
        for l in self.layers:
            l.moe.balancer.adjust()


def fit(model, data, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for x, y in data:
        loss = F.huber_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.rebalance()


# --- driver ---
torch.manual_seed(0)
fit(Regressor(3, 8), [(torch.randn(2, 5, 3), torch.randn(2, 5)) for _ in range(2)])
