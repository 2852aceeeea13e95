"""Small selective state-space mixer with a byte level head."""
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MixerConfig:
    vocab: int = 32
    dim: int = 8
    state: int = 4
    layers: int = 2
    dt_min: float = 1e-3


class SelectiveSSM(nn.Module):
    def __init__(self, cfg: MixerConfig):
        super().__init__()
        self.cfg = cfg
        self.in_proj = nn.Linear(cfg.dim, 2 * cfg.dim)
        self.x_proj = nn.Linear(cfg.dim, 2 * cfg.state + 1)
        self.out_proj = nn.Linear(cfg.dim, cfg.dim)
        a = torch.arange(1, cfg.state + 1, dtype=torch.float32)
        self.A_log = nn.Parameter(torch.log(a).repeat(cfg.dim, 1))
        self.D = nn.Parameter(torch.ones(cfg.dim))

    def discretise(self, u):
        dt, B, C = self.x_proj(u).split([1, self.cfg.state, self.cfg.state], dim=-1)
        dt = F.softplus(dt) + self.cfg.dt_min
        dA = torch.exp(-dt.unsqueeze(-1) * torch.exp(self.A_log))
        dB = dt.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
        return dA, dB, C

    def scan(self, u):
        dA, dB, C = self.discretise(u)
        batch, length, dim = u.shape
        h = u.new_zeros(batch, dim, self.cfg.state)
        ys = []
        for t in range(length):
            h.mul_(dA[:, t]).add_(dB[:, t])  # BUG
            ys.append(torch.einsum("bdn,bn->bd", h, C[:, t]))
        return torch.stack(ys, dim=1) + self.D * u

    def forward(self, x):
        u, gate = self.in_proj(x).chunk(2, dim=-1)
        y = self.scan(F.silu(u))
        return self.out_proj(y * F.silu(gate))


class ByteMixer(nn.Module):
    def __init__(self, cfg: MixerConfig):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(SelectiveSSM(cfg) for _ in range(cfg.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(cfg.dim) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        for norm, block in zip(self.norms, self.blocks):
            x = x + block(norm(x))
        return self.head(x)


def next_byte_loss(model, tokens):
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


# --- driver ---
torch.manual_seed(0)
model = ByteMixer(MixerConfig())
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss = next_byte_loss(model, torch.randint(0, 32, (2, 9)))
opt.zero_grad()
loss.backward()
opt.step()
