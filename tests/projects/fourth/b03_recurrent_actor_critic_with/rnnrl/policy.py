import torch
import torch.nn as nn
from torch.distributions import Categorical


class GateCell(nn.Module):
    """Minimal gated unit."""

    def __init__(self, d_in, d_h):
        super().__init__()
        self.gate = nn.Linear(d_in + d_h, d_h)
        self.cand = nn.Linear(d_in + d_h, d_h)

    def forward(self, x, h):
        xh = torch.cat([x, h], -1)
        z = torch.sigmoid(self.gate(xh))
        return z * h + (1 - z) * torch.tanh(self.cand(xh))


class RecurrentPolicy(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.act_emb = nn.Embedding(cfg.n_actions, 4)
        self.cell = GateCell(cfg.obs_dim + 4, cfg.hidden)
        self.pi = nn.Linear(cfg.hidden, cfg.n_actions)
        self.v = nn.Linear(cfg.hidden, 1)

    def forward(self, obs, carry):
        x = torch.cat([obs, self.act_emb(carry.prev_action)], -1)
        h = self.cell(x, carry.h)
        dist = Categorical(logits=self.pi(h))
        action = dist.sample()
        step = {
            "logp": dist.log_prob(action),
            "entropy": dist.entropy(),
            "value": self.v(h).squeeze(-1),
        }
        return action, step, carry.replace(h=h, prev_action=action.clone())
