"""Multi-gate mixture of experts for several prediction tasks, dispatch by sorting, bias-based balancing."""
from collections import defaultdict

import torch
from torch import nn
import torch.nn.functional as F


class BiasBalancer(nn.Module):
    """Per-expert selection bias, moved after each step towards equal load (no auxiliary loss)."""

    def __init__(self, n_experts, rate=0.01):
        super().__init__()
        self.register_buffer("bias", torch.zeros(n_experts))
        self.register_buffer("load", torch.zeros(n_experts))
        self.rate = rate

    def count(self, chosen):
        self.load += torch.bincount(chosen.flatten(), minlength=self.load.numel())

    def settle(self):
        self.bias += self.rate * torch.sign(self.load.mean() - self.load)
        self.bias -= self.bias.mean()
        self.load.zero_()


class SparseExperts(nn.Module):
    def __init__(self, d_in, d_out, n_experts, k):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n_experts, d_in, d_out) / d_in ** 0.5)
        self.b = nn.Parameter(torch.zeros(n_experts, d_out))
        self.k = k

    def forward(self, x, scores, balancer):
        chosen = (scores.detach() + balancer.bias).topk(self.k, -1).indices
        if self.training:
            balancer.count(chosen)
        gate = scores.gather(1, chosen)
        gate = gate / gate.sum(-1, keepdim=True)
        flat = chosen.flatten()
        order = flat.argsort()
        rows = torch.div(order, self.k, rounding_mode="floor")
        sizes = torch.bincount(flat, minlength=self.w.shape[0]).tolist()
        out = x.new_zeros(x.shape[0], self.w.shape[2])
        for e, part in enumerate(order.split(sizes)):
            if part.numel() == 0:
                continue
            r = torch.div(part, self.k, rounding_mode="floor")
            y = torch.addmm(self.b[e], x[r], self.w[e])
            out.index_add_(0, r, F.relu_(y) * gate.flatten()[part, None])
        assert rows.numel() == x.shape[0] * self.k
        return out


class MMoE(nn.Module):
    def __init__(self, d, tasks, n_experts=5, hidden=16, k=2):
        super().__init__()
        self.experts = SparseExperts(d, hidden, n_experts, k)
        self.gates = nn.ModuleDict({t: nn.Linear(d, n_experts) for t in tasks})
        self.balancers = nn.ModuleDict({t: BiasBalancer(n_experts) for t in tasks})
        self.towers = nn.ModuleDict({t: nn.Linear(hidden, 1) for t in tasks})

    def forward(self, x):
        out = {}
        for t, gate in self.gates.items():
            scores = torch.sigmoid(gate(x))
            out[t] = self.towers[t](self.experts(x, scores, self.balancers[t])).squeeze(-1)
        return out


class Trainer:
    def __init__(self, model, losses, lr=1e-2):
        self.model, self.losses = model, losses
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.seen = defaultdict(list)

    def step(self, x, targets):
        preds = self.model(x)
        each = {t: self.losses[t](preds[t], targets[t]) for t in preds}
        self.opt.zero_grad()
        sum(each.values()).backward()
        self.opt.step()
        for bal in self.model.balancers.values():
            bal.settle()
        for t, v in each.items():
            self.seen[t].append(v.item())


# --- driver ---
torch.manual_seed(0)
model = MMoE(8, ["click", "dwell"])
trainer = Trainer(model, {"click": F.binary_cross_entropy_with_logits, "dwell": F.smooth_l1_loss})
for _ in range(4):
    x = torch.randn(20, 8)
    trainer.step(x, {"click": (x[:, 0] > 0).float(), "dwell": x[:, 1:3].sum(1)})
print(dict(trainer.seen))
