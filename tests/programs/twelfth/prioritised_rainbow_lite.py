"""Double dueling DQN, prioritised n-step replay kept in numpy arrays; torch looks at copies of the rows."""
from typing import Iterator, NamedTuple
import numpy as np
import torch
from torch import nn, Tensor


class Batch(NamedTuple):
    idx: np.ndarray
    obs: Tensor
    act: Tensor
    ret: Tensor
    nxt: Tensor
    live: Tensor
    weight: Tensor


class SumTree:
    def __init__(self, size: int):
        self.size = size
        self.tree = np.zeros(2 * size)

    def set(self, i, p):
        i = np.asarray(i) + self.size
        self.tree[i] = p
        while (i > 1).any():
            i = np.unique(i // 2)
            i = i[i >= 1]
            self.tree[i] = self.tree[2 * i] + self.tree[2 * i + 1]

    def find(self, mass):
        i = np.ones(len(mass), dtype=int)
        while (i < self.size).any():
            left = self.tree[2 * i]
            right = mass > left
            mass = np.where(right, mass - left, mass)
            i = 2 * i + right
        return i - self.size


class Replay:
    def __init__(self, size, obs_dim, n=3, gamma=0.95, alpha=0.6, seed=0):
        self.obs = np.zeros((size, obs_dim), np.float32)
        self.act, self.rew, self.done = np.zeros(size, np.int64), np.zeros(size, np.float32), np.zeros(size, bool)
        self.tree, self.n, self.gamma, self.alpha = SumTree(size), n, gamma, alpha
        self.at, self.count, self.size = 0, 0, size
        self.rng = np.random.default_rng(seed)
        self.top = 1.0

    def add(self, o, a, r, d):
        i = self.at
        self.obs[i], self.act[i], self.rew[i], self.done[i] = o, a, r, d
        self.tree.set(i, 0.0)
        if self.count >= self.n:
            self.tree.set((i - self.n) % self.size, self.top**self.alpha)
        self.at = (i + 1) % self.size
        self.count = min(self.count + 1, self.size)

    def sample(self, k, beta):
        total = self.tree.tree[1]
        idx = self.tree.find(self.rng.uniform(0, total, k) * 0.999)
        ret, live = np.zeros(k, np.float32), np.ones(k, np.float32)
        for j in range(self.n):
            row = (idx + j) % self.size
            ret += self.gamma**j * live * self.rew[row]
            live *= 1.0 - self.done[row]
        p = self.tree.tree[idx + self.size] / total
        w = (self.count * p) ** -beta
        w /= w.max()
        t = torch.from_numpy
        return Batch(idx, t(self.obs[idx]), t(self.act[idx]), t(ret), t(self.obs[(idx + self.n) % self.size]), t(live), t(w).float())

    def reprioritise(self, idx, td):
        self.tree.set(idx, (td + 1e-3) ** self.alpha)
        self.top = max(self.top, float(td.max()))


class Dueling(nn.Module):
    def __init__(self, obs: int, actions: int, hid: int = 24):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(obs, hid), nn.ReLU(inplace=True))
        self.v, self.a = nn.Linear(hid, 1), nn.Linear(hid, actions)

    def forward(self, x):
        h = self.f(x)
        q = self.a(h)
        q -= q.mean(1, keepdim=True)
        return q + self.v(h)


def grid_walk(steps: int, rng) -> Iterator[tuple]:
    s = np.zeros(3, np.float32)
    for _ in range(steps):
        a = rng.integers(4)
        o = s.copy()
        s[a % 2] += 1 if a < 2 else -1
        s[2] *= 0.9
        done = bool(np.abs(s[:2]).max() > 3)
        yield o, a, float(s[0] > 2), done
        if done:
            s[:] = 0


# --- driver ---
torch.manual_seed(55)
buf = Replay(64, 3)
for tr in grid_walk(50, np.random.default_rng(1)):
    buf.add(*tr)
net, target = Dueling(3, 4), Dueling(3, 4)
target.load_state_dict(net.state_dict())
opt = torch.optim.Adam(net.parameters(), 1e-3)
for k in range(4):
    b = buf.sample(16, beta=0.4 + 0.1 * k)
    with torch.no_grad():
        best = net(b.nxt).argmax(1, keepdim=True)
        y = target(b.nxt).gather(1, best).squeeze(1).mul_(b.live).mul_(buf.gamma**buf.n).add_(b.ret)
    td = y - net(b.obs).gather(1, b.act[:, None]).squeeze(1)
    loss = (b.weight * nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    buf.reprioritise(b.idx, td.detach().abs_().numpy())
    print(loss.item())
