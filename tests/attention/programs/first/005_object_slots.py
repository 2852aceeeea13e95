"""Iterative object-centric grouping of input features."""
import torch
import torch.nn.functional as F
from torch import nn


class SlotGrouping(nn.Module):
    def __init__(self, num_slots, dim, iters=3, eps=1e-8, hidden_dim=64):
        super().__init__()
        self.num_slots = num_slots
        self.iters = iters
        self.eps = eps
        self.scale = dim ** -0.5

        self.slots_mu = nn.Parameter(torch.randn(1, num_slots, dim))
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.gru = nn.GRUCell(dim, dim)
        hidden_dim = max(dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, hidden_dim),
            nn.ReLU(inplace=True),
            nn.Linear(hidden_dim, dim),
        )
        self.norm_input = nn.LayerNorm(dim)
        self.norm_slots = nn.LayerNorm(dim)
        self.norm_pre_ff = nn.LayerNorm(dim)

    def step(self, slots, k, v):
        b, n, d = slots.shape
        slots_prev = slots
        q = self.to_q(self.norm_slots(slots))
        dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
        attn = dots.softmax(dim=1) + self.eps  # NOT
        attn = attn / attn.sum(dim=-1, keepdim=True)
        updates = torch.einsum("bjd,bij->bid", v, attn)
        slots = self.gru(updates.reshape(-1, d), slots_prev.reshape(-1, d))
        slots = slots.reshape(b, -1, d)
        return slots + self.mlp(self.norm_pre_ff(slots))

    def forward(self, inputs):
        b = inputs.shape[0]
        slots = self.slots_mu.expand(b, -1, -1)
        inputs = self.norm_input(inputs)
        k, v = self.to_k(inputs), self.to_v(inputs)
        for _ in range(self.iters):
            slots = self.step(slots, k, v)
        return slots


class SetPredictor(nn.Module):
    def __init__(self, in_dim=10, dim=24, slots=5, n_props=6):
        super().__init__()
        self.embed = nn.Linear(in_dim, dim)
        self.group = SlotGrouping(slots, dim)
        self.head = nn.Linear(dim, n_props)

    def forward(self, feats):
        return self.head(self.group(F.relu(self.embed(feats))))


# --- driver ---
torch.manual_seed(5)
net = SetPredictor().eval().double()
RESULTS = []
for n in (17, 30):
    net.zero_grad()
    feats = torch.randn(2, n, 10, dtype=torch.float64, requires_grad=True)
    pred = net(feats)
    pred.sigmoid().pow(2).sum().backward()
    RESULTS.append(pred.detach())
    RESULTS.append(feats.grad)
    RESULTS.extend(p.grad.clone() for p in net.parameters())
