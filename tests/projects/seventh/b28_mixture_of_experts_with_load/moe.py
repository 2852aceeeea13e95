import torch
import torch.nn as nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, x):
        return self.net(x)


class MoE(nn.Module):
    def __init__(self, dim, hidden=32, num_experts=4, k=2, loss_coef=1e-2):
        super().__init__()
        self.k = k
        self.loss_coef = loss_coef
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(dim, hidden) for _ in range(num_experts)])
        self.stats = {}

    def balance_loss(self, gates):
        importance = gates.sum(0)
        cv = importance.std() / (importance.mean() + 1e-10)
        # keep the fraction of routed mass per expert for the progress bar
        self.stats["usage"] = importance.div_(importance.sum())  # BUG
        return self.loss_coef * cv ** 2

    def forward(self, x):
        logits = self.gate(x)
        top, idx = logits.topk(self.k, dim=1)
        gates = torch.zeros_like(logits).scatter(1, idx, top.softmax(dim=1))
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows = (gates[:, e] > 0).nonzero(as_tuple=True)[0]
            if rows.numel():
                out = out.index_add(0, rows, gates[rows, e:e + 1] * expert(x[rows]))
        return out, self.balance_loss(gates)
