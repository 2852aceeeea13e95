"""Two dates of the same scene exchange information through cosine similarity with a learned temperature."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class ContinuousPositionBias(nn.Module):
    def __init__(self, heads, hidden=16):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, heads, bias=False))

    def forward(self, h, w):
        dtype = self.mlp[0].weight.dtype
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        pts = torch.stack([ys, xs], -1).reshape(-1, 2).to(dtype)
        rel = pts[:, None] - pts[None]
        rel = torch.sign(rel) * torch.log2(rel.abs() + 1.0) / math.log2(8)
        return 16 * torch.sigmoid(self.mlp(rel)).permute(2, 0, 1)


class CosineExchange(nn.Module):
    MAX_LOG = math.log(1.0 / 0.01)

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((heads, 1, 1))))
        self.cpb = ContinuousPositionBias(heads)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, dim)

    @property
    def temperature(self):
        return torch.clamp(self.logit_scale, max=self.MAX_LOG).exp()

    def split(self, t):
        return t.view(*t.shape[:2], self.heads, -1).swapaxes(1, 2)

    def forward(self, src, ref, hw, cloudy=None):
        q, k, v = self.split(self.q(src)), self.split(self.k(ref)), self.split(self.v(ref))
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * self.temperature
        attn = attn + self.cpb(*hw).unsqueeze(0)
        if cloudy is not None:
            attn = attn.masked_fill(cloudy[:, None, None, :], -100.0)
        attn = attn.softmax(dim=-1)  # ATTN
        x = (attn @ v).swapaxes(1, 2).flatten(2)
        return self.proj(x)


class ChangeNet(nn.Module):
    def __init__(self, bands=4, dim=12, heads=3):
        super().__init__()
        self.embed = nn.Conv2d(bands, dim, 2, 2)
        self.exchange = CosineExchange(dim, heads)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Conv2d(dim, 1, 1)

    def forward(self, before, after, cloudy=None):
        fb, fa = self.embed(before), self.embed(after)
        b, c, h, w = fa.shape
        tb, ta = fb.flatten(2).mT, fa.flatten(2).mT
        diff = ta - self.norm(self.exchange(ta, tb, (h, w), cloudy))
        return self.head(diff.mT.reshape(b, c, h, w)).squeeze(1)


# --- driver ---
torch.manual_seed(50)
cd = ChangeNet().double().eval()
RESULTS = []
for H, W, clouds in ((6, 8, True), (10, 6, False)):
    t0 = torch.rand(2, 4, H, W, dtype=torch.float64, requires_grad=True)
    t1 = torch.rand(2, 4, H, W, dtype=torch.float64, requires_grad=True)
    cl = (torch.rand(2, H * W // 4) < 0.3) if clouds else None
    cd.zero_grad()
    out = cd(t0, t1, cl)
    F.softplus(out).square().sum().backward()
    RESULTS += [out.detach(), t0.grad, t1.grad] + [p.grad.clone() for p in cd.parameters()]
