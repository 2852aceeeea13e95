import torch
from torch.autograd import Function
from torch import nn


class MishFn(Function):
    """Keeps x only and recomputes the rest, so half the memory of the eager version."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.tanh(nn.functional.softplus(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        sp = nn.functional.softplus(x)
        t = torch.tanh(sp)
        grad = t.square().neg_().add_(1)
        grad.mul_(torch.sigmoid(x)).mul_(x).add_(t)
        return grad.mul_(g)


class Mish(nn.Module):
    def forward(self, x):
        return MishFn.apply(x)


class PositionBias(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tokens, dim) * 0.02)

    def forward(self, x):
        x += self.table[: x.shape[1]]
        return x


class TokenMixer(nn.Module):
    def __init__(self, tokens, dim, mult=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, tokens * mult), Mish(), nn.Linear(tokens * mult, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, dim * mult), Mish(), nn.Linear(dim * mult, dim))

    def forward(self, x):
        x = x + self.token(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.norm(x))


class MixerNet(nn.Module):
    def __init__(self, patch=4, img=16, dim=16, depth=2, classes=5):
        super().__init__()
        tokens = (img // patch) ** 2
        self.patchify = nn.Conv2d(3, dim, patch, patch)
        self.pos = PositionBias(tokens, dim)
        self.layers = nn.Sequential(*[TokenMixer(tokens, dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = self.patchify(img).flatten(2).transpose(1, 2)
        x = self.pos(x)
        return self.head(self.layers(x).mean(1))


def check_mish():
    x = torch.randn(5, dtype=torch.double, requires_grad=True)
    return torch.autograd.gradcheck(MishFn.apply, (x,))


# --- driver ---
torch.manual_seed(0)
assert check_mish()
net = MixerNet()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for step in range(3):
    out = net(torch.randn(4, 3, 16, 16))
    loss = nn.functional.cross_entropy(out, torch.randint(0, 5, (4,)), label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
