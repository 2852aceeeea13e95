"""Long genomic windows: queries are visited block by block so that a full table is never held at once."""
import torch
from torch import nn


def one_hot_dna(seq):
    return torch.nn.functional.one_hot(seq, 4).to(torch.get_default_dtype())


class BlockwiseReader(nn.Module):
    def __init__(self, dim, heads, block=8):
        super().__init__()
        self.heads = heads
        self.block = block
        self.to_q = nn.Conv1d(dim, dim, 1, bias=False)
        self.to_kv = nn.Conv1d(dim, 2 * dim, 1, bias=False)
        self.to_out = nn.Conv1d(dim, dim, 1)
        self.decay = nn.Parameter(torch.linspace(0.01, 0.2, heads))

    def split(self, t):
        # b (h d) n -> b h n d
        b, _, n = t.shape
        return t.view(b, self.heads, -1, n).transpose(2, 3)

    def blocks(self, q, k, v, dist):
        scale = q.size(-1) ** -0.5
        for start in range(0, q.size(2), self.block):
            qb = q.narrow(2, start, min(self.block, q.size(2) - start))
            db = dist.narrow(1, start, qb.size(2))
            sim = torch.matmul(qb * scale, k.transpose(-1, -2)) - db
            yield torch.matmul(sim.softmax(dim=-1), v)  # ATTN

    def forward(self, x):
        n = x.size(-1)
        q = self.split(self.to_q(x))
        k, v = (self.split(t) for t in self.to_kv(x).chunk(2, dim=1))
        pos = torch.arange(n, dtype=x.dtype)
        dist = (pos[:, None] - pos[None, :]).abs() * self.decay.view(-1, 1, 1)
        out = torch.cat(list(self.blocks(q, k, v, dist)), dim=2)
        out = out.transpose(2, 3).reshape(x.shape)
        return self.to_out(out)


class ExpressionHead(nn.Module):
    def __init__(self, dim=12, heads=3, tracks=4, block=5):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(4, dim, 5, padding=2), nn.GELU(), nn.AvgPool1d(2))
        self.reader = BlockwiseReader(dim, heads, block)
        self.tracks = nn.Conv1d(dim, tracks, 1)

    def forward(self, dna):
        x = self.stem(dna.transpose(1, 2))
        x = x + self.reader(x)
        return torch.nn.functional.softplus(self.tracks(x)).transpose(1, 2)


def poisson_nll(rate, counts):
    return (rate - counts * torch.log(rate + 1e-8)).mean()


# --- driver ---
torch.manual_seed(44)
head = ExpressionHead().eval().double()
RESULTS = []
for n in (20, 34):
    dna = one_hot_dna(torch.randint(0, 4, (2, n))).double().requires_grad_()
    head.zero_grad()
    rate = head(dna)
    poisson_nll(rate, torch.full_like(rate, 2.0)).backward()
    RESULTS += [rate.detach(), dna.grad]
    for p in head.parameters():
        RESULTS.append(p.grad.clone())
