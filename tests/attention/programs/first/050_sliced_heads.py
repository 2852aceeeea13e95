"""Trajectory forecaster: agents look at each other and at lane segments, head after head."""
import numpy as np
import torch
import torch.nn as nn


class HeadLoopAttention(nn.Module):
    def __init__(self, q_dim, kv_dim, hidden, num_heads):
        super().__init__()
        assert hidden % num_heads == 0
        self.num_heads = num_heads
        self.head_size = hidden // num_heads
        self.Wq = nn.Linear(q_dim, hidden)
        self.Wk = nn.Linear(kv_dim, hidden)
        self.Wv = nn.Linear(kv_dim, hidden)
        self.Wo = nn.Linear(hidden, q_dim)
        self.last_maps = None

    def forward(self, query, source, blocked=None):
        Q, K, V = self.Wq(query), self.Wk(source), self.Wv(source)
        results, maps = [], []
        for i in range(self.num_heads):
            lo, hi = i * self.head_size, (i + 1) * self.head_size
            qi, ki, vi = Q[:, :, lo:hi], K[:, :, lo:hi], V[:, :, lo:hi]
            logit = torch.matmul(qi, ki.transpose(1, 2)) / np.sqrt(self.head_size)
            if blocked is not None:
                logit = logit + blocked * -1e9
            prob = torch.softmax(logit, dim=2)  # ATTN
            if not self.training:
                maps.append(prob.detach())
            results.append(torch.matmul(prob, vi))
        if maps:
            self.last_maps = torch.stack(maps, dim=1)
        return self.Wo(torch.cat(results, dim=2))


class SubGraph(nn.Module):
    """Polyline encoder with max pooling."""

    def __init__(self, inp, hid):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(inp, hid), nn.LayerNorm(hid), nn.ReLU(), nn.Linear(hid, hid))

    def forward(self, pts):
        return self.mlp(pts).amax(dim=-2)


class Forecaster(nn.Module):
    def __init__(self, hid=16, heads=2, horizon=4):
        super().__init__()
        self.agents = SubGraph(4, hid)
        self.lanes = SubGraph(2, 12)
        self.a2l = HeadLoopAttention(hid, 12, 10, heads)
        self.a2a = HeadLoopAttention(hid, hid, hid, heads)
        self.horizon = horizon
        self.out = nn.Linear(hid, horizon * 2)

    def forward(self, tracks, lanes, missing=None):
        a, l = self.agents(tracks), self.lanes(lanes)
        a = a + self.a2l(a, l)
        blocked = missing.unsqueeze(1).to(a.dtype) if missing is not None else None
        a = a + self.a2a(a, a, blocked)
        return self.out(a).unflatten(-1, (self.horizon, 2)).cumsum(dim=-2)


# --- driver ---
torch.manual_seed(50)
net = Forecaster().double().eval()
RESULTS = []
for n, m, absent in ((5, 9, None), (7, 6, 2)):
    net.zero_grad()
    tracks = torch.randn(2, n, 8, 4, dtype=torch.float64, requires_grad=True)
    lanes = torch.randn(2, m, 10, 2, dtype=torch.float64, requires_grad=True)
    missing = None
    if absent:
        missing = torch.zeros(2, n, dtype=torch.bool)
        missing[1, -absent:] = True
    traj = net(tracks, lanes, missing)
    traj.pow(2).add(1).sqrt().sum().backward()
    RESULTS += [traj.detach(), tracks.grad, lanes.grad, *(p.grad.clone() for p in net.parameters())]
