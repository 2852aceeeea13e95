"""Lookups in a memory with a fixed number of learned slots (external attention, MemAE)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def hard_shrink_relu(x, lambd=0.02, eps=1e-12):
    return F.relu(x - lambd) * x / ((x - lambd).abs() + eps)


class MemoryUnit(nn.Module):
    """MemAE: cosine-free addressing with hard shrinkage of the weights."""

    def __init__(self, slots, dim, shrink=0.02):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(slots, dim) * dim ** -0.5)
        self.shrink = shrink

    def forward(self, x):
        att = F.linear(x, self.weight)
        att = F.softmax(att, dim=-1)  # NOT
        if self.shrink > 0:
            att = hard_shrink_relu(att, self.shrink)
            att = F.normalize(att, p=1, dim=-1)
        return F.linear(att, self.weight.permute(1, 0))


class ExternalAttention(nn.Module):
    """Guo et al.: double normalisation over positions and slots."""

    def __init__(self, d_model, slots):
        super().__init__()
        self.mk = nn.Linear(d_model, slots, bias=False)
        self.mv = nn.Linear(slots, d_model, bias=False)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, queries):
        attn = self.mk(queries)
        attn = self.softmax(attn)
        attn = attn / torch.sum(attn, dim=2, keepdim=True)
        return self.mv(attn)


class KeyValueMemory(nn.Module):
    """Key-value memory network layer: the slots are parameters, not tokens."""

    def __init__(self, slots, dim):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(slots, dim))
        self.values = nn.Parameter(torch.randn(slots, dim))

    def forward(self, x):
        address = torch.softmax(x @ self.keys.t(), dim=-1)
        return x + address @ self.values


class MemAE(nn.Module):
    def __init__(self, dim=8, slots=6):
        super().__init__()
        self.enc = nn.Linear(5, dim)
        self.kv, self.ext, self.mem = KeyValueMemory(slots, dim), ExternalAttention(dim, slots), MemoryUnit(slots, dim)
        self.dec = nn.Linear(dim, 5)

    def forward(self, x):
        z = self.kv(self.enc(x))
        return self.dec(self.mem(z + self.ext(z)))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = MemAE().eval()
    x = torch.randn(2, 7, 5, requires_grad=True)
    y = net(x)
    F.mse_loss(y, x.detach()).backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
