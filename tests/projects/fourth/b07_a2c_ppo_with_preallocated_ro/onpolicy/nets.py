import torch
import torch.nn as nn


def ortho(layer, gain=1.0):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, actions, width=20):
        super().__init__()
        self.trunk = nn.Sequential(ortho(nn.Linear(obs_dim, width)), nn.Tanh())
        self.pi = ortho(nn.Linear(width, actions), 0.01)
        self.vf = ortho(nn.Linear(width, 1))

    def forward(self, obs):
        h = self.trunk(obs)
        return torch.distributions.Categorical(logits=self.pi(h)), self.vf(h).squeeze(-1)
