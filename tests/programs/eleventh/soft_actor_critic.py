"""Soft actor-critic with twin critics and a learned temperature on a point-mass task."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(*dims):
    layers = []
    for i, o in zip(dims, dims[1:]):
        layers += [nn.Linear(i, o), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class SquashedGaussian(nn.Module):
    def __init__(self, obs, act, width=32):
        super().__init__()
        self.net = mlp(obs, width, width, 2 * act)

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, -1)
        std = log_std.clamp(-5, 1).exp()
        u = mu + std * torch.randn_like(mu)
        logp = -0.5 * ((u - mu) / std) ** 2 - std.log() - 0.5 * math.log(2 * math.pi)
        logp = logp - 2 * (math.log(2) - u - F.softplus(-2 * u))
        return torch.tanh(u), logp.sum(-1)


class Twin(nn.Module):
    def __init__(self, obs, act, width=32):
        super().__init__()
        self.a, self.b = mlp(obs + act, width, width, 1), mlp(obs + act, width, width, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return self.a(x).squeeze(-1), self.b(x).squeeze(-1)

    def low(self, obs, act):
        return torch.min(*self(obs, act))


class Replay:
    def __init__(self, size, obs, act):
        self.o, self.o2 = torch.zeros(size, obs), torch.zeros(size, obs)
        self.a, self.r, self.n = torch.zeros(size, act), torch.zeros(size), 0

    def push(self, o, a, r, o2):
        i = self.n % len(self.r)
        self.o[i], self.a[i], self.r[i], self.o2[i] = o, a, r, o2
        self.n += 1

    def sample(self, k):
        i = torch.randint(0, min(self.n, len(self.r)), (k,))
        return self.o[i], self.a[i], self.r[i], self.o2[i]


class SAC:
    def __init__(self, obs, act, gamma=0.97, tau=0.01, lr=1e-3):
        self.pi, self.q, self.target = SquashedGaussian(obs, act), Twin(obs, act), Twin(obs, act)
        self.target.load_state_dict(self.q.state_dict())
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.goal, self.gamma, self.tau = -float(act), gamma, tau
        self.q_opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.pi_opt = torch.optim.Adam([*self.pi.parameters(), self.log_alpha], lr=lr)

    def critic_loss(self, o, a, r, o2):
        with torch.no_grad():
            a2, logp2 = self.pi(o2)
            y = r + self.gamma * (self.target.low(o2, a2) - self.log_alpha.exp() * logp2)
        return sum(F.mse_loss(q, y) for q in self.q(o, a))

    def actor_loss(self, o):
        a, logp = self.pi(o)
        alpha = self.log_alpha.exp()
        gain = (alpha.detach() * logp - self.q.low(o, a)).mean()
        return gain - (alpha * (logp.detach() + self.goal)).mean()

    def update(self, batch):
        losses = {"q": self.critic_loss(*batch), "pi": self.actor_loss(batch[0])}
        for name, opt in (("q", self.q_opt), ("pi", self.pi_opt)):
            opt.zero_grad()
            losses[name].backward()
            opt.step()  # BUG
        with torch.no_grad():
            for t, p in zip(self.target.parameters(), self.q.parameters()):
                t.lerp_(p, self.tau)
        return {k: v.item() for k, v in losses.items()}


# --- driver ---
torch.manual_seed(0)
agent, replay = SAC(2, 1), Replay(200, 2, 1)
obs = torch.randn(2)
for _ in range(40):
    act = agent.pi(obs[None])[0][0].detach()
    nxt = torch.stack([obs[0] + 0.1 * obs[1], obs[1] + 0.1 * act[0]])
    replay.push(obs, act, -nxt.norm(), nxt)
    obs = nxt
for _ in range(3):
    agent.update(replay.sample(16))
