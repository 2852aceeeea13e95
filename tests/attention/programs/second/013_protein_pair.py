"""Row-wise gated self-attention over an MSA with a pair bias."""
import math

import torch
import torch.nn as nn


class RowAttentionWithPairBias(nn.Module):
    def __init__(self, c_m, c_z, c_hidden, no_heads, inf=1e9):
        super().__init__()
        self.c_hidden = c_hidden
        self.no_heads = no_heads
        self.inf = inf
        self.layer_norm_m = nn.LayerNorm(c_m)
        self.layer_norm_z = nn.LayerNorm(c_z)
        self.linear_z = nn.Linear(c_z, no_heads, bias=False)
        self.linear_q = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_k = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_v = nn.Linear(c_m, c_hidden * no_heads, bias=False)
        self.linear_g = nn.Linear(c_m, c_hidden * no_heads)
        self.linear_o = nn.Linear(c_hidden * no_heads, c_m)

    def _prep_qkv(self, m):
        shape = m.shape[:-1] + (self.no_heads, -1)
        q = self.linear_q(m).view(shape)
        k = self.linear_k(m).view(shape)
        v = self.linear_v(m).view(shape)
        q = q / math.sqrt(self.c_hidden)
        return q, k, v

    def _biases(self, m, z, mask):
        if mask is None:
            mask = m.new_ones(m.shape[:-1])
        # [*, S, 1, 1, N]
        mask_bias = (self.inf * (mask - 1))[..., :, None, None, :]
        pair = self.linear_z(self.layer_norm_z(z)).permute(0, 3, 1, 2)
        return [mask_bias, pair.unsqueeze(-4)]

    def forward(self, m, z, mask=None):
        m = self.layer_norm_m(m)
        biases = self._biases(m, z, mask)
        q, k, v = self._prep_qkv(m)
        # [*, S, H, Q, K]
        a = torch.einsum("...qhc,...khc->...hqk", q, k)
        for b in biases:
            a = a + b
        a = torch.softmax(a, dim=-1)  # ATTN
        o = torch.einsum("...hqk,...khc->...qhc", a, v)
        g = torch.sigmoid(self.linear_g(m)).view(o.shape)
        o = (o * g).flatten(-2)
        return self.linear_o(o)


class MiniEvoformer(nn.Module):
    def __init__(self, c_m=14, c_z=6, depth=2):
        super().__init__()
        self.rows = nn.ModuleList(RowAttentionWithPairBias(c_m, c_z, 5, 3) for _ in range(depth))
        self.opm_l = nn.Linear(c_m, 3)
        self.opm_o = nn.Linear(9, c_z)

    def forward(self, m, z, mask=None):
        for row in self.rows:
            m = m + row(m, z, mask)
            a = self.opm_l(m)
            outer = torch.einsum("bsic,bsjd->bijcd", a, a) / m.shape[1]
            z = z + self.opm_o(outer.flatten(-2))
        return m, z


# --- driver ---
torch.manual_seed(13)
evo = MiniEvoformer().double().eval()
RESULTS = []
for S, N, masked in ((3, 7, False), (2, 9, True)):
    m = torch.randn(2, S, N, 14, dtype=torch.float64, requires_grad=True)
    z = torch.randn(2, N, N, 6, dtype=torch.float64, requires_grad=True)
    mask = None
    if masked:
        mask = torch.ones(2, S, N, dtype=torch.float64)
        mask[0, :, -2:] = 0
    evo.zero_grad()
    mo, zo = evo(m, z, mask)
    (mo.tanh().sum() + zo.sin().sum()).backward()
    RESULTS += [mo.detach(), zo.detach(), m.grad, z.grad]
    RESULTS += [p.grad.clone() for p in evo.parameters()]
