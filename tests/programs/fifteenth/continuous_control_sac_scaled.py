"""Soft actor-critic variant with a value scale estimated from TD targets."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class TargetScale(nn.Module):
    def __init__(self, rate=0.05):
        super().__init__()
        self.rate = rate
        self.register_buffer("center", torch.zeros(1))
        self.register_buffer("spread", torch.ones(1))

    @torch.no_grad()
    def shift(self, target):
        self.center.lerp_(target.mean().view(1), self.rate)

    @torch.no_grad()
    def widen(self, target):
        self.spread.mul_(1 - self.rate).add_(self.rate * target.std()).clamp_(min=1e-3)

    def forward(self, q):
        return q * self.spread + self.center


def mlp(*sizes):
    mods = []
    for a, b in zip(sizes, sizes[1:]):
        mods += [nn.Linear(a, b), nn.ReLU(inplace=True)]
    return nn.Sequential(*mods[:-1])


class Policy(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp(obs, 32, 2 * act)

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, -1)
        std = log_std.clamp(-5, 1).exp()
        raw = mu + std * torch.randn_like(std)
        logp = (-0.5 * ((raw - mu) / std) ** 2 - std.log()).sum(-1)
        logp = logp - (2 * (0.6931 - raw - F.softplus(-2 * raw))).sum(-1)
        return torch.tanh(raw), logp


class Critic(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.heads = nn.ModuleList([mlp(obs + act, 32, 1) for _ in range(2)])
        self.scale = TargetScale()

    def forward(self, obs, act):
        x = torch.cat([obs, act], -1)
        return [self.scale(h(x)).squeeze(-1) for h in self.heads]


class SAC:
    def __init__(self, obs, act, gamma=0.95, tau=0.02, alpha=0.1):
        self.pi, self.q = Policy(obs, act), Critic(obs, act)
        self.q_targ = copy.deepcopy(self.q).requires_grad_(False)
        self.gamma, self.tau, self.alpha = gamma, tau, alpha
        self.opt_pi = torch.optim.Adam(self.pi.parameters(), 1e-3)
        self.opt_q = torch.optim.Adam(self.q.parameters(), 1e-3)

    @torch.no_grad()
    def target(self, rew, nxt):
        act, logp = self.pi(nxt)
        return rew + self.gamma * (torch.min(*self.q_targ(nxt, act)) - self.alpha * logp)

    @torch.no_grad()
    def polyak(self):
        pairs = zip(self.q_targ.state_dict().values(), self.q.state_dict().values())
        for t, s in pairs:
            t.lerp_(s, self.tau)

    def critic_step(self, obs, act, rew, nxt):
        y = self.target(rew, nxt)
        loss = sum(F.mse_loss(q, y) for q in self.q(obs, act))
        self.q.scale.shift(y)
        self.opt_q.zero_grad()
        loss.backward()
        self.opt_q.step()
        self.q.scale.widen(y)
        return loss.item()

    def actor_step(self, obs):
        act, logp = self.pi(obs)
        loss = (self.alpha * logp - torch.min(*self.q(obs, act))).mean()
        self.polyak()
        self.opt_pi.zero_grad()
        loss.backward()
        self.opt_pi.step()
        return loss.item()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    agent = SAC(5, 2)
    for i in range(3):
        o, a, n = torch.randn(16, 5), torch.rand(16, 2) * 2 - 1, torch.randn(16, 5)
        print(i, agent.critic_step(o, a, o.sum(1), n), agent.actor_step(o))
