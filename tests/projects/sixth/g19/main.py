import math

import torch
from torch import nn
from torch.optim import Optimizer


class ScratchAdam(Optimizer):
    """Adam with one scratch buffer per parameter, no allocations in step()."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.0, amsgrad=False):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["t"] = 0
                    st["m"] = torch.zeros_like(p)
                    st["v"] = torch.zeros_like(p)
                    st["vmax"] = torch.zeros_like(p)
                    st["buf"] = torch.empty_like(p)
                g, m, v, buf = p.grad, st["m"], st["v"], st["buf"]
                st["t"] += 1
                if group["weight_decay"]:
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                m.mul_(b1).add_(g, alpha=1 - b1)
                v.mul_(b2).addcmul_(g, g, value=1 - b2)
                if group["amsgrad"]:
                    torch.maximum(st["vmax"], v, out=st["vmax"])
                    v = st["vmax"]
                torch.sqrt(v, out=buf)
                buf.div_(math.sqrt(1 - b2 ** st["t"])).add_(group["eps"])
                p.addcdiv_(m, buf, value=-group["lr"] / (1 - b1 ** st["t"]))
        return loss


class Lookahead:
    def __init__(self, opt, k=3, alpha=0.5):
        self.opt, self.k, self.alpha, self.n = opt, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in opt.param_groups]

    def step(self, closure):
        loss = self.opt.step(closure)
        self.n += 1
        if self.n % self.k == 0:
            for g, slow in zip(self.opt.param_groups, self.slow):
                for p, q in zip(g["params"], slow):
                    q.add_(p.data - q, alpha=self.alpha)
                    p.data.copy_(q)
        return loss


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 16)
        self.b = nn.Linear(16, 16)
        self.c = nn.Linear(16, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        h = nn.functional.silu(self.a(x))
        h = self.b(h).mul_(0.5)
        h = nn.functional.softplus(h)
        return self.c(h) * self.scale


if __name__ == "__main__":
    torch.manual_seed(19)
    torch.set_num_threads(1)
    X = torch.linspace(-1, 1, 80).view(20, 4)
    Y = X.pow(2).sum(1, keepdim=True)
    for ams in (False, True):
        net = Net()
        opt = Lookahead(ScratchAdam(net.parameters(), lr=5e-3, weight_decay=1e-3, amsgrad=ams))

        def closure():
            net.zero_grad()
            loss = (net(X) - Y).abs_().mean()
            loss.backward()
            return loss

        for i in range(9):
            loss = opt.step(closure)
        print("amsgrad", ams, f"{loss.item():.5f}")
