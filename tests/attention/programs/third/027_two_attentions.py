"""DETR-like decoder layer with two attentions written out separately, in different styles."""
import math

import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x).relu() if i < len(self.layers) - 1 else layer(x)
        return x


class DecoderLayer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.d, self.h, self.dh = d, h, d // h
        # self attention
        self.sa_q, self.sa_k, self.sa_v, self.sa_o = (nn.Linear(d, d) for _ in range(4))
        # cross attention: content and position are projected separately and concatenated (conditional DETR)
        self.ca_qc, self.ca_qp = nn.Linear(d, d), nn.Linear(d, d)
        self.ca_kc, self.ca_kp = nn.Linear(d, d), nn.Linear(d, d)
        self.ca_v, self.ca_o = nn.Linear(d, d), nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def self_attention(self, x, pos):
        n, b, _ = x.shape
        q = self.sa_q(x + pos).reshape(n, b * self.h, self.dh).permute(1, 0, 2)
        k = self.sa_k(x + pos).reshape(n, b * self.h, self.dh).permute(1, 2, 0)
        v = self.sa_v(x).reshape(n, b * self.h, self.dh).permute(1, 0, 2)
        a = torch.softmax(torch.bmm(q, k) / math.sqrt(self.dh), dim=-1)  # ATTN
        return self.sa_o(torch.bmm(a, v).permute(1, 0, 2).reshape(n, b, self.d))

    def cross_attention(self, x, qpos, mem, mpos, pad):
        split = lambda t: t.view(t.shape[0], t.shape[1], self.h, self.dh)
        q = torch.cat([split(self.ca_qc(x)), split(self.ca_qp(qpos))], dim=-1)  # n b h 2d
        k = torch.cat([split(self.ca_kc(mem)), split(self.ca_kp(mpos))], dim=-1)  # m b h 2d
        v = split(self.ca_v(mem))
        s = torch.einsum("nbhd,mbhd->bhnm", q, k) * (2 * self.dh) ** -0.5
        s[pad[:, None, None, :].expand_as(s)] = float("-inf")
        s = s - s.max(dim=-1, keepdim=True)[0]
        w = s.softmax(dim=-1)
        o = torch.einsum("bhnm,mbhd->nbhd", w, v)
        return self.ca_o(o.flatten(2))

    def forward(self, x, qpos, mem, mpos, pad):
        x = self.n1(x + self.self_attention(x, qpos))
        return self.n2(x + self.cross_attention(x, qpos, mem, mpos, pad))


class Detector(nn.Module):
    def __init__(self, d=16, h=2, queries=4, layers=2):
        super().__init__()
        self.query_embed = nn.Embedding(queries, d)
        self.tgt = nn.Parameter(torch.randn(queries, 1, d))
        self.layers = nn.ModuleList(DecoderLayer(d, h) for _ in range(layers))
        self.bbox = MLP(d, d, 4)

    def forward(self, mem, mpos, pad):
        qpos = self.query_embed.weight.unsqueeze(1).repeat(1, mem.size(1), 1)
        x = self.tgt.expand_as(qpos)
        for layer in self.layers:
            x = layer(x, qpos, mem, mpos, pad)
        return self.bbox(x).sigmoid()


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Detector().eval()
    mem = torch.randn(6, 2, 16, requires_grad=True)
    mpos = torch.randn(6, 2, 16)
    pad = torch.zeros(2, 6, dtype=torch.bool)
    pad[0, 4:] = True
    boxes = net(mem, mpos, pad)
    (boxes - 0.3).abs().sum().backward()
    return [boxes, mem.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
