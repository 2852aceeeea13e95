"""Confidence-weighted temporal attention for sensor streams with unreliable samples."""
import torch
import torch.nn.functional as F
from torch import nn


class ReliabilityAttention(nn.Module):
    def __init__(self, dim, heads, drop=0.1, eps=1e-6):
        super().__init__()
        self.heads = heads
        self.eps = eps
        self.drop = drop
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, conf=None):
        """conf: (B, N) in [0, 1]; how far each sample is to be trusted."""
        B, N, C = x.shape
        d = C // self.heads
        q = self.q(x).reshape(B, N, self.heads, d).transpose(1, 2)
        k, v = self.kv(x).reshape(B, N, 2, self.heads, d).permute(2, 0, 3, 1, 4)
        logits = q @ k.transpose(-2, -1) / d ** 0.5
        w = logits.softmax(dim=-1)  # NOT
        if conf is not None:
            gate = conf[:, None, None, :].expand_as(w)
            w = w * gate
            w = w / (w.sum(-1, keepdim=True) + self.eps)
        else:
            # mild top-heavy sharpening where no confidence is given
            w = w.pow(1.5)
            w = w / (w.sum(-1, keepdim=True) + self.eps)
        w = F.dropout(w, self.drop, self.training)
        out = (w @ v).transpose(1, 2).reshape(B, N, C)
        return self.o(out)


class SensorNet(nn.Module):
    def __init__(self, channels=5, dim=16, heads=4, depth=2):
        super().__init__()
        self.embed = nn.Conv1d(channels, dim, 5, padding=2)
        self.blocks = nn.ModuleList(ReliabilityAttention(dim, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 2)

    def forward(self, sig, conf=None):
        h = self.embed(sig).transpose(1, 2)
        for n, b in zip(self.norms, self.blocks):
            h = h + b(n(h), conf)
        return self.head(h)


# --- driver ---
torch.manual_seed(41)
net = SensorNet().double().eval()
RESULTS = []
for n, use_conf in ((12, True), (9, False)):
    net.zero_grad()
    sig = torch.randn(2, 5, n, dtype=torch.float64, requires_grad=True)
    conf = torch.rand(2, n, dtype=torch.float64) if use_conf else None
    if use_conf:
        conf[0, 3:5] = 0
    out = net(sig, conf)
    F.softplus(out, beta=2).sum().backward()
    RESULTS += [out.detach(), sig.grad]
    RESULTS += [p.grad.clone() for p in net.parameters()]
