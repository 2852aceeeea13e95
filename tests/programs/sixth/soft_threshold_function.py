"""Unrolled accelerated ISTA (LISTA) for sparse coding with a hand-written shrinkage operator."""
import torch
from torch import nn
from torch.autograd import Function


class Shrink(Function):
    @staticmethod
    def forward(ctx, x, lam):
        out = x.abs()
        out.sub_(lam).clamp_(min=0).mul_(x.sign())
        ctx.save_for_backward(out)
        ctx.lam_dim = lam.dim()
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        gx = grad * out.ne(0)
        glam = -(grad * out.sign())
        while glam.dim() > ctx.lam_dim:
            glam = glam.sum(0)
        return gx, glam


shrink = Shrink.apply


class LISTA(nn.Module):
    def __init__(self, n, m, depth=3, lam=0.1):
        super().__init__()
        D = torch.randn(n, m)
        D /= D.norm(dim=0, keepdim=True)
        L = torch.linalg.matrix_norm(D, 2).item() ** 2
        self.register_buffer("dictionary", D)
        self.We = nn.Parameter(D.t() / L)
        self.S = nn.Parameter(torch.eye(m) - D.t() @ D / L)
        self.lam = nn.ParameterList(nn.Parameter(torch.full((m,), lam / L)) for _ in range(depth))

    def forward(self, y):
        b = y @ self.We.t()
        z = prev = torch.zeros_like(b)
        for k, lam in enumerate(self.lam):
            x = shrink(b + z @ self.S.t(), lam)
            step = x - prev
            prev, z = x, x.add_(step, alpha=k / (k + 3.0))  # BUG
        return z

    def reconstruct(self, z):
        return z @ self.dictionary.t()


class SparseSignals:
    def __init__(self, dictionary, sparsity, noise=0.01):
        self.D, self.k, self.noise = dictionary, sparsity, noise

    def draw(self, batch):
        m = self.D.shape[1]
        z = torch.zeros(batch, m)
        for row in range(batch):
            support = torch.randperm(m)[: self.k]
            z[row, support] = torch.randn(self.k)
        y = z @ self.D.t()
        y += self.noise * torch.randn_like(y)
        return y, z


def nmse_db(est, ref):
    return 10 * torch.log10((est - ref).pow(2).sum() / ref.pow(2).sum())


def train(model, source, iters, batch, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    curve = torch.zeros(iters)
    for i in range(iters):
        y, z = source.draw(batch)
        est = model(y)
        loss = (est - z).pow(2).mean() + 0.1 * (model.reconstruct(est) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve[i] = nmse_db(est.detach(), z)
    return curve


# --- driver ---
torch.manual_seed(0)
model = LISTA(8, 12)
train(model, SparseSignals(model.dictionary, 2), iters=2, batch=4)
