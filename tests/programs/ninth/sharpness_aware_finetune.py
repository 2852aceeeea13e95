import torch
import torch.nn as nn
import torch.nn.functional as F


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, adaptive=False, **kw):
        super().__init__(params, dict(rho=rho, adaptive=adaptive, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def _norm(self):
        norms = []
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is not None:
                    scale = p.abs() if g["adaptive"] else 1.0
                    norms.append((scale * p.grad).norm())
        return torch.stack(norms).norm()

    @torch.no_grad()
    def ascend(self):
        norm = self._norm().add_(1e-12)
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                e = p.grad * (g["rho"] / norm)
                if g["adaptive"]:
                    e.mul_(p.square())
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def descend(self):
        for g in self.param_groups:
            for p in g["params"]:
                if "e" in self.state[p]:
                    p.sub_(self.state[p].pop("e"))
        self.base.step()
        self.zero_grad()

    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        self.ascend()
        closure()
        self.descend()
        return loss


class PatchViT(nn.Module):
    def __init__(self, patch=4, size=8, d=12, heads=2, classes=3):
        super().__init__()
        n = (size // patch) ** 2
        self.proj = nn.Conv2d(3, d, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.zeros(1, n + 1, d))
        self.block = nn.TransformerEncoderLayer(d, heads, 2 * d, 0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(d, classes)
        with torch.no_grad():
            self.pos.normal_(std=0.02)
            self.head.weight.zero_()

    def forward(self, x):
        t = self.proj(x).flatten(2).transpose(1, 2)
        t = torch.cat([self.cls.expand(len(t), -1, -1), t], 1)
        t += self.pos
        return self.head(self.block(t)[:, 0])


class Mixup:
    def __init__(self, alpha=0.4):
        self.beta = torch.distributions.Beta(alpha, alpha)

    def __call__(self, x, y, classes):
        lam = self.beta.sample()
        t = torch.zeros(len(y), classes).scatter_(1, y[:, None], 1.0)
        x.mul_(lam).add_(x.flip(0), alpha=float(1 - lam))
        t.mul_(lam).add_(t.flip(0), alpha=float(1 - lam))
        return x, t


def finetune(model, loader, classes=3, **kw):
    opt = SAM(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9, **kw)
    mix = Mixup()
    for x, y in loader:
        x, t = mix(x, y, classes)

        def closure():
            loss = -(t * F.log_softmax(model(x), -1)).sum(-1).mean()
            loss.backward()
            return loss

        yield opt.step(closure).item()


# --- driver ---
torch.manual_seed(15)
batches = [(torch.randn(4, 3, 8, 8), torch.randint(0, 3, (4,))) for _ in range(2)]
print(list(finetune(PatchViT(), batches, adaptive=True)))
