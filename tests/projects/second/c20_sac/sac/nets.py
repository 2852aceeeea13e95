import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(o, 16), nn.ReLU(inplace=True), nn.Linear(16, 2 * a))

    def forward(self, o):
        mu, ls = self.net(o).chunk(2, -1)
        ls = torch.tanh(ls)
        ls = -5 + 3.5 * (ls + 1)
        d = torch.distributions.Normal(mu, ls.exp())
        u = d.rsample()
        a = torch.tanh(u)
        logp = d.log_prob(u).sum(-1)
        logp -= (1 - a.pow(2) + 1e-6).log_().sum(-1)
        return a, logp


class Critic(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.q1, self.q2 = (
            nn.Sequential(nn.Linear(o + a, 16), nn.ReLU(inplace=True), nn.Linear(16, 1)) for _ in range(2)
        )

    def forward(self, o, a):
        x = torch.cat([o, a], -1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)
