import copy
import numpy as np
import torch
import torch.nn as nn


class SumTree:
    def __init__(self, capacity):
        self.cap = capacity
        self.node = np.zeros(2 * capacity)

    def set(self, i, value):
        i = np.asarray(i) + self.cap
        self.node[i] = value
        for j in np.unique(i):
            while j > 1:
                j //= 2
                self.node[j] = self.node[2 * j] + self.node[2 * j + 1]

    def find(self, mass):
        j = 1
        while j < self.cap:
            j *= 2
            if mass > self.node[j]:
                mass -= self.node[j]
                j += 1
        return j - self.cap


class Replay:
    def __init__(self, cap, obs, alpha=0.6, seed=0):
        self.s, self.s2 = np.zeros((cap, obs), np.float32), np.zeros((cap, obs), np.float32)
        self.a, self.r, self.d = np.zeros(cap, np.int64), np.zeros(cap, np.float32), np.zeros(cap, np.float32)
        self.tree, self.alpha, self.cap = SumTree(cap), alpha, cap
        self.at = self.n = 0
        self.top = 1.0
        self.rng = np.random.default_rng(seed)

    def push(self, s, a, r, s2, d):
        i = self.at
        self.s[i], self.a[i], self.r[i], self.s2[i], self.d[i] = s, a, r, s2, d
        self.tree.set(i, self.top)
        self.at, self.n = (i + 1) % self.cap, min(self.n + 1, self.cap)

    def draw(self, k, beta):
        total = self.tree.node[1]
        idx = np.array([self.tree.find(m) for m in (np.arange(k) + self.rng.random(k)) * total / k])
        idx = np.minimum(idx, self.n - 1)
        w = (self.n * self.tree.node[idx + self.cap] / total) ** -beta
        batch = [torch.from_numpy(arr[idx]) for arr in (self.s, self.a, self.r, self.s2, self.d)]
        return idx, torch.from_numpy((w / w.max()).astype(np.float32)), batch

    def refresh(self, idx, td):
        p = (np.abs(td) + 1e-3) ** self.alpha
        self.top = max(self.top, float(p.max()))
        self.tree.set(idx, p)


class NoisyLinear(nn.Module):
    def __init__(self, i, o, s0=0.5):
        super().__init__()
        b = i ** -0.5
        self.w, self.b = nn.Parameter(torch.empty(o, i).uniform_(-b, b)), nn.Parameter(torch.empty(o).uniform_(-b, b))
        self.ws, self.bs = nn.Parameter(torch.full((o, i), s0 * b)), nn.Parameter(torch.full((o,), s0 * b))
        self.register_buffer("ei", torch.zeros(i))
        self.register_buffer("eo", torch.zeros(o))

    def resample(self):
        for e in (self.ei, self.eo):
            e.normal_()
            e.copy_(e.sign() * e.abs().sqrt_())

    def forward(self, x):
        return nn.functional.linear(x, self.w + self.ws * torch.outer(self.eo, self.ei), self.b + self.bs * self.eo)


class Dueling(nn.Module):
    def __init__(self, obs, act, h=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, h), nn.ReLU(inplace=True))
        self.v, self.adv = NoisyLinear(h, 1), NoisyLinear(h, act)

    def forward(self, s):
        h = self.body(s)
        a = self.adv(h)
        return self.v(h) + a - a.mean(1, keepdim=True)

    def resample(self):
        self.v.resample(); self.adv.resample()


class Agent:
    def __init__(self, obs, act, gamma=0.97, tau=0.02):
        self.q = Dueling(obs, act)
        self.qt = copy.deepcopy(self.q).requires_grad_(False)
        self.gamma, self.tau = gamma, tau
        self.opt = torch.optim.Adam(self.q.parameters(), 1e-3)

    def learn(self, mem, k, beta):
        idx, w, (s, a, r, s2, d) = mem.draw(k, beta)
        self.q.resample(); self.qt.resample()
        q = self.q(s).gather(1, a[:, None])[:, 0]
        with torch.no_grad():
            best = self.q(s2).argmax(1, keepdim=True)
            y = self.qt(s2).gather(1, best)[:, 0].mul_(1 - d).mul_(self.gamma).add_(r)
        td = q - y
        loss = (w * nn.functional.huber_loss(q, y, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        mem.refresh(idx, td.detach().numpy())
        torch._foreach_lerp_(list(self.qt.parameters()), [p.detach() for p in self.q.parameters()], self.tau)
        return loss.item()


# --- driver ---
torch.manual_seed(0)
rng = np.random.default_rng(0)
mem, agent = Replay(64, 4), Agent(4, 3)
for _ in range(40):
    s = rng.standard_normal(4)
    a = int(rng.integers(3))
    mem.push(s, a, float(s[a] > 0), 0.9 * s, rng.random() < 0.1)
print([agent.learn(mem, 16, 0.4 + 0.1 * i) for i in range(4)])
