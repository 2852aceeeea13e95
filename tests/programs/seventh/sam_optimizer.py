import torch
from torch import nn
from torch.optim import Optimizer


class SAM(Optimizer):
    def __init__(self, params, base_cls, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base_cls(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    def _norm(self):
        return torch.stack([
            p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None
        ]).norm()

    @torch.no_grad()
    def ascend(self):
        scale_base = self._norm() + 1e-12
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                e = p.grad * (group["rho"] / scale_base)
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p].pop("e"))  # BUG

    def step(self, closure=None):
        if closure is None:
            raise RuntimeError("SAM needs a closure returning the loss")
        with torch.enable_grad():
            first = closure()
            first.backward()
        self.ascend()
        with torch.enable_grad():
            second = closure()
        self.descend()
        second.backward()
        self.base.step()
        self.zero_grad()
        return first.detach()


class TabularNet(nn.Module):
    """Numerical features plus embedded categoricals."""

    def __init__(self, n_num, cards, dim=3, hidden=16, n_out=2):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, dim) for c in cards)
        width = n_num + dim * len(cards)
        self.bn = nn.BatchNorm1d(n_num)
        self.net = nn.Sequential(
            nn.Linear(width, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, n_out),
        )

    def forward(self, num, cat):
        parts = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        return self.net(torch.cat([self.bn(num), *parts], 1))


def make_closure(model, num, cat, y):
    def closure():
        return nn.functional.cross_entropy(model(num, cat), y)
    return closure


def fit(model, batches):
    opt = SAM(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9)
    out = []
    for num, cat, y in batches:
        out.append(opt.step(make_closure(model, num, cat, y)).item())
    return out


# --- driver ---
torch.manual_seed(0)
batch = (torch.randn(8, 4), torch.randint(0, 5, (8, 2)), torch.randint(0, 2, (8,)))
fit(TabularNet(4, [5, 5]), [batch])
