import torch
import torch.nn as nn
import torch.nn.functional as F


class KeepLargest(nn.Module):
    """Each query mixes only its ``k`` strongest matches."""

    def __init__(self, dim, heads=2, k=3):
        super().__init__()
        self.heads, self.k = heads, k
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def split(self, x):
        b, n, c = x.shape
        return x.view(b, n, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(memory)), self.split(self.v_proj(memory))
        dots = torch.matmul(q, k.transpose(-2, -1)) * (q.shape[-1] ** -0.5)
        if mask is not None:
            dots = dots.masked_fill(~mask[:, None, None], -1e9)
        attn = F.softmax(dots, dim=-1)  # NOT
        kth = attn.topk(min(self.k, attn.shape[-1]), dim=-1).values[..., -1:]
        attn = torch.where(attn >= kth, attn, torch.zeros_like(attn))
        attn = attn / attn.sum(dim=-1, keepdim=True)
        out = torch.matmul(attn, v).transpose(1, 2).flatten(2)
        return self.o_proj(out)


class Restorer(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.inp = nn.Linear(4, dim)
        self.bank = nn.Parameter(torch.randn(10, dim))
        self.local = KeepLargest(dim, 2, k=3)
        self.lookup = KeepLargest(dim, 4, k=2)
        self.out = nn.Linear(dim, 4)

    def forward(self, x, mask=None):
        h = self.inp(x)
        h = h + self.local(h, h, mask)
        h = h + self.lookup(h, self.bank.expand(len(h), -1, -1))
        return x + self.out(F.gelu(h))


# --- driver ---
torch.manual_seed(37)
net = Restorer().double().eval()
RESULTS = []
for n, masked in ((8, False), (13, True)):
    net.zero_grad()
    x = torch.randn(2, n, 4, dtype=torch.float64, requires_grad=True)
    mask = (torch.arange(n)[None] < torch.tensor([[n], [n - 4]])) if masked else None
    y = net(x, mask)
    F.smooth_l1_loss(y, x.detach().flip(1), reduction="sum").backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in net.parameters()]
