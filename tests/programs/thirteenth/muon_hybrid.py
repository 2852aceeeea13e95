"""Muon for the matrices, AdamW for the rest; both written out. Trained on a small copy task."""
import torch
from torch import nn
from torch.optim import Optimizer
import torch.nn.functional as F


def newton_schulz(g, steps=5):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.clone()
    tall = x.size(0) > x.size(1)
    if tall:
        x = x.t()
    x = x / (x.norm() + 1e-7)
    for _ in range(steps):
        xx = x @ x.t()
        x = a * x + (b * xx + c * xx @ xx) @ x
    return x.t() if tall else x


class Muon(Optimizer):
    def __init__(self, params, lr=0.02, momentum=0.95, nesterov=True, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, momentum=momentum, nesterov=nesterov, wd=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                buf = self.state[p].setdefault("m", torch.zeros_like(p))
                buf.lerp_(p.grad, 1 - g["momentum"])
                upd = p.grad.lerp(buf, g["momentum"]) if g["nesterov"] else buf
                upd = newton_schulz(upd).mul_(max(1.0, p.size(0) / p.size(1)) ** 0.5)
                p.mul_(1 - g["lr"] * g["wd"]).add_(upd, alpha=-g["lr"])
        return loss


class PlainAdamW(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, wd=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            b1, b2 = g["betas"]
            for p in g["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                st["t"] += 1
                st["m"].lerp_(p.grad, 1 - b1)
                st["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                denom = (st["v"] / (1 - b2 ** st["t"])).sqrt_().add_(g["eps"])
                p.mul_(1 - g["lr"] * g["wd"])
                p.addcdiv_(st["m"], denom, value=-g["lr"] / (1 - b1 ** st["t"]))


class OptimizerGroup:
    def __init__(self, *opts):
        self.opts = opts

    def __getattr__(self, name):
        return lambda *a, **k: [getattr(o, name)(*a, **k) for o in self.opts]


def split_params(model):
    mats, rest = [], []
    for n, p in model.named_parameters():
        (mats if p.ndim == 2 and "emb" not in n else rest).append(p)
    return mats, rest


class CopyNet(nn.Module):
    def __init__(self, vocab=12, d=16, t=12):
        super().__init__()
        self.emb, self.pos_emb = nn.Embedding(vocab, d), nn.Embedding(t, d)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(d, 2, 32, 0.0, batch_first=True, norm_first=True) for _ in range(2))
        self.register_buffer("mask", torch.full((t, t), float("-inf")).triu_(1))

    def forward(self, ids):
        t = ids.size(1)
        x = self.emb(ids) + self.pos_emb.weight[:t]
        for l in self.layers:
            x = l(x, src_mask=self.mask[:t, :t])
        return x @ self.emb.weight.t()


# --- driver ---
torch.manual_seed(0)
net = CopyNet()
mats, rest = split_params(net)
opt = OptimizerGroup(Muon(mats, lr=0.01, weight_decay=0.01), PlainAdamW(rest, lr=3e-3))
for i in range(4):
    half = torch.randint(0, 12, (8, 6))
    ids = half.repeat(1, 2)
    loss = F.cross_entropy(net(ids[:, :-1])[:, 5:].flatten(0, 1), ids[:, 6:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
