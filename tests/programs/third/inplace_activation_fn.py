import torch
from torch import nn
from torch.autograd.function import Function, once_differentiable


class LeakyInPlace(Function):
    """Leaky ReLU on the memory of its input; the sign survives for backward."""

    @staticmethod
    def forward(ctx, x, slope):
        negative = x < 0
        x[negative] *= slope
        ctx.mark_dirty(x)
        ctx.save_for_backward(negative)
        ctx.slope = slope
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (negative,) = ctx.saved_tensors
        out = grad.clone()
        out[negative] *= ctx.slope
        return out, None


class ScaleGrad(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.mul(ctx.k), None


class LeakyIP(nn.Module):
    def __init__(self, slope=0.1):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return LeakyInPlace.apply(x, self.slope)

    def extra_repr(self):
        return f"slope={self.slope}"


class MultiTask(nn.Module):
    def __init__(self, fin, hidden, tasks, balance):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(fin, hidden), LeakyIP(), nn.Linear(hidden, hidden), LeakyIP())
        self.heads = nn.ModuleDict({k: nn.Linear(hidden, n) for k, n in tasks.items()})
        self.balance = balance

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(ScaleGrad.apply(h, self.balance.get(k, 1.0))) for k, head in self.heads.items()}


def orthogonal_rows_(weight):
    with torch.no_grad():
        for i in range(weight.shape[0]):
            for j in range(i):
                weight[i] -= weight[j] * torch.dot(weight[i], weight[j])
            weight[i] /= weight[i].norm() + 1e-8
    return weight


def step(model, opt, x, targets, bound=0.8):
    out = model(x)
    loss = nn.functional.cross_entropy(out["kind"], targets["kind"])
    loss = loss + nn.functional.mse_loss(out["size"].squeeze(-1), targets["size"])
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p in model.heads.parameters():
            p.clamp_(-bound, bound)
    return loss.item()


# --- driver ---
torch.manual_seed(41)
net = MultiTask(5, 8, {"kind": 3, "size": 1}, {"size": 0.5})
orthogonal_rows_(net.heads["kind"].weight)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(2):
    step(net, opt, torch.randn(6, 5), {"kind": torch.randint(0, 3, (6,)), "size": torch.rand(6)})
