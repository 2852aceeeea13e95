import torch
import torch.nn as nn
import torch.nn.functional as F


class SumTree:
    def __init__(self, capacity):
        self.capacity = capacity
        self.nodes = torch.zeros(2 * capacity)

    def update(self, idx, value):
        pos = idx + self.capacity
        self.nodes[pos] = value
        pos = (pos // 2).unique()
        while int(pos.max()) >= 1:
            pos = pos[pos >= 1]
            self.nodes[pos] = self.nodes[2 * pos] + self.nodes[2 * pos + 1]
            pos = (pos // 2).unique()

    def sample(self, n):
        mass = (torch.arange(n) + torch.rand(n)) * (self.nodes[1] / n)
        pos = torch.ones(n, dtype=torch.long)
        while int(pos[0]) < self.capacity:
            left = self.nodes[2 * pos]
            right = mass > left
            mass[right] -= left[right]
            pos.mul_(2).add_(right.long())
        return pos.sub_(self.capacity)


class PrioritisedReplay:
    def __init__(self, capacity, obs, alpha=0.6, beta=0.4):
        self.tree = SumTree(capacity)
        self.obs, self.nxt = torch.zeros(capacity, obs), torch.zeros(capacity, obs)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew, self.done = torch.zeros(capacity), torch.zeros(capacity)
        self.capacity, self.alpha, self.beta = capacity, alpha, beta
        self.head = self.size = 0
        self.peak = 1.0

    def push(self, obs, act, rew, nxt, done):
        i = self.head
        self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.done[i] = obs, act, rew, nxt, done
        self.tree.update(torch.tensor([i]), self.peak ** self.alpha)
        self.head, self.size = (i + 1) % self.capacity, min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = self.tree.sample(n).clamp_(max=self.size - 1)
        prob = self.tree.nodes[idx + self.capacity] / self.tree.nodes[1]
        w = prob.mul_(self.size).clamp_(min=1e-6).pow_(-self.beta)
        w /= w.max()
        return idx, w, (self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.done[idx])

    def reprioritise(self, idx, td):
        p = td.abs().add_(1e-3)
        self.peak = max(self.peak, float(p.max()))
        self.tree.update(idx, p.pow_(self.alpha))


class NoisyLinear(nn.Linear):
    def __init__(self, i, o, sigma=0.5):
        super().__init__(i, o)
        self.sigma = nn.Parameter(torch.full((o, i), sigma / i ** 0.5))
        self.register_buffer("eps", torch.zeros(o, i))

    def resample(self):
        f = lambda n: torch.randn(n).sign_() * torch.randn(n).abs_().sqrt_()
        self.eps.copy_(torch.outer(f(self.out_features), f(self.in_features)))

    def forward(self, x):
        w = self.weight + self.sigma * self.eps if self.training else self.weight
        return F.linear(x, w, self.bias)


class DuelingQ(nn.Module):
    def __init__(self, obs, acts, hidden=12):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(inplace=True))
        self.v, self.a = NoisyLinear(hidden, 1), NoisyLinear(hidden, acts)

    def forward(self, x):
        h = self.body(x)
        adv = self.a(h)
        q = adv - adv.mean(-1, keepdim=True)
        q += self.v(h)
        return q

    def resample(self):
        self.v.resample()
        self.a.resample()


class Agent:
    def __init__(self, obs, acts, gamma=0.99, tau=0.05):
        self.online, self.target = DuelingQ(obs, acts), DuelingQ(obs, acts).requires_grad_(False)
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.Adam(self.online.parameters(), 1e-3)
        self.gamma, self.tau = gamma, tau

    def learn(self, replay, n):
        idx, w, (o, a, r, o2, d) = replay.sample(n)
        self.online.resample()
        with torch.no_grad():
            best = self.online(o2).argmax(-1, keepdim=True)
            y = self.target(o2).gather(1, best).squeeze(1)
            y.mul_(1 - d).mul_(self.gamma).add_(r)
        td = self.online(o).gather(1, a[:, None]).squeeze(1) - y
        loss = (w * F.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
        replay.reprioritise(idx, td.detach())
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for t, p in zip(self.target.parameters(), self.online.parameters()):
                t.lerp_(p, self.tau)


# --- driver ---
torch.manual_seed(0)
replay, agent = PrioritisedReplay(16, 4), Agent(4, 3)
for _ in range(12):
    replay.push(torch.randn(4), torch.randint(0, 3, ()), torch.rand(()), torch.randn(4), float(torch.rand(()) < 0.1))
for _ in range(2):
    agent.learn(replay, 6)
