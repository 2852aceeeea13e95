"""Rainbow-style agent with factorised noisy layers and a distributional head left out."""
import math
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyLinear(nn.Module):
    def __init__(self, n_in, n_out, sigma0=0.5):
        super().__init__()
        self.n_in, self.n_out, self.sigma0 = n_in, n_out, sigma0
        self.mu_w = nn.Parameter(torch.empty(n_out, n_in))
        self.sigma_w = nn.Parameter(torch.empty(n_out, n_in))
        self.mu_b = nn.Parameter(torch.empty(n_out))
        self.sigma_b = nn.Parameter(torch.empty(n_out))
        self.register_buffer("eps_w", torch.zeros(n_out, n_in))
        self.register_buffer("eps_b", torch.zeros(n_out))
        self.reset_parameters()
        self.reset_noise()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.n_in)
        for mu, sigma in ((self.mu_w, self.sigma_w), (self.mu_b, self.sigma_b)):
            nn.init.uniform_(mu, -bound, bound)
            nn.init.constant_(sigma, self.sigma0 * bound)

    @staticmethod
    def _scaled(n):
        x = torch.randn(n)
        return x.sign().mul_(x.abs().sqrt_())

    def reset_noise(self):
        e_in, e_out = self._scaled(self.n_in), self._scaled(self.n_out)
        self.eps_w.copy_(torch.outer(e_out, e_in))  # BUG
        self.eps_b = e_out

    def forward(self, x):
        if not self.training:
            return F.linear(x, self.mu_w, self.mu_b)
        return F.linear(x, self.mu_w + self.sigma_w * self.eps_w, self.mu_b + self.sigma_b * self.eps_b)


class DuelingNet(nn.Module):
    def __init__(self, obs, acts, hid=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hid), nn.ReLU(inplace=True))
        self.v, self.a = NoisyLinear(hid, 1), NoisyLinear(hid, acts)

    def forward(self, s):
        h = self.trunk(s)
        adv = self.a(h)
        return self.v(h) + adv - adv.mean(1, keepdim=True)

    def reset_noise(self):
        for m in self.modules():
            if isinstance(m, NoisyLinear):
                m.reset_noise()


class Replay:
    def __init__(self, cap):
        self.mem = deque(maxlen=cap)

    def push(self, *tr):
        self.mem.append(tr)

    def sample(self, n):
        s, a, r, s2, d = zip(*random.sample(self.mem, n))
        return torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), torch.tensor(d)

    def __len__(self):
        return len(self.mem)


class Agent:
    def __init__(self, obs, acts, gamma=0.97, tau=0.05):
        self.online, self.target = DuelingNet(obs, acts), DuelingNet(obs, acts)
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.Adam(self.online.parameters(), lr=1e-3)
        self.gamma, self.tau, self.acts = gamma, tau, acts
        self.memory = Replay(100)

    @torch.no_grad()
    def act(self, s):
        return int(self.online(s[None]).argmax(1))

    def learn(self, n):
        s, a, r, s2, d = self.memory.sample(n)
        q = self.online(s).gather(1, a[:, None]).squeeze(1)
        self.online.reset_noise()
        with torch.no_grad():
            best = self.online(s2).argmax(1, keepdim=True)
            nxt = self.target(s2).gather(1, best).squeeze(1)
            nxt[d] = 0.0
            y = nxt.mul_(self.gamma).add_(r)
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sync()
        return loss.item()

    @torch.no_grad()
    def sync(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, self.tau)


def fill(agent, n, obs):
    s = torch.randn(obs)
    for _ in range(n):
        a = agent.act(s)
        s2 = s.roll(a)
        agent.memory.push(s, a, float(s2[0]), s2, random.random() < 0.1)
        s = s2


# --- driver ---
torch.manual_seed(0)
random.seed(0)
agent = Agent(4, 3)
fill(agent, 12, 4)
agent.learn(6)
