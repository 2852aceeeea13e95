from collections import namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

Step = namedtuple("Step", "obs action reward done")


class CorridorEnv:
    """Walk right to the end of a corridor."""

    def __init__(self, length=6, seed=0):
        self.length = length
        self.rng = np.random.RandomState(seed)
        self.pos = 0

    def reset(self):
        self.pos = int(self.rng.randint(0, 2))
        return self._obs()

    def _obs(self):
        v = np.zeros(self.length, dtype=np.float32)
        v[self.pos] = 1.0
        return v

    def step(self, a):
        self.pos = int(np.clip(self.pos + (1 if a == 1 else -1), 0, self.length - 1))
        done = self.pos == self.length - 1
        return self._obs(), (1.0 if done else -0.01), done


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_act, hidden=32):
        super().__init__()
        self.torso = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_act)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.torso(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def collect(env, model, horizon):
    steps, obs = [], env.reset()
    for _ in range(horizon):
        with torch.no_grad():
            dist, _ = model(torch.from_numpy(obs)[None])
        a = dist.sample().item()
        nxt, r, done = env.step(a)
        steps.append(Step(obs, a, r, done))
        obs = env.reset() if done else nxt
    return steps


def discounted(steps, gamma):
    out = torch.zeros(len(steps))
    acc = 0.0
    for i in reversed(range(len(steps))):
        acc = steps[i].reward + gamma * acc * (not steps[i].done)
        out[i] = acc
    return out


class A2C:
    def __init__(self, model, lr_pi=1e-2, lr_v=1e-2, gamma=0.95):
        self.model, self.gamma = model, gamma
        shared = list(model.torso.parameters())
        self.actor_opt = torch.optim.RMSprop(shared + list(model.pi.parameters()), lr=lr_pi)
        self.critic_opt = torch.optim.RMSprop(shared + list(model.v.parameters()), lr=lr_v)

    def update(self, steps):
        obs = torch.from_numpy(np.stack([s.obs for s in steps]))
        act = torch.tensor([s.action for s in steps])
        ret = discounted(steps, self.gamma)
        dist, value = self.model(obs)
        adv = ret - value
        actor_loss = -(dist.log_prob(act) * adv.detach()).mean() - 0.01 * dist.entropy().mean()
        critic_loss = F.smooth_l1_loss(value, ret)
        self.actor_opt.zero_grad()
        actor_loss.backward(retain_graph=True)
        self.actor_opt.step()  # BUG
        self.critic_opt.zero_grad()
        critic_loss.backward()
        self.critic_opt.step()
        return actor_loss.item(), critic_loss.item()


# --- driver ---
torch.manual_seed(2)
env = CorridorEnv()
net = ActorCritic(env.length, 2)
agent = A2C(net)
print(agent.update(collect(env, net, 12)))
