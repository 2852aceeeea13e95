import torch
from torch import nn
from torch.nn import functional as F


class S4DKernel(nn.Module):
    """Diagonal SSM: convolution kernel for training, recurrence for generation."""

    def __init__(self, d, n=8):
        super().__init__()
        self.log_dt = nn.Parameter(torch.rand(d) * 2 - 4)
        self.log_re = nn.Parameter(torch.full((d, n), 0.5).log())
        self.im = nn.Parameter(torch.arange(n).float().repeat(d, 1) * torch.pi)
        self.C = nn.Parameter(torch.randn(d, n, 2) * 0.5)

    def discrete(self):
        dt = self.log_dt.exp()[:, None]
        A = torch.complex(-self.log_re.exp(), self.im)
        dA = torch.exp(A * dt)
        return dA, (dA - 1) / A, torch.view_as_complex(self.C)

    def forward(self, L):
        dA, dB, C = self.discrete()
        powers = torch.exp(torch.log(dA)[..., None] * torch.arange(L))
        return 2 * torch.einsum("dn,dnl->dl", C * dB, powers).real


class S4DLayer(nn.Module):
    def __init__(self, d, dropout=0.1):
        super().__init__()
        self.kernel = S4DKernel(d)
        self.D = nn.Parameter(torch.randn(d))
        self.mix = nn.Conv1d(d, 2 * d, 1)
        self.drop = nn.Dropout1d(dropout)

    def forward(self, u):
        L = u.shape[-1]
        k = self.kernel(L)
        y = torch.fft.irfft(torch.fft.rfft(u, 2 * L) * torch.fft.rfft(k, 2 * L), 2 * L)[..., :L]
        y += u * self.D[:, None]
        return F.glu(self.mix(self.drop(F.gelu(y))), dim=1)

    def initial_state(self, b):
        return torch.zeros(b, *self.kernel.im.shape, dtype=torch.cfloat)

    def recur(self, u_t, state, coeffs):
        dA, dB, C = coeffs
        state.mul_(dA).add_(dB * u_t[..., None])
        y = 2 * (C * state).sum(-1).real + self.D * u_t
        return F.glu(self.mix(F.gelu(y)[..., None]), dim=1)[..., 0]


class Forecaster(nn.Module):
    def __init__(self, d=8, depth=2):
        super().__init__()
        self.up, self.down = nn.Conv1d(1, d, 1), nn.Conv1d(d, 1, 1)
        self.layers = nn.ModuleList(S4DLayer(d) for _ in range(depth))

    def forward(self, x):
        h = self.up(x)
        for l in self.layers:
            h = h + l(h)
        return self.down(h)

    @torch.no_grad()
    def rollout(self, x, horizon):
        self.eval()
        states = [l.initial_state(len(x)) for l in self.layers]
        coeffs = [l.kernel.discrete() for l in self.layers]
        n = x.shape[-1]
        series = torch.empty(len(x), 1, n + horizon)
        series[..., :n] = x
        for t in range(n + horizon - 1):
            h = self.up(series[..., t:t + 1])[..., 0]
            for l, s, c in zip(self.layers, states, coeffs):
                h += l.recur(h, s, c)
            if t + 1 >= n:
                series[..., t + 1] = self.down(h[..., None])[..., 0]
        self.train()
        return series[..., n:]


# --- driver ---
torch.manual_seed(0)
net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for i in range(3):
    t = torch.arange(33) * 0.3 + torch.rand(4, 1, 1) * 6
    x = t.sin()
    loss = F.mse_loss(net(x[..., :-1]), x[..., 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), net.rollout(x[..., :16], 4).abs().mean().item())
