import torch
import torch.nn as nn
import torch.nn.functional as F

DEFAULTS = {"modes": 4, "width": 8, "layers": 2, "history": 3, "horizon": 3}


class SpectralConv1d(nn.Module):
    def __init__(self, cin, cout, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.randn(cin, cout, modes, dtype=torch.cfloat) / (cin * cout))

    def forward(self, x):
        x_ft = torch.fft.rfft(x)
        out = torch.zeros(x.shape[0], self.weight.shape[1], x_ft.shape[-1], dtype=torch.cfloat)
        out[..., :self.modes] = torch.einsum("bim,iom->bom", x_ft[..., :self.modes], self.weight)
        return torch.fft.irfft(out, n=x.shape[-1])


class FNOBlock(nn.Module):
    def __init__(self, width, modes):
        super().__init__()
        self.spectral = SpectralConv1d(width, width, modes)
        self.local = nn.Conv1d(width, width, 1)

    def forward(self, x):
        y = self.spectral(x)
        y += self.local(x)
        return F.gelu(y)


class FNO(nn.Module):
    def __init__(self, modes, width, layers, history, **_):
        super().__init__()
        self.lift = nn.Conv1d(history + 1, width, 1)
        self.blocks = nn.Sequential(*[FNOBlock(width, modes) for _ in range(layers)])
        self.proj = nn.Conv1d(width, 1, 1)

    def forward(self, u):
        grid = torch.linspace(0, 1, u.shape[-1]).expand(u.shape[0], 1, -1)
        return self.proj(self.blocks(self.lift(torch.cat([u, grid], 1)))).squeeze(1)


class OneStepNet(nn.Module):
    """Cheap convolutional corrector used next to the operator."""

    def __init__(self, history):
        super().__init__()
        self.conv = nn.Conv1d(history, 1, 5, padding=2, padding_mode="zeros")

    def forward(self, u):
        return self.conv(u).squeeze(1)


def advance(window, frame, slot):
    window[:, slot] = frame  # BUG
    return window


def rollout(operator, corrector, history, horizon):
    window = history.clone()
    frames = []
    for k in range(horizon):
        frame = operator(window) + 0.1 * corrector(window)
        frames.append(frame)
        window = advance(window, frame, k % window.shape[1])
    return torch.stack(frames, 1)


def relative_l2(pred, target):
    diff = (pred - target).flatten(1).norm(dim=1)
    return (diff / target.flatten(1).norm(dim=1).clamp_min(1e-6)).mean()


def burgers_like(batch, steps, n):
    x = torch.linspace(0, 2 * torch.pi, n)
    phase = torch.rand(batch, 1, 1) * 6
    t = torch.arange(steps).view(1, -1, 1) * 0.1
    return torch.sin(x - t + phase)


def train(cfg, data, steps=1):
    op, corr = FNO(**cfg), OneStepNet(cfg["history"])
    opt = torch.optim.Adam([*op.parameters(), *corr.parameters()], lr=1e-3)
    for _ in range(steps):
        pred = rollout(op, corr, data[:, :cfg["history"]], cfg["horizon"])
        loss = relative_l2(pred, data[:, cfg["history"]:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return op


# --- driver ---
torch.manual_seed(0)
cfg = dict(DEFAULTS)
train(cfg, burgers_like(2, cfg["history"] + cfg["horizon"], 16), steps=2)
