import torch
import torch.nn as nn
import torch.nn.functional as F


class StreamConv1d(nn.Module):
    """Causal conv fed chunk by chunk; keeps its left context in a fixed window."""

    def __init__(self, cin, cout, k, chunk):
        super().__init__()
        self.k, self.chunk = k, chunk
        self.conv = nn.Conv1d(cin, cout, k)
        self.window = None

    def reset(self, batch):
        self.window = torch.zeros(batch, self.conv.in_channels, self.k - 1 + self.chunk)

    def push(self, x):
        ctx = self.k - 1
        tail = self.window[..., -ctx:]
        self.window.copy_(torch.cat([tail, x], dim=-1))  # BUG
        return self.window

    def forward(self, x):
        return self.conv(self.push(x))


class StreamBlock(nn.Module):
    def __init__(self, ch, k, chunk):
        super().__init__()
        self.conv = StreamConv1d(ch, 2 * ch, k, chunk)
        self.proj = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        a, g = self.conv(x).chunk(2, 1)
        return x + self.proj(torch.tanh(a) * torch.sigmoid(g))


class StreamingDenoiser(nn.Module):
    def __init__(self, ch=8, k=4, chunk=16, depth=2):
        super().__init__()
        self.chunk = chunk
        self.inp = nn.Conv1d(1, ch, 1)
        self.blocks = nn.ModuleList(StreamBlock(ch, k, chunk) for _ in range(depth))
        self.out = nn.Conv1d(ch, 1, 1)

    def reset(self, batch):
        for m in self.modules():
            if isinstance(m, StreamConv1d):
                m.reset(batch)

    def chunk_step(self, c):
        h = self.inp(c)
        for b in self.blocks:
            h = b(h)
        return self.out(h)

    def forward(self, wav):
        self.reset(len(wav))
        return torch.cat([self.chunk_step(c) for c in wav.split(self.chunk, dim=-1)], -1)


def si_sdr(est, ref, eps=1e-8):
    ref = ref - ref.mean(-1, keepdim=True)
    est = est - est.mean(-1, keepdim=True)
    proj = (est * ref).sum(-1, keepdim=True) / (ref.pow(2).sum(-1, keepdim=True) + eps) * ref
    noise = est - proj
    return 10 * torch.log10((proj.pow(2).sum(-1) + eps) / (noise.pow(2).sum(-1) + eps))


def tones(batch, n):
    t = torch.arange(n) / 64
    f = 1 + 6 * torch.rand(batch, 1)
    return torch.sin(2 * torch.pi * f * t)[:, None]


# --- driver ---
torch.manual_seed(0)
net = StreamingDenoiser()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(3):
    clean = tones(3, 64)
    est = net(clean + 0.3 * torch.randn_like(clean))
    loss = F.l1_loss(est, clean) - 0.01 * si_sdr(est, clean).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
