"""A2C with a GRU policy on a memory task, vectorised environments, n-step returns."""
from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
from torch import Tensor
from torch.distributions import Categorical


class RecallEnv:
    """A cue is shown at the start; the action that matches it pays at the end."""

    def __init__(self, n: int, cues: int = 3, horizon: int = 5):
        self.n, self.cues, self.horizon = n, cues, horizon
        self.cue = torch.randint(cues, (n,))
        self.clock = torch.randint(horizon, (n,))

    def observe(self) -> Tensor:
        obs = torch.zeros(self.n, self.cues + 1)
        shown = self.clock == 0
        obs[shown, self.cue[shown]] = 1.0
        obs[:, -1] = self.clock / self.horizon
        return obs

    def step(self, action: Tensor):
        self.clock += 1
        done = self.clock >= self.horizon
        reward = (done & (action == self.cue)).float()
        self.clock[done] = 0
        self.cue[done] = torch.randint(self.cues, (int(done.sum()),))
        return self.observe(), reward, done


class RecurrentPolicy(nn.Module):
    def __init__(self, obs: int, actions: int, hidden: int = 24):
        super().__init__()
        self.inp = nn.Linear(obs, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.pi, self.v = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        self.hidden = hidden

    def forward(self, obs: Tensor, h: Tensor):
        h = self.cell(torch.tanh(self.inp(obs)), h)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h


@dataclass
class Rollout:
    logp: List[Tensor] = field(default_factory=list)
    value: List[Tensor] = field(default_factory=list)
    entropy: List[Tensor] = field(default_factory=list)
    reward: List[Tensor] = field(default_factory=list)
    done: List[Tensor] = field(default_factory=list)

    def returns(self, bootstrap: Tensor, gamma: float) -> Tensor:
        out, run = torch.empty(len(self.reward), len(bootstrap)), bootstrap.clone()
        for t in reversed(range(len(self.reward))):
            run.mul_(gamma * (~self.done[t])).add_(self.reward[t])
            out[t] = run
        return out


class Agent:
    def __init__(self, env: RecallEnv, steps: int = 8, gamma: float = 0.95):
        self.env, self.steps, self.gamma = env, steps, gamma
        self.net = RecurrentPolicy(env.cues + 1, env.cues)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=3e-3)
        self.obs, self.h = env.observe(), torch.zeros(env.n, self.net.hidden)

    def forget(self, done: Tensor) -> None:
        self.h.data[done] = 0.0  # BUG silent

    def collect(self) -> Rollout:
        roll = Rollout()
        self.h = self.h.detach()
        for _ in range(self.steps):
            dist, value, self.h = self.net(self.obs, self.h)
            action = dist.sample()
            self.obs, reward, done = self.env.step(action)
            self.forget(done)
            for name, item in dict(logp=dist.log_prob(action), value=value, entropy=dist.entropy(),
                                   reward=reward, done=done).items():
                getattr(roll, name).append(item)
        return roll

    def update(self) -> float:
        roll = self.collect()
        with torch.no_grad():
            target = roll.returns(self.net(self.obs, self.h)[1], self.gamma)
        value, logp = torch.stack(roll.value), torch.stack(roll.logp)
        adv = target - value
        loss = -(logp * adv.detach()).mean() + 0.5 * adv.square().mean() - 0.01 * torch.stack(roll.entropy).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(11)
agent = Agent(RecallEnv(6))
for _ in range(3):
    agent.update()
