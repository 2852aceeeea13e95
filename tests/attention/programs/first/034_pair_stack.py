from typing import List, Optional

import torch
from torch import nn


def permute_final_dims(tensor: torch.Tensor, inds: List[int]):
    zero_index = -1 * len(inds)
    first_inds = list(range(len(tensor.shape[:zero_index])))
    return tensor.permute(first_inds + [zero_index + i for i in inds])


def _attention(query, key, value, biases: List[torch.Tensor]) -> torch.Tensor:
    # [*, H, C_hidden, K]
    key = permute_final_dims(key, [1, 0])
    # [*, H, Q, K]
    a = torch.matmul(query, key)
    for b in biases:
        a += b
    a = nn.functional.softmax(a, -1)  # ATTN
    # [*, H, Q, C_hidden]
    a = torch.matmul(a, value)
    return a


class GatedAttention(nn.Module):
    def __init__(self, c_q, c_k, c_v, c_hidden, no_heads, gating=True):
        super().__init__()
        self.c_hidden, self.no_heads = c_hidden, no_heads
        self.linear_q = nn.Linear(c_q, c_hidden * no_heads, bias=False)
        self.linear_k = nn.Linear(c_k, c_hidden * no_heads, bias=False)
        self.linear_v = nn.Linear(c_v, c_hidden * no_heads, bias=False)
        self.linear_o = nn.Linear(c_hidden * no_heads, c_q)
        self.linear_g = nn.Linear(c_q, c_hidden * no_heads) if gating else None

    def _prep_qkv(self, q_x, kv_x):
        q, k, v = self.linear_q(q_x), self.linear_k(kv_x), self.linear_v(kv_x)
        q = q.view(q.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        k = k.view(k.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        v = v.view(v.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        q = q / (self.c_hidden ** 0.5)
        return q, k, v

    def _wrap_up(self, o, q_x):
        if self.linear_g is not None:
            g = torch.sigmoid(self.linear_g(q_x))
            g = g.view(g.shape[:-1] + (self.no_heads, -1))
            o = o * g
        o = o.reshape(o.shape[:-2] + (-1,))
        return self.linear_o(o)

    def forward(self, q_x, kv_x, biases: Optional[List[torch.Tensor]] = None):
        if biases is None:
            biases = []
        q, k, v = self._prep_qkv(q_x, kv_x)
        o = _attention(q, k, v, biases).transpose(-2, -3)
        return self._wrap_up(o, q_x)


class TriangleAttention(nn.Module):
    def __init__(self, c_in, c_hidden, no_heads, starting=True, inf=1e9):
        super().__init__()
        self.starting, self.inf = starting, inf
        self.layer_norm = nn.LayerNorm(c_in)
        self.linear = nn.Linear(c_in, no_heads, bias=False)
        self.mha = GatedAttention(c_in, c_in, c_in, c_hidden, no_heads)

    def forward(self, x, mask=None):
        if mask is None:
            mask = x.new_ones(x.shape[:-1])
        if not self.starting:
            x, mask = x.transpose(-2, -3), mask.transpose(-1, -2)
        x = self.layer_norm(x)
        mask_bias = (self.inf * (mask - 1))[..., :, None, None, :]
        triangle_bias = permute_final_dims(self.linear(x), [2, 0, 1]).unsqueeze(-4)
        x = self.mha(x, x, biases=[mask_bias, triangle_bias])
        return x if self.starting else x.transpose(-2, -3)


# --- driver ---
torch.manual_seed(34)
net = nn.ModuleList([TriangleAttention(8, 4, 2), TriangleAttention(8, 4, 2, starting=False)]).double().eval()
RESULTS = []
for n, masked in ((6, False), (7, True)):
    net.zero_grad()
    z = torch.randn(2, n, n, 8, dtype=torch.float64, requires_grad=True)
    mask = None
    if masked:
        keep = (torch.arange(n) < torch.tensor([[n], [n - 2]])).double()
        mask = keep[:, :, None] * keep[:, None, :]
    h = z
    for layer in net:
        h = h + layer(h, mask)
    h.tanh().square().sum().backward()
    RESULTS += [h.detach(), z.grad] + [p.grad.clone() for p in net.parameters()]
