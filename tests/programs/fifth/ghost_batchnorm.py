"""Ghost batch normalisation with hand-kept running statistics, and a tabular network."""
import torch
from torch import nn
import torch.nn.functional as F


class _Norm(nn.Module):
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.empty(dim))
        self.bias = nn.Parameter(torch.empty(dim))
        self.register_buffer('running_mean', torch.empty(dim))
        self.register_buffer('running_var', torch.empty(dim))
        self.register_buffer('steps', torch.tensor(0))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)
        self.running_mean.zero_()
        self.running_var.fill_(1)
        self.steps.zero_()


class ManualBatchNorm(_Norm):
    def forward(self, x):
        if self.training:
            mean = x.mean(0)
            var = x.var(0, unbiased=False)
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.mul_(1 - self.momentum).add_(var, alpha=self.momentum)
                self.steps += 1
        else:
            mean, var = self.running_mean, self.running_var
        y = x - mean
        y = y * torch.rsqrt(var + self.eps)
        y *= self.weight
        y += self.bias
        return y


class GhostBatchNorm(nn.Module):
    def __init__(self, dim, virtual=4):
        super().__init__()
        self.virtual = virtual
        self.bn = ManualBatchNorm(dim)

    def forward(self, x):
        if not self.training:
            return self.bn(x)
        out = torch.empty_like(x)
        for i in range(0, x.size(0), self.virtual):
            out[i:i + self.virtual] = self.bn(x[i:i + self.virtual])
        return out


class GLUBlock(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc, self.bn = nn.Linear(i, 2 * o), GhostBatchNorm(2 * o)
        self.skip = nn.Identity() if i == o else nn.Linear(i, o)

    def forward(self, x):
        h = F.glu(self.bn(self.fc(x)), dim=1)
        h += self.skip(x)
        return h.mul_(0.5 ** 0.5)


class TabNetLite(nn.Module):
    def __init__(self, d, h=12, blocks=2, out=1):
        super().__init__()
        self.blocks = nn.Sequential(*[GLUBlock(d if i == 0 else h, h) for i in range(blocks)])
        self.head = nn.Linear(h, out)

    def forward(self, x):
        return self.head(self.blocks(x))


def impute_(x):
    miss = torch.isnan(x)
    means = torch.nanmean(x, 0).expand_as(x)
    x[miss] = means[miss]
    return x


def fit(model, x, y, steps, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    x = impute_(x.clone())
    for _ in range(steps):
        opt.zero_grad()
        loss = F.huber_loss(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        return (model(x) - y).abs_().mean()


# --- driver ---
torch.manual_seed(0)
x = torch.randn(12, 5)
x[0, 1] = float('nan')
fit(TabNetLite(5), x, torch.randn(12, 1), 2)
