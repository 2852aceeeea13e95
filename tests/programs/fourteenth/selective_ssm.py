"""A diagonal selective state space layer run as a plain recurrence."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RecurrentState:
    """Holds h of shape (batch, channels, n) and advances it one step."""

    def __init__(self, batch, channels, n, like):
        self.h = torch.zeros(batch, channels, n, dtype=like.dtype, device=like.device)

    def advance(self, decay, drive):
        self.h.mul_(decay).add_(drive)  # BUG
        return self.h


class SelectiveSSM(nn.Module):
    def __init__(self, channels, n_state=4, dt_rank=2):
        super().__init__()
        self.channels, self.n_state, self.dt_rank = channels, n_state, dt_rank
        a = torch.arange(1, n_state + 1, dtype=torch.float32).repeat(channels, 1)
        self.a_log = nn.Parameter(a.log())
        self.skip = nn.Parameter(torch.ones(channels))
        self.to_params = nn.Linear(channels, dt_rank + 2 * n_state, bias=False)
        self.dt_proj = nn.Linear(dt_rank, channels)
        with torch.no_grad():
            dt = torch.exp(torch.rand(channels) * (math.log(0.1) - math.log(0.001)) + math.log(0.001))
            self.dt_proj.bias.copy_(dt + torch.log(-torch.expm1(-dt)))

    def discretise(self, u):
        dt, b, c = self.to_params(u).split([self.dt_rank, self.n_state, self.n_state], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        decay = torch.exp(dt.unsqueeze(-1) * -self.a_log.exp())
        drive = (dt * u).unsqueeze(-1) * b.unsqueeze(2)
        return decay, drive, c

    def forward(self, u):
        batch, length, _ = u.shape
        decay, drive, c = self.discretise(u)
        state = RecurrentState(batch, self.channels, self.n_state, u)
        ys = []
        for t in range(length):
            h = state.advance(decay[:, t], drive[:, t])
            ys.append(torch.einsum("bcn,bn->bc", h, c[:, t]))
        return torch.stack(ys, dim=1) + u * self.skip


class MambaLikeBlock(nn.Module):
    def __init__(self, d_model, expand=2):
        super().__init__()
        inner = d_model * expand
        self.norm = nn.LayerNorm(d_model)
        self.in_proj = nn.Linear(d_model, 2 * inner)
        self.conv = nn.Conv1d(inner, inner, 3, padding=2, groups=inner)
        self.ssm = SelectiveSSM(inner)
        self.out_proj = nn.Linear(inner, d_model)

    def forward(self, x):
        value, gate = self.in_proj(self.norm(x)).chunk(2, dim=-1)
        value = self.conv(value.transpose(1, 2))[..., : x.size(1)].transpose(1, 2)
        return x + self.out_proj(self.ssm(F.silu(value)) * F.silu(gate))


class ByteLM(nn.Module):
    def __init__(self, vocab=32, d_model=16, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.layers = nn.ModuleList([MambaLikeBlock(d_model) for _ in range(layers)])
        self.head = nn.Linear(d_model, vocab, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def lm_loss(model, ids):
    logits = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


# --- driver ---
torch.manual_seed(0)
lm = ByteLM()
optim = torch.optim.Adam(lm.parameters(), lr=3e-3)
for _ in range(3):
    loss = lm_loss(lm, torch.randint(0, 32, (4, 10)))
    optim.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
    optim.step()
