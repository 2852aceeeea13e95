"""Double DQN with a prioritised ring replay and n-step returns."""
import copy
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class Replay:
    """Preallocated tensors, overwritten in ring order."""

    def __init__(self, capacity, obs_dim, alpha=0.6):
        self.obs = torch.zeros(capacity, obs_dim)
        self.nxt = torch.zeros(capacity, obs_dim)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew = torch.zeros(capacity)
        self.prio = torch.zeros(capacity)
        self.capacity, self.alpha, self.ptr, self.full = capacity, alpha, 0, False

    def __len__(self):
        return self.capacity if self.full else self.ptr

    def push(self, obs, act, rew, nxt):
        i = self.ptr
        self.obs[i], self.nxt[i], self.act[i], self.rew[i] = obs, nxt, act, rew
        self.prio[i] = self.prio.max().clamp(min=1.0)
        self.ptr = (i + 1) % self.capacity
        self.full |= self.ptr == 0

    def sample(self, n, beta=0.4):
        p = self.prio[: len(self)] ** self.alpha
        p /= p.sum()
        idx = p.multinomial(n, replacement=True)
        w = (len(self) * p[idx]) ** -beta
        w /= w.max()
        return idx, w, (self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx])

    def reprioritise(self, idx, td):
        self.prio[idx] = td.abs() + 1e-3


class NStep:
    def __init__(self, n, gamma):
        self.n, self.gamma, self.q = n, gamma, deque()

    def __call__(self, obs, act, rew, nxt):
        self.q.append((obs, act, rew))
        if len(self.q) < self.n:
            return None
        total = sum(self.gamma ** k * r for k, (_, _, r) in enumerate(self.q))
        o, a, _ = self.q.popleft()
        return o, a, total, nxt


class Dueling(nn.Module):
    def __init__(self, obs, act, width=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.ReLU(inplace=True))
        self.val, self.adv = nn.Linear(width, 1), nn.Linear(width, act)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        a -= a.mean(1, keepdim=True)
        a += self.val(h)
        return a


class Env:
    def __init__(self, obs):
        self.s = torch.zeros(obs)

    def step(self, a):
        self.s *= 0.9
        self.s[a] += 1.0
        self.s += 0.1 * torch.randn_like(self.s)
        return float(self.s.sum() - self.s.max()), self.s


class Learner:
    def __init__(self, obs=4, gamma=0.9, n=3, sync=2):
        self.env, self.q = Env(obs), Dueling(obs, obs)
        self.target = copy.deepcopy(self.q)
        self.replay, self.nstep = Replay(64, obs), NStep(n, gamma)
        self.opt = torch.optim.Adam(self.q.parameters(), 1e-3)
        self.disc, self.sync, self.updates = gamma ** n, sync, 0

    @torch.no_grad()
    def act(self, obs, eps=0.3):
        if torch.rand(()) < eps:
            return int(torch.randint(0, len(obs), ()))
        return int(self.q(obs[None]).argmax())

    def interact(self, k):
        for _ in range(k):
            obs = self.env.s.clone()
            a = self.act(obs)
            r, nxt = self.env.step(a)
            item = self.nstep(obs, a, r, nxt.clone())
            if item is not None:
                self.replay.push(*item)

    def td_error(self, obs, act, rew, nxt):
        q = self.q(obs).gather(1, act[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.q(nxt).argmax(1, keepdim=True)
            y = rew + self.disc * self.target(nxt).gather(1, best).squeeze(1)
        return q - y

    def update(self, batch=8):
        idx, w, transition = self.replay.sample(batch)
        td = self.td_error(*transition)
        loss = (w * F.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
        self.replay.reprioritise(idx, td.detach())
        self.interact(2)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync == 0:
            self.target.load_state_dict(self.q.state_dict())
        return loss.item()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    agent = Learner()
    agent.interact(20)
    for i in range(4):
        print(i, agent.update())
