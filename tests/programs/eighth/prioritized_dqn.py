"""DQN with proportional prioritised replay held in preallocated tensors."""
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class DQNConfig:
    obs: int = 4
    actions: int = 3
    capacity: int = 32
    alpha: float = 0.6
    beta: float = 0.4
    gamma: float = 0.95
    batch: int = 8
    lr: float = 1e-3
    sync_every: int = 2


class PrioritisedReplay:
    def __init__(self, cfg):
        n = cfg.capacity
        self.s, self.s2 = torch.zeros(n, cfg.obs), torch.zeros(n, cfg.obs)
        self.a = torch.zeros(n, dtype=torch.long)
        self.r = torch.zeros(n)
        self.done = torch.zeros(n, dtype=torch.bool)
        self.prio = torch.zeros(n)
        self.cfg, self.ptr, self.full = cfg, 0, False

    def add(self, s, a, r, s2, done):
        i = self.ptr
        self.s[i], self.s2[i] = s, s2
        self.a[i], self.r[i], self.done[i] = a, r, done
        self.prio[i] = max(float(self.prio.max()), 1.0)
        self.ptr = (i + 1) % self.cfg.capacity
        self.full |= self.ptr == 0

    def __len__(self):
        return self.cfg.capacity if self.full else self.ptr

    def sample(self):
        p = self.prio[:len(self)].pow(self.cfg.alpha)
        p.div_(p.sum())
        idx = torch.multinomial(p, self.cfg.batch, replacement=True)
        w = (p[idx] * len(self)).pow_(-self.cfg.beta)
        w /= w.max()
        return idx, w, (self.s[idx], self.a[idx], self.r[idx], self.s2[idx], self.done[idx])

    def update(self, idx, td):
        self.prio[idx] = td.abs().add_(1e-3)


class QNet(nn.Sequential):
    def __init__(self, cfg, hid=16):
        super().__init__(nn.Linear(cfg.obs, hid), nn.ReLU(inplace=True), nn.Linear(hid, cfg.actions))


class GridWalk:
    def __init__(self, cfg, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.cfg = cfg
        self.state = torch.zeros(cfg.obs)

    def reset(self):
        self.state.uniform_(-1, 1, generator=self.g)
        return self.state.clone()

    def step(self, a):
        self.state[a % self.cfg.obs] += 0.1
        self.state.clamp_(-1, 1)
        done = bool(self.state.sum() > 1.5)
        return self.state.clone(), float(self.state.mean()), done


class DQNAgent:
    def __init__(self, cfg):
        self.cfg, self.q, self.target = cfg, QNet(cfg), QNet(cfg)
        self.target.load_state_dict(self.q.state_dict())
        self.replay = PrioritisedReplay(cfg)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=cfg.lr)
        self.updates = 0

    def act(self, s, eps):
        if torch.rand(()) < eps:
            return int(torch.randint(self.cfg.actions, ()))
        with torch.no_grad():
            return int(self.q(s).argmax())

    def learn(self):
        idx, w, (s, a, r, s2, done) = self.replay.sample()
        with torch.no_grad():
            nxt = self.target(s2).max(1).values
            nxt[done] = 0.0
            target = nxt.mul_(self.cfg.gamma).add_(r)
        td = target - self.q(s).gather(1, a[:, None]).squeeze(1)
        loss = (w * td.pow(2)).mean()
        self.replay.update(idx, td.detach())
        self.opt.zero_grad(set_to_none=False)
        loss.backward()
        for p in self.q.parameters():
            p.grad.clamp_(-1, 1)
        self.opt.step()
        self.updates += 1
        if self.updates % self.cfg.sync_every == 0:
            with torch.no_grad():
                for t, p in zip(self.target.parameters(), self.q.parameters()):
                    t.copy_(p)
        return loss.item()


def play(agent, env, steps, eps=0.5):
    s = env.reset()
    for _ in range(steps):
        a = agent.act(s, eps)
        s2, r, done = env.step(a)
        agent.replay.add(s, a, r, s2, done)
        s = env.reset() if done else s2


# --- driver ---
torch.manual_seed(0)
cfg = DQNConfig()
agent = DQNAgent(cfg)
play(agent, GridWalk(cfg), 40)
losses = [agent.learn() for _ in range(3)]
