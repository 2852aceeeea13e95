"""GCN trained with sharpness aware minimisation (SAM); sparse propagation matrix."""
import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]).norm()
        for g in self.param_groups:
            scale = g["rho"] / (norm + 1e-12)
            for p in g["params"]:
                if p.grad is None:
                    continue
                e = p.grad * scale
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for g in self.param_groups:
            for p in g["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p].pop("e"))
        self.base.step()
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        self.climb()
        closure()
        self.descend()
        return loss


def normalised_adjacency(n, edges):
    A = torch.zeros(n, n)
    A[edges[0], edges[1]] = 1
    A[edges[1], edges[0]] = 1
    A.fill_diagonal_(1)
    inv = A.sum(1).rsqrt_()
    A.mul_(inv[:, None]).mul_(inv[None, :])
    return A.to_sparse()


class GCN(nn.Module):
    def __init__(self, dims, p=0.2):
        super().__init__()
        self.ws = nn.ParameterList([nn.Parameter(torch.empty(a, b)) for a, b in zip(dims, dims[1:])])
        self.bs = nn.ParameterList([nn.Parameter(torch.zeros(b)) for b in dims[1:]])
        for w in self.ws:
            nn.init.kaiming_uniform_(w)
        self.p = p

    def forward(self, A, x):
        last = len(self.ws) - 1
        for i, (w, b) in enumerate(zip(self.ws, self.bs)):
            x = torch.sparse.mm(A, nn.functional.dropout(x, self.p, self.training) @ w)
            x += b
            if i != last:
                x = torch.relu_(x)
        return x


def make_closure(model, A, x, y, idx):
    def closure():
        loss = nn.functional.cross_entropy(model(A, x)[idx], y[idx], label_smoothing=0.05)
        loss.backward()
        return loss
    return closure


# --- driver ---
torch.manual_seed(32)
A = normalised_adjacency(24, torch.randint(0, 24, (2, 50)))
gcn = GCN([6, 12, 12, 3])
sam = SAM(gcn.parameters(), torch.optim.SGD, rho=0.1, lr=0.1, momentum=0.9)
closure = make_closure(gcn, A, torch.randn(24, 6), torch.randint(0, 3, (24,)), torch.arange(14))
for _ in range(4):
    print(float(sam.step(closure)))
