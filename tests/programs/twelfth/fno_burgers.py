import torch, torch.nn as nn, torch.nn.functional as F

# 1d Fourier neural operator

class SpectralConv1d(nn.Module):
    def __init__(self, cin, cout, modes):
        super().__init__()
        self.modes = modes
        self.cout = cout
        self.weight = nn.Parameter(torch.randn(cin, cout, modes, dtype=torch.cfloat) / (cin * cout))

    def forward(self, x):
        xf = torch.fft.rfft(x)
        out = torch.zeros(x.size(0), self.cout, xf.size(-1), dtype=torch.cfloat)
        out[:, :, : self.modes] = torch.einsum("bix,iox->box", xf[:, :, : self.modes], self.weight)
        return torch.fft.irfft(out, n=x.size(-1))

class FourierLayer(nn.Module):
    def __init__(self, width, modes, last=False):
        super().__init__()
        self.spec = SpectralConv1d(width, width, modes)
        self.skip = nn.Conv1d(width, width, 1)
        self.last = last

    def forward(self, x):
        y = self.spec(x)
        y += self.skip(x)
        return y if self.last else F.gelu(y)

class FNO1d(nn.Module):
    def __init__(self, width=12, modes=6, depth=3):
        super().__init__()
        self.lift = nn.Linear(2, width)
        self.layers = nn.Sequential(*[FourierLayer(width, modes, last=(i == depth - 1)) for i in range(depth)])
        self.proj = nn.Sequential(nn.Linear(width, 24), nn.GELU(), nn.Linear(24, 1))

    def forward(self, u):
        n = u.shape[-1]
        grid = torch.linspace(0, 1, n).expand_as(u)
        h = self.lift(torch.stack([u, grid], -1)).transpose(1, 2)
        return self.proj(self.layers(h).transpose(1, 2)).squeeze(-1)

class UnitGaussian:
    def __init__(self, x, eps=1e-5):
        self.mean, self.std = x.mean(0), x.std(0) + eps
    def encode(self, x): return (x - self.mean) / self.std
    def decode(self, x): return x * self.std + self.mean

def rel_l2(pred, target):
    num = (pred - target).flatten(1).norm(dim=1)
    return (num / target.flatten(1).norm(dim=1)).mean()

def burgers_like(n, grid, seed):
    g = torch.Generator().manual_seed(seed)
    k = torch.arange(1, 6.0)
    coef = torch.randn(n, 5, generator=g)
    coef /= k
    x = torch.linspace(0, 1, grid)
    u0 = coef @ torch.sin(2 * torch.pi * k[:, None] * x)
    u1 = u0 - 0.1 * u0 * torch.gradient(u0, dim=1)[0] * grid
    return u0, u1

# --- driver ---
torch.manual_seed(0)
a, b = burgers_like(16, 32, 7)
na, nb = UnitGaussian(a), UnitGaussian(b)
model = FNO1d()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
for ep in range(4):
    opt.zero_grad()
    loss = rel_l2(nb.decode(model(na.encode(a))), b)
    loss.backward()
    opt.step(); sched.step()
    print(ep, loss.item())
