"""Two optimisers of our own: sign momentum, and one with row/column preconditioning."""
import torch
from torch import nn
from torch.optim import Optimizer


class SignMomentum(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), wd=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda q: q.grad is not None, group["params"]):
                st = self.state[p]
                if not st:
                    st["m"] = torch.zeros_like(p)
                p.mul_(1 - group["lr"] * group["wd"])
                update = st["m"].clone().mul_(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                st["m"].mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


class FactoredPrecond(Optimizer):
    """Second moments kept as outer products of row and column sums."""

    def __init__(self, params, lr=1e-2, decay=0.95, eps=1e-8):
        super().__init__(params, dict(lr=lr, decay=decay, eps=eps))

    def _factored(self, st, g, decay, eps):
        if "r" not in st:
            st["r"], st["c"] = g.new_zeros(g.shape[0]), g.new_zeros(g.shape[1])
        sq = g.square().add_(eps)
        st["r"].lerp_(sq.mean(1), 1 - decay)
        st["c"].lerp_(sq.mean(0), 1 - decay)
        v = torch.outer(st["r"], st["c"]).div_(st["r"].mean())
        return v.rsqrt_().mul_(g)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                g, st = p.grad, self.state[p]
                if p.dim() == 2:
                    upd = self._factored(st, g, group["decay"], group["eps"])
                else:
                    v = st.setdefault("v", torch.zeros_like(p))
                    v.mul_(group["decay"]).addcmul_(g, g, value=1 - group["decay"])
                    upd = g / v.sqrt().add_(group["eps"])
                upd.div_((upd.square().mean().sqrt_()).clamp_(min=1.0))
                p.sub_(upd, alpha=group["lr"])


def split_params(model):
    mats = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    return mats, rest


def train(model, x, y, steps):
    mats, rest = split_params(model)
    opts = [FactoredPrecond(mats), SignMomentum(rest, wd=0.01)]
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        for o in opts:
            o.step()
            o.zero_grad()
    return loss.item()


# --- driver ---
torch.manual_seed(50)
model = nn.Sequential(nn.Linear(4, 8), nn.Mish(), nn.Linear(8, 1))
train(model, torch.randn(12, 4), torch.randn(12, 1), steps=2)
