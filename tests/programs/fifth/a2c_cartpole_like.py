"""Synchronous advantage actor critic on a toy control task with a shared trunk."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

GAMMA = 0.99
ENT = 0.01


class ToyEnv:
    def __init__(self, n):
        self.n = n
        self.A = torch.tensor([[1.0, 0.1], [0.0, 1.0]])
        self.reset()

    def reset(self):
        self.s = torch.randn(self.n, 2) * 0.1
        return self.s.clone()

    def step(self, a):
        self.s = self.s @ self.A.T
        self.s[:, 1] += (a.float() * 2 - 1) * 0.05
        r = -self.s.pow(2).sum(1)
        return self.s.clone(), r


class Trunk(nn.Module):
    def __init__(self, hid=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, hid), nn.Tanh(), nn.Linear(hid, hid), nn.Tanh())

    def forward(self, s):
        return self.net(s)


trunk = Trunk()
pi = nn.Linear(16, 2)
vf = nn.Linear(16, 1)
opt_pi = torch.optim.Adam([*trunk.parameters(), *pi.parameters()], lr=7e-4)
opt_vf = torch.optim.Adam([*trunk.parameters(), *vf.parameters()], lr=1e-3)


def rollout(env, s, T):
    logps, values, rewards, ents = [], [], [], []
    for _ in range(T):
        h = trunk(s)
        dist = Categorical(logits=pi(h))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        ents.append(dist.entropy())
        values.append(vf(h).squeeze(-1))
        s, r = env.step(a)
        rewards.append(r)
    with torch.no_grad():
        boot = vf(trunk(s)).squeeze(-1)
    return s, map(torch.stack, (logps, values, rewards, ents)), boot


def returns_from(rewards, boot):
    out = torch.zeros_like(rewards)
    run = boot
    for t in reversed(range(len(rewards))):
        run = rewards[t] + GAMMA * run
        out[t] = run
    return out


def update(env, s, T=5):
    s, (logp, val, rew, ent), boot = rollout(env, s, T)
    ret = returns_from(rew, boot)
    adv = ret - val
    actor_loss = -(logp * adv.detach()).mean() - ENT * ent.mean()
    critic_loss = F.smooth_l1_loss(val, ret)

    opt_pi.zero_grad()
    actor_loss.backward(retain_graph=True)
    opt_pi.step()  # BUG

    opt_vf.zero_grad()
    critic_loss.backward()
    opt_vf.step()
    return s


# --- driver ---
torch.manual_seed(0)
env = ToyEnv(4)
state = env.reset()
for _ in range(2):
    state = update(env, state)
