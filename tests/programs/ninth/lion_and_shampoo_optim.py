import torch
from torch.optim import Optimizer

OPTIMIZERS = {}


def optimizer(fn):
    OPTIMIZERS[fn.__name__.lower()] = fn
    return fn


@optimizer
class Lion(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            b1, b2 = g["betas"]
            for p in g["params"]:
                if p.grad is None:
                    continue
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - g["lr"] * g["weight_decay"])
                update = m.clone().mul_(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-g["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


@optimizer
class Shampoo(Optimizer):
    def __init__(self, params, lr=1e-2, eps=1e-4, momentum=0.9):
        super().__init__(params, dict(lr=lr, eps=eps, momentum=momentum))

    @staticmethod
    def root(mat, power):
        vals, vecs = torch.linalg.eigh(mat)
        vals.clamp_(min=1e-8).pow_(-1.0 / power)
        return (vecs * vals) @ vecs.t()

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure else None
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["buf"] = torch.zeros_like(p)
                    st["pre"] = [group["eps"] * torch.eye(s) for s in p.shape]
                g = p.grad.clone()
                for dim, pre in enumerate(st["pre"]):
                    flat = g.transpose(0, dim).reshape(g.size(dim), -1)
                    pre.addmm_(flat, flat.t())
                    flat = self.root(pre, 2 * p.ndim) @ flat
                    shape = list(g.transpose(0, dim).shape)
                    g = flat.view(shape).transpose(0, dim)
                st["buf"].mul_(group["momentum"]).add_(g)
                p.sub_(st["buf"], alpha=group["lr"])
        return loss


class Warmup:
    def __init__(self, opt, steps):
        self.opt, self.steps, self.i = opt, steps, 0
        self.base = [g["lr"] for g in opt.param_groups]

    def step(self):
        self.i += 1
        for g, lr in zip(self.opt.param_groups, self.base):
            g["lr"] = lr * min(1.0, self.i / self.steps)


def regression_data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 2, generator=g).mul_(2).sub_(1)
    return x, (3 * x[:, :1]).sin() * x[:, 1:]


def fit(name, steps, **kw):
    net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Softplus(), torch.nn.Linear(8, 1))
    opt = OPTIMIZERS[name](net.parameters(), **kw)
    sched, (x, y) = Warmup(opt, 2), regression_data(16, 0)
    losses = []
    for _ in range(steps):
        opt.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        sched.step()
        opt.step()
        losses.append(loss.item())
    return losses


# --- driver ---
torch.manual_seed(10)
print(fit("lion", 2, weight_decay=0.1))
print(fit("shampoo", 2))
