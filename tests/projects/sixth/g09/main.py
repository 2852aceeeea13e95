import torch
from torch import nn


class MyBatchNorm(nn.Module):
    def __init__(self, num_features, momentum=0.1, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(num_features))
        self.beta = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("moving_mean", torch.zeros(num_features))
        self.register_buffer("moving_var", torch.ones(num_features))
        self.momentum, self.eps = momentum, eps

    def forward(self, X):
        if not self.training:
            X_hat = X.sub(self.moving_mean)
            X_hat /= torch.sqrt(self.moving_var + self.eps)
        else:
            mean = X.mean(0)
            centered = X - mean
            var = centered.pow(2).mean(0)
            inv = var.add(self.eps).rsqrt_()
            X_hat = centered * inv
            with torch.no_grad():
                self.moving_mean.lerp_(mean, self.momentum)
                self.moving_var.lerp_(var, self.momentum)
        Y = X_hat * self.gamma
        Y += self.beta
        return Y


class GroupedScale(nn.Module):
    """per-group scale, kept in a buffer updated from batch maxima"""

    def __init__(self, groups):
        super().__init__()
        self.groups = groups
        self.register_buffer("scale", torch.ones(groups, 1))

    def forward(self, x):
        b, d = x.shape
        g = x.view(b, self.groups, d // self.groups)
        if self.training:
            peak = g.detach().abs().amax(dim=(0, 2)).clamp_(min=1e-3).unsqueeze(1)
            self.scale.mul_(0.9).add_(peak, alpha=0.1)
        s = self.scale.clone()
        return (g / s).reshape(b, d)


def build():
    return nn.Sequential(
        nn.Linear(8, 16), MyBatchNorm(16), nn.ReLU(inplace=True),
        GroupedScale(4), nn.Linear(16, 16), MyBatchNorm(16), nn.ReLU(inplace=True),
        nn.Linear(16, 3),
    )


def reference_check():
    bn, ref = MyBatchNorm(5).double(), nn.BatchNorm1d(5).double()
    x = torch.randn(7, 5, dtype=torch.double, requires_grad=True)
    w = torch.randn(7, 5, dtype=torch.double)
    (a,) = torch.autograd.grad((bn(x) * w).sum(), x)
    (b,) = torch.autograd.grad((ref(x) * w).sum(), x)
    assert torch.allclose(a, b)


def main():
    torch.manual_seed(9)
    torch.set_num_threads(1)
    reference_check()
    net = build()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(96, 8)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    for epoch in range(5):
        net.train()
        # two forwards before one backward: moving stats change in between
        la = nn.functional.cross_entropy(net(x[:48]), y[:48])
        lb = nn.functional.cross_entropy(net(x[48:]), y[48:])
        loss = (la + lb) / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            acc = (net(x).argmax(1) == y).float().mean()
        print(epoch, f"{loss.item():.4f} {acc.item():.3f}")
    # eval-mode fine tuning of the head still differentiates
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()


if __name__ == "__main__":
    main()
