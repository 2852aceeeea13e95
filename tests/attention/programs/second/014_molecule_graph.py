import torch
import torch.nn as nn
import torch.nn.functional as F

MAX_DIST = 8


def shortest_paths(adj):
    """Floyd-Warshall on a dense 0/1 adjacency, clipped at MAX_DIST."""
    n = adj.shape[-1]
    d = torch.where(adj > 0, torch.ones_like(adj), torch.full_like(adj, float(MAX_DIST)))
    d = d * (1 - torch.eye(n, dtype=adj.dtype))
    for k in range(n):
        d = torch.minimum(d, d[..., :, k:k + 1] + d[..., k:k + 1, :])
    return d.clamp(max=MAX_DIST).long()


class GraphBias(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.spatial = nn.Embedding(MAX_DIST + 1, heads)
        self.edge = nn.Embedding(4, heads, padding_idx=0)

    def forward(self, dist, bond):
        return (self.spatial(dist) + self.edge(bond)).permute(0, 3, 1, 2)


class AtomAttention(nn.Module):
    def __init__(self, hidden_size, dropout, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.att_size = att_size = hidden_size // num_heads
        self.scale = att_size ** -0.5
        self.linear_q = nn.Linear(hidden_size, num_heads * att_size)
        self.linear_k = nn.Linear(hidden_size, num_heads * att_size)
        self.linear_v = nn.Linear(hidden_size, num_heads * att_size)
        self.att_dropout = nn.Dropout(dropout)
        self.output_layer = nn.Linear(num_heads * att_size, hidden_size)

    def forward(self, q, k, v, attn_bias=None, pad=None):
        orig_q_size = q.size()
        d_k = d_v = self.att_size
        batch_size = q.size(0)
        q = self.linear_q(q).view(batch_size, -1, self.num_heads, d_k)
        k = self.linear_k(k).view(batch_size, -1, self.num_heads, d_k)
        v = self.linear_v(v).view(batch_size, -1, self.num_heads, d_v)
        q = q.transpose(1, 2)                  # [b, h, q_len, d_k]
        v = v.transpose(1, 2)                  # [b, h, v_len, d_v]
        k = k.transpose(1, 2).transpose(2, 3)  # [b, h, d_k, k_len]

        q = q * self.scale
        x = torch.matmul(q, k)
        if attn_bias is not None:
            x = x + attn_bias
        if pad is not None:
            x = x.masked_fill(pad[:, None, None, :], torch.finfo(x.dtype).min)
        x = torch.softmax(x, dim=3)  # ATTN
        x = self.att_dropout(x)
        x = x.matmul(v)
        x = x.transpose(1, 2).contiguous().view(batch_size, -1, self.num_heads * d_v)
        x = self.output_layer(x)
        assert x.size() == orig_q_size
        return x


class MolEncoder(nn.Module):
    def __init__(self, atoms=10, hid=16, heads=4):
        super().__init__()
        self.emb = nn.Embedding(atoms, hid)
        self.bias = GraphBias(heads)
        self.norm = nn.LayerNorm(hid)
        self.attn = AtomAttention(hid, 0.1, heads)
        self.readout = nn.Linear(hid, 1)

    def forward(self, z, bond, pad=None):
        dist = shortest_paths((bond > 0).to(self.readout.weight.dtype))
        x = self.emb(z)
        h = self.norm(x)
        x = x + self.attn(h, h, h, attn_bias=self.bias(dist, bond), pad=pad)
        return self.readout(F.silu(x)).squeeze(-1)


# --- driver ---
torch.manual_seed(14)
mol = MolEncoder().eval().double()
RESULTS = []
for n, with_pad in ((8, False), (11, True)):
    z = torch.randint(0, 10, (2, n))
    b = torch.randint(0, 4, (2, n, n)) * (torch.rand(2, n, n) < 0.3)
    b = torch.triu(b, 1)
    b = b + b.transpose(1, 2)
    pad = (torch.arange(n) >= torch.tensor([[n], [n - 4]])) if with_pad else None
    mol.zero_grad()
    e = mol(z, b, pad)
    e.square().sum().backward()
    RESULTS.append(e.detach())
    RESULTS += [p.grad.clone() for p in mol.parameters()]
