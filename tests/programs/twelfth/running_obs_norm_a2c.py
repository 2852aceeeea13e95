"""Recurrent-free A2C whose observation scaler lives inside the policy."""
import torch
import torch.nn as nn
from torch.distributions import Categorical


class RunningScaler(nn.Module):
    """Whitens observations with moving statistics, then applies a learned affine map."""

    def __init__(self, dim, momentum=0.05, eps=1e-4):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("scale", torch.ones(dim))
        self.gain = nn.Parameter(torch.ones(dim))

    @torch.no_grad()
    def observe(self, x):
        self.mean.lerp_(x.mean(0), self.momentum)
        inv = (x.var(0) + self.eps).rsqrt()
        self.scale.lerp_(inv, self.momentum)  # BUG

    def forward(self, x):
        if self.training:
            self.observe(x)
        return (x - self.mean) * (self.gain * self.scale)


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.scaler = RunningScaler(obs)
        self.trunk = nn.Sequential(nn.Linear(obs, 24), nn.Tanh())
        self.actor = nn.Linear(24, actions)
        self.critic = nn.Linear(24, 1)

    def forward(self, obs):
        h = self.trunk(self.scaler(obs))
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class ChainEnv:
    """n parallel noisy chains; action 1 goes right, the reward waits at the end."""

    def __init__(self, n, length=6):
        self.pos = torch.zeros(n)
        self.length = length

    def obs(self):
        base = torch.stack([self.pos, self.length - self.pos, self.pos**2 / self.length], 1)
        return base + 0.1 * torch.randn_like(base)

    def step(self, a):
        self.pos += torch.where(a == 1, 1.0, -1.0)
        self.pos.clamp_(min=0)
        done = self.pos >= self.length
        self.pos[done] = 0
        return self.obs(), done.float()


def returns(rewards, dones, bootstrap, gamma=0.95):
    out, g = [], bootstrap
    for r, d in zip(reversed(rewards), reversed(dones)):
        g = r + gamma * g * (1 - d)
        out.insert(0, g)
    return torch.stack(out)


def a2c(env, policy, updates, horizon=5):
    opt = torch.optim.RMSprop(policy.parameters(), 1e-3, alpha=0.99)
    obs = env.obs()
    for _ in range(updates):
        logps, values, ents, rews, dones = [], [], [], [], []
        for _ in range(horizon):
            dist, v = policy(obs)
            a = dist.sample()
            obs, d = env.step(a)
            logps.append(dist.log_prob(a)); values.append(v); ents.append(dist.entropy())
            rews.append(d); dones.append(d)
        policy.eval()
        with torch.no_grad():
            boot = policy(obs)[1]
        policy.train()
        ret, val = returns(rews, dones, boot), torch.stack(values)
        adv = (ret - val).detach()
        loss = -(adv * torch.stack(logps)).mean() + 0.5 * (ret - val).square().mean() - 0.01 * torch.stack(ents).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.4f}")


# --- driver ---
torch.manual_seed(14)
a2c(ChainEnv(8), Policy(3, 2), 3)
