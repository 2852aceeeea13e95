"""Recurrent actor-critic on a vectorised memory task; the hidden state is reset where an episode ended."""
from typing import List, NamedTuple

import torch
import torch.nn as nn
from torch.distributions import Categorical


class RecallEnv:
    """Shows a cue at the first step; the reward is for naming it at the last."""

    def __init__(self, n: int, cues: int = 3, length: int = 4):
        self.n, self.cues, self.length = n, cues, length
        self.clock = torch.randint(0, length, (n,))
        self.cue = torch.randint(0, cues, (n,))

    def observe(self) -> torch.Tensor:
        shown = nn.functional.one_hot(self.cue, self.cues).float()
        return torch.cat([shown * (self.clock == 0)[:, None], self.clock[:, None] / self.length], dim=1)

    def step(self, action):
        last = self.clock == self.length - 1
        reward = ((action == self.cue) & last).float()
        self.clock = torch.where(last, torch.zeros_like(self.clock), self.clock + 1)
        self.cue = torch.where(last, torch.randint(0, self.cues, (self.n,)), self.cue)
        return reward, last


class Step(NamedTuple):
    logp: torch.Tensor
    value: torch.Tensor
    entropy: torch.Tensor
    reward: torch.Tensor
    done: torch.Tensor


class Core(nn.Module):
    """GRU core which owns its running state."""

    def __init__(self, obs: int, hidden: int):
        super().__init__()
        self.cell = nn.GRUCell(obs, hidden)
        self.state = None

    def begin(self, n: int):
        self.state = torch.zeros(n, self.cell.hidden_size)

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.state

    def forget(self, done: torch.Tensor):
        self.state[done] = 0.0  # BUG


class ActorCritic(nn.Module):
    def __init__(self, obs: int, actions: int, hidden: int = 32):
        super().__init__()
        self.core = Core(obs, hidden)
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.core(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(env: RecallEnv, net: ActorCritic, steps: int) -> List[Step]:
    net.core.begin(env.n)
    out = []
    for _ in range(steps):
        dist, value = net(env.observe())
        action = dist.sample()
        reward, done = env.step(action)
        net.core.forget(done)
        out.append(Step(dist.log_prob(action), value, dist.entropy(), reward, done))
    return out


def a2c_loss(steps: List[Step], gamma=0.95, vf=0.5, ent=0.01):
    ret = torch.zeros_like(steps[0].reward)
    total = 0.0
    for s in reversed(steps):
        ret = s.reward + gamma * ret * (~s.done)
        adv = ret - s.value
        total = total - (s.logp * adv.detach()).mean() + vf * adv.pow(2).mean() - ent * s.entropy.mean()
    return total / len(steps)


# --- driver ---
torch.manual_seed(0)
env = RecallEnv(6)
net = ActorCritic(4, 3)
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for update in range(3):
    loss = a2c_loss(rollout(env, net, 8))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
