"""Two home-made optimisers on an inverse kinematics net: Lion for vectors, orthogonalised momentum for matrices."""
import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in filter(lambda q: q.grad is not None, group["params"]):
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(m.mul(b1).add_(p.grad, alpha=1 - b1).sign_(), alpha=-group["lr"])
                m.lerp_(p.grad, 1 - b2)


def newton_schulz(g, steps=4):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g / (g.norm() + 1e-7)
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.T
    for _ in range(steps):
        s = x @ x.T
        x = a * x + (b * s + c * s @ s) @ x
    return x.T if tall else x


class Muon(Optimizer):
    def __init__(self, params, lr=0.02, momentum=0.95):
        super().__init__(params, dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                buf = self.state[p].setdefault("buf", torch.zeros_like(p))
                buf.mul_(group["momentum"]).add_(p.grad)
                g = p.grad.add_(buf, alpha=group["momentum"])
                p.add_(newton_schulz(g), alpha=-group["lr"] * max(1, p.shape[0] / p.shape[1]) ** 0.5)


class Together:
    def __init__(self, *opts):
        self.opts = opts

    def __getattr__(self, name):
        def call():
            for o in self.opts:
                getattr(o, name)()
        return call


class IKNet(nn.Module):
    def __init__(self, joints=3, width=24):
        super().__init__()
        self.a = nn.Linear(2, width)
        self.norm = nn.RMSNorm(width)
        self.b = nn.Linear(width, width, bias=False)
        self.c = nn.Linear(width, joints)

    def forward(self, xy):
        h = torch.relu_(self.a(xy))
        h = h + self.b(self.norm(h))
        return self.c(h)


def forward_kinematics(q, lengths):
    ang = q.cumsum(-1)
    tip = torch.zeros(len(q), 2)
    for k, l in enumerate(lengths):
        tip[:, 0] += l * ang[:, k].cos()
        tip[:, 1] += l * ang[:, k].sin()
    return tip


def train(net, lengths, iters, batch=32):
    mats = [p for p in net.parameters() if p.dim() == 2]
    vecs = [p for p in net.parameters() if p.dim() != 2]
    opt = Together(Muon(mats), Lion(vecs, lr=1e-3, weight_decay=0.01))
    for it in range(iters):
        goal = torch.randn(batch, 2)
        goal.mul_(torch.rand(batch, 1).sqrt_() * sum(lengths) / goal.norm(dim=1, keepdim=True))
        q = net(goal)
        loss = (forward_kinematics(q, lengths) - goal).norm(dim=1).mean() + 1e-3 * q.square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())


# --- driver ---
torch.manual_seed(53)
train(IKNet(), (0.5, 0.4, 0.2), 5)
