import torch
from torch import nn


def permute_final_dims(t, inds):
    zero = -1 * len(inds)
    first = list(range(len(t.shape[:zero])))
    return t.permute(first + [zero + i for i in inds])


class MSARowAttentionWithPairBias(nn.Module):
    def __init__(self, c_m=16, c_z=8, c_hidden=6, no_heads=4, inf=1e9):
        super().__init__()
        self.c_hidden, self.no_heads, self.inf = c_hidden, no_heads, inf
        self.layer_norm_m = nn.LayerNorm(c_m)
        self.layer_norm_z = nn.LayerNorm(c_z)
        self.linear_z = nn.Linear(c_z, no_heads, bias=False)
        self.linear_q = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_k = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_v = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_g = nn.Linear(c_m, c_hidden * no_heads)
        self.linear_o = nn.Linear(c_hidden * no_heads, c_m)

    def _attention(self, query, key, value, biases):
        key = permute_final_dims(key, (1, 0))
        a = torch.matmul(query, key)
        for b in biases:
            a = a + b
        a = nn.functional.softmax(a, dim=-1)  # ATTN
        return torch.matmul(a, value)

    def forward(self, m, z, mask):
        # m: (B, S, N, c_m)  z: (B, N, N, c_z)  mask: (B, S, N)
        m = self.layer_norm_m(m)
        mask_bias = (self.inf * (mask - 1))[..., :, None, None, :]
        pair_bias = permute_final_dims(self.linear_z(self.layer_norm_z(z)), (2, 0, 1)).unsqueeze(-4)

        q, k, v = self.linear_q(m), self.linear_k(m), self.linear_v(m)
        q = q.view(q.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        k = k.view(k.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        v = v.view(v.shape[:-1] + (self.no_heads, -1)).transpose(-2, -3)
        q = q / (self.c_hidden ** 0.5)

        o = self._attention(q, k, v, [mask_bias, pair_bias]).transpose(-2, -3)
        g = torch.sigmoid(self.linear_g(m))
        g = g.view(g.shape[:-1] + (self.no_heads, -1))
        o = (o * g).reshape(*o.shape[:-2], -1)
        return self.linear_o(o)


def make():
    torch.manual_seed(19)
    net = MSARowAttentionWithPairBias().eval()
    m = torch.randn(2, 3, 5, 16, requires_grad=True)
    z = torch.randn(2, 5, 5, 8, requires_grad=True)
    mask = torch.ones(2, 3, 5)
    mask[:, 2, 3:] = 0.0
    return net, (m, z, mask)
