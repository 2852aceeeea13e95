"""Dueling double DQN with n-step returns and prioritised replay (sum tree in numpy) on a chain walk."""
from collections import deque

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class SumTree:
    def __init__(self, size):
        self.size = size
        self.node = np.zeros(2 * size)

    def set(self, idx, value):
        i = np.asarray(idx) + self.size
        self.node[i] = value
        i = np.unique(i // 2)
        while i[0] >= 1:
            self.node[i] = self.node[2 * i] + self.node[2 * i + 1]
            i = np.unique(i // 2)

    def find(self, mass):
        i = 1
        while i < self.size:
            i *= 2
            if mass > self.node[i]:
                mass -= self.node[i]
                i += 1
        return i - self.size


class PrioritisedReplay:
    def __init__(self, size, obs, alpha=0.6, beta=0.4, seed=0):
        self.tree, self.alpha, self.beta = SumTree(size), alpha, beta
        self.obs = np.zeros((size, 2, obs), np.float32)
        self.meta = np.zeros((size, 3), np.float32)
        self.n, self.size, self.top = 0, size, 1.0
        self.rng = np.random.default_rng(seed)

    def push(self, o, a, r, o2, discount):
        i = self.n % self.size
        self.obs[i] = o, o2
        self.meta[i] = a, r, discount
        self.tree.set([i], self.top ** self.alpha)
        self.n += 1

    def sample(self, k):
        total = self.tree.node[1]
        idx = np.array([self.tree.find(m) for m in (np.arange(k) + self.rng.random(k)) * total / k])
        w = (min(self.n, self.size) * self.tree.node[idx + self.size] / total) ** -self.beta
        w /= w.max()
        obs, meta = torch.from_numpy(self.obs[idx]), torch.from_numpy(self.meta[idx])
        return idx, torch.as_tensor(w, dtype=torch.float32), obs[:, 0], meta[:, 0].long(), meta[:, 1], obs[:, 1], meta[:, 2]

    def reprioritise(self, idx, td):
        p = np.abs(td.detach().numpy()) + 1e-3
        self.top = max(self.top, float(p.max()))
        p **= self.alpha
        self.tree.set(idx, p)


class Dueling(nn.Module):
    def __init__(self, obs, actions, width=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.ReLU(inplace=True))
        self.v, self.a = nn.Linear(width, 1), nn.Linear(width, actions)

    def forward(self, x):
        h = self.body(x)
        adv = self.a(h)
        adv -= adv.mean(1, keepdim=True)
        return adv.add_(self.v(h))


class Chain:
    def __init__(self, n=6):
        self.n, self.s = n, 0

    def observe(self):
        return np.eye(self.n, dtype=np.float32)[self.s]

    def step(self, a):
        self.s = min(self.s + 1, self.n - 1) if a == 1 else 0
        return float(self.s == self.n - 1), self.s == self.n - 1


def collect(env, net, replay, steps, eps=0.5, gamma=0.95, n=3):
    queue = deque(maxlen=n)
    for _ in range(steps):
        o = env.observe()
        with torch.no_grad():
            a = int(net(torch.from_numpy(o)[None]).argmax()) if replay.rng.random() > eps else int(replay.rng.integers(2))
        r, done = env.step(a)
        queue.append((o, a, r))
        if len(queue) == n or done:
            ret = sum(gamma ** i * q[2] for i, q in enumerate(queue))
            replay.push(queue[0][0], queue[0][1], ret, env.observe(), 0.0 if done else gamma ** n)
        if done:
            queue.clear()
            env.s = 0


def learn(net, target, opt, replay, k=16, tau=0.05):
    idx, w, o, a, r, o2, disc = replay.sample(k)
    with torch.no_grad():
        y = r + disc * target(o2).gather(1, net(o2).argmax(1, keepdim=True)).squeeze(1)
    q = net(o).gather(1, a[:, None]).squeeze(1)
    loss = (w * F.smooth_l1_loss(q, y, reduction="none")).mean()
    replay.reprioritise(idx, q - y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, p in zip(target.parameters(), net.parameters()):
            t.mul_(1 - tau).add_(p, alpha=tau)
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net, target = Dueling(6, 2), Dueling(6, 2)
target.load_state_dict(net.state_dict())
env, replay, opt = Chain(), PrioritisedReplay(64, 6), torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(5):
    collect(env, net, replay, 20)
    print(learn(net, target, opt, replay))
