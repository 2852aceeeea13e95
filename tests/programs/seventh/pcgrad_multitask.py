import random
import torch
import torch.nn as nn
import torch.nn.functional as F


class SharedTrunk(nn.Module):
    def __init__(self, d_in, width):
        super().__init__()
        self.fc1 = nn.Linear(d_in, width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        x = F.relu(self.fc1(x), inplace=True)
        return F.relu(self.fc2(x), inplace=True)


class MultiTask(nn.Module):
    def __init__(self, d_in, width, heads):
        super().__init__()
        self.trunk = SharedTrunk(d_in, width)
        self.heads = nn.ModuleDict({k: nn.Linear(width, n) for k, n in heads.items()})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}


class PCGrad:
    """Project conflicting gradients (Yu et al. 2020)."""

    def __init__(self, optimizer, reduction="sum"):
        self.optimizer, self.reduction = optimizer, reduction

    @property
    def params(self):
        return [p for g in self.optimizer.param_groups for p in g["params"]]

    def zero_grad(self):
        self.optimizer.zero_grad(set_to_none=False)

    def step(self):
        self.optimizer.step()

    def _flat(self):
        return torch.cat([torch.zeros_like(p).view(-1) if p.grad is None else p.grad.detach().flatten().clone()
                          for p in self.params])

    def backward(self, losses):
        rows = []
        for i, loss in enumerate(losses):
            self.zero_grad()
            loss.backward(retain_graph=i + 1 < len(losses))
            rows.append(self._flat())
        merged = self._project(rows)
        offset = 0
        for p in self.params:
            n = p.numel()
            p.grad.copy_(merged[offset:offset + n].view_as(p))
            offset += n

    def _project(self, grads):
        out = torch.zeros_like(grads[0])
        for i, g in enumerate(grads):
            g = g.clone()
            others = [h for j, h in enumerate(grads) if j != i]
            random.shuffle(others)
            for h in others:
                dot = torch.dot(g, h)
                if dot < 0:
                    g.sub_(h, alpha=float(dot / h.norm().pow_(2)))
            out += g
        if self.reduction == "mean":
            out /= len(grads)
        return out


class UncertaintyWeights:
    def __init__(self, tasks, momentum=0.9):
        self.tasks = list(tasks)
        self.level = torch.ones(len(self.tasks))
        self.momentum = momentum

    def __call__(self, losses):
        with torch.no_grad():
            now = torch.stack([l.detach() for l in losses])
            self.level.mul_(self.momentum).add_(now, alpha=1 - self.momentum)
            w = 1 / self.level
            w *= len(w) / w.sum()
        return [wi * l for wi, l in zip(w.tolist(), losses)]


def make_data(n):
    x = torch.randn(n, 6)
    return x, {"sum": x.sum(1, keepdim=True), "sign": (x[:, 0] > 0).long(), "max": x.max(1, keepdim=True).values}


def losses_of(out, y):
    return [F.mse_loss(out["sum"], y["sum"]), F.cross_entropy(out["sign"], y["sign"]), F.l1_loss(out["max"], y["max"])]


def train(model, steps, lr=1e-2):
    opt = PCGrad(torch.optim.Adam(model.parameters(), lr=lr))
    weigh = UncertaintyWeights(["sum", "sign", "max"])
    for _ in range(steps):
        x, y = make_data(12)
        opt.backward(weigh(losses_of(model(x), y)))
        opt.step()


# --- driver ---
torch.manual_seed(0)
random.seed(0)
train(MultiTask(6, 10, {"sum": 1, "sign": 2, "max": 1}), 2)
