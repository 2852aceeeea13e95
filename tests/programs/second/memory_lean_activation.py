"""Custom in-place activations as autograd Functions, used in a deep MLP."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class InplaceSoftClip(torch.autograd.Function):
    """x -> x / (1 + |x|); backward is computed from the output alone."""

    @staticmethod
    def forward(ctx, x):
        x.div_(1 + x.abs())
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y.abs()).pow(2)


class ScaleGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.mul(ctx.scale), None


def soft_clip(x, inplace=False):
    return InplaceSoftClip.apply(x if inplace else x.clone())


class SoftClip(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return soft_clip(x, self.inplace)

    def extra_repr(self):
        return f"inplace={self.inplace}"


class LeanBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.act = SoftClip(inplace=True)

    def forward(self, x):
        h = self.act(self.fc(x))
        g = self.gate(x).sigmoid_()
        return x + h * g


class LeanNet(nn.Module):
    def __init__(self, n_in, dim=16, depth=3, out=1):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(n_in, dim), SoftClip(inplace=True))
        self.blocks = nn.ModuleList(LeanBlock(dim) for _ in range(depth))
        self.head = nn.Linear(dim, out)

    def forward(self, x):
        h = self.inp(x)
        for i, b in enumerate(self.blocks):
            h = b(h)
            h = ScaleGrad.apply(h, 1.0 / (i + 1))
        return self.head(h).squeeze(-1)


class RunningNormaliser:
    def __init__(self, dim):
        self.mean, self.var, self.n = torch.zeros(dim), torch.ones(dim), 0

    def update(self, x):
        self.n += 1
        self.mean += (x.mean(0) - self.mean) / self.n
        self.var += (x.var(0) - self.var) / self.n

    def __call__(self, x):
        return (x - self.mean) / (self.var + 1e-5).sqrt_()


def fit(net, batches, lr=1e-2):
    norm = RunningNormaliser(batches[0][0].size(1))
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for x, y in batches:
        norm.update(x)
        loss = F.mse_loss(net(norm(x)), y)
        opt.zero_grad()
        loss.backward()
        for p in net.parameters():
            p.grad.clamp_(-1.0, 1.0)
        opt.step()


# --- driver ---
torch.manual_seed(0)
fit(LeanNet(4), [(torch.randn(8, 4), torch.randn(8)) for _ in range(2)])
