import torch
import torch.nn as nn


class Expert(nn.Sequential):
    def __init__(self, dim):
        super().__init__(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))


class MoELayer(nn.Module):
    def __init__(self, dim, n_experts, router):
        super().__init__()
        self.router = router
        self.experts = nn.ModuleList(Expert(dim) for _ in range(n_experts))
        self.register_buffer("load", torch.zeros(n_experts))

    def forward(self, x):
        route = self.router(x)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = route.kept[:, i].nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            out.index_add_(0, rows, expert(x[rows]) * route.gates[rows, i].unsqueeze(1))
        if self.training:
            self.load.mul_(0.9).add_(route.kept.float().sum(0), alpha=0.1)
        return out, route
