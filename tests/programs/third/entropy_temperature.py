"""Soft policy improvement with an automatically tuned temperature."""
import math
import torch
from torch import nn
from torch.distributions import Normal


class SquashedGaussian(nn.Module):
    LOG_MIN, LOG_MAX = -5, 2

    def __init__(self, obs, act, hidden=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, act)
        self.log_std = nn.Linear(hidden, act)

    def forward(self, obs):
        h = self.trunk(obs)
        std = self.log_std(h).clamp(self.LOG_MIN, self.LOG_MAX).exp()
        u = Normal(self.mu(h), std).rsample()
        a = torch.tanh(u)
        logp = Normal(self.mu(h), std).log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)
        return a, logp.sum(-1)


class Twin(nn.Module):
    def __init__(self, obs, act, hidden=16):
        super().__init__()
        build = lambda: nn.Sequential(nn.Linear(obs + act, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.q1, self.q2 = build(), build()

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return torch.min(self.q1(x), self.q2(x)).squeeze(-1)


class Temperature:
    def __init__(self, act_dim, init=0.2, lr=3e-4):
        self.log_alpha = torch.tensor(math.log(init), requires_grad=True)
        self.value = self.log_alpha.detach().exp()
        self.target = -float(act_dim)
        self.opt = torch.optim.Adam([self.log_alpha], lr=lr)

    def update(self, logp):
        loss = -(self.log_alpha * (logp.detach() + self.target)).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        torch.exp(self.log_alpha.detach(), out=self.value)  # BUG
        return loss.item()


class Agent:
    def __init__(self, obs, act, lr=3e-4):
        self.pi, self.q = SquashedGaussian(obs, act), Twin(obs, act)
        self.temp = Temperature(act)
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), lr=lr)
        for p in self.q.parameters():
            p.requires_grad_(False)

    def improve(self, obs):
        act, logp = self.pi(obs)
        pi_loss = (self.temp.value * logp - self.q(obs, act)).mean()
        info = {"alpha_loss": self.temp.update(logp), "alpha": self.temp.value.item()}
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        info["pi_loss"] = pi_loss.item()
        return info


# --- driver ---
torch.manual_seed(24)
agent = Agent(4, 2)
for _ in range(2):
    agent.improve(torch.randn(5, 4))
