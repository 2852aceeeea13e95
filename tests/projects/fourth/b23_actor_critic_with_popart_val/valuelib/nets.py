import torch
import torch.nn as nn

from .normalizers import NORMALIZERS


class ActorCriticNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(cfg["obs_dim"], cfg["hidden"]), nn.Tanh())
        self.pi = nn.Linear(cfg["hidden"], cfg["n_actions"])
        self.v = NORMALIZERS[cfg["normalizer"]](cfg["hidden"], cfg["beta"])
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.orthogonal_(p)

    def forward(self, obs):
        h = self.body(obs)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h)
