"""Dueling DQN agent with prioritised replay, polyak targets and checkpoint surgery for new actions."""
from collections import OrderedDict
from types import SimpleNamespace
import torch
import torch.nn as nn
import torch.nn.functional as F


class PrioritizedReplay:
    def __init__(self, size, d, alpha=0.6):
        self.s, self.s2 = torch.zeros(size, d), torch.zeros(size, d)
        self.a = torch.zeros(size, dtype=torch.long)
        self.r, self.done, self.p = torch.zeros(size), torch.zeros(size), torch.zeros(size)
        self.size, self.n, self.alpha = size, 0, alpha

    def add(self, s, a, r, s2, done):
        i = self.n % self.size
        self.s[i], self.s2[i] = s, s2
        self.a[i], self.r[i], self.done[i] = a, r, done
        self.p[i] = self.p.max().clamp(min=1.0)
        self.n += 1

    def sample(self, k, beta=0.4):
        probs = self.p.pow(self.alpha)
        probs /= probs.sum()
        ix = torch.multinomial(probs, k, replacement=True)
        w = (min(self.n, self.size) * probs[ix]).pow_(-beta)
        w /= w.max()
        return ix, w

    def reprioritize(self, ix, td):
        self.p[ix] = td.abs_().add_(1e-3)


class Dueling(nn.Module):
    def __init__(self, d, actions, h=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True))
        self.adv, self.val = nn.Linear(h, actions), nn.Linear(h, 1)

    def forward(self, s, legal=None):
        h = self.body(s)
        a = self.adv(h)
        q = a - a.mean(1, keepdim=True)
        q += self.val(h)
        if legal is not None:
            q.masked_fill_(~legal, -1e6)
        return q


def expand_actions(state, extra):
    new = OrderedDict()
    for k, v in state.items():
        if k.startswith('adv.'):
            grown = torch.empty(v.size(0) + extra, *v.shape[1:])
            grown[:v.size(0)] = v
            grown[v.size(0):] = v.mean(0)
            grown[v.size(0):].add_(torch.randn_like(grown[v.size(0):]), alpha=0.01)
            v = grown
        new[k] = v
    return new


class Agent:
    def __init__(self, opts, state=None):
        self.o = opts
        self.online, self.target = (Dueling(opts.d, opts.actions) for _ in range(2))
        if state is not None:
            self.online.load_state_dict(state)
        self.target.load_state_dict(self.online.state_dict())
        self.target.requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=opts.lr)
        self.memory = PrioritizedReplay(opts.memory, opts.d)
        self.reward_scale = torch.ones(())

    @torch.no_grad()
    def act(self, s, legal, eps):
        q = self.online(s[None], legal[None])[0]
        noise = torch.rand_like(q)
        noise[~legal] = -1
        return int(noise.argmax() if torch.rand(()) < eps else q.argmax())

    def learn(self):
        m, o = self.memory, self.o
        ix, w = m.sample(o.batch)
        with torch.no_grad():
            best = self.online(m.s2[ix]).argmax(1, keepdim=True)
            y = self.target(m.s2[ix]).gather(1, best).squeeze(1)
            y.mul_(1 - m.done[ix]).mul_(o.gamma).add_(m.r[ix] / self.reward_scale)
        q = self.online(m.s[ix]).gather(1, m.a[ix, None]).squeeze(1)
        per = F.smooth_l1_loss(q, y, reduction='none')
        loss = (w * per).mean()
        self.opt.zero_grad()
        loss.backward()
        for p in self.online.body.parameters():
            p.grad.mul_(0.5 ** 0.5)
        self.opt.step()
        m.reprioritize(ix, q.detach() - y)
        self.reward_scale.mul_(0.99).add_(m.r[ix].abs().mean(), alpha=0.01)
        with torch.no_grad():
            for t, p in zip(self.target.parameters(), self.online.parameters()):
                t.mul_(1 - o.tau).add_(p, alpha=o.tau)
        return loss.item()


def play(agent, steps):
    s = torch.zeros(agent.o.d)
    for t in range(steps):
        legal = torch.ones(agent.o.actions, dtype=torch.bool)
        legal[t % agent.o.actions] = False
        a = agent.act(s, legal, eps=0.3)
        s2 = s.clone()
        s2[a % agent.o.d] += 1.0
        s2.mul_(0.9)
        agent.memory.add(s, a, -s2.norm(), s2, float(t % 5 == 4))
        s = s2


# --- driver ---
torch.manual_seed(0)
opts = SimpleNamespace(d=4, actions=3, lr=1e-3, memory=32, batch=8, gamma=0.97, tau=0.05)
old = Agent(opts)
opts = SimpleNamespace(**{**vars(opts), 'actions': 5})
agent = Agent(opts, expand_actions(old.online.state_dict(), 2))
play(agent, 12)
agent.learn(), agent.learn()
