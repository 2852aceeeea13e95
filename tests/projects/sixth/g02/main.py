import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from replay import ReplayBuffer


class QNet(nn.Module):
    def __init__(self, obs, act, hid=32):
        super().__init__()
        self.fc1 = nn.Linear(obs, hid)
        self.val = nn.Linear(hid, 1)
        self.adv = nn.Linear(hid, act)

    def forward(self, x):
        h = F.relu_(self.fc1(x))
        a = self.adv(h)
        q = self.val(h) + a
        q -= a.mean(1, keepdim=True)
        return q


class Agent:
    def __init__(self, obs, act, tau=0.05, gamma=0.97):
        self.online = QNet(obs, act)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.opt = torch.optim.RMSprop(self.online.parameters(), lr=1e-3)
        self.tau, self.gamma = tau, gamma

    @torch.no_grad()
    def act(self, s, eps, rng, n):
        if rng.random() < eps:
            return int(rng.integers(n))
        return int(self.online(torch.from_numpy(s)[None]).argmax())

    def learn(self, batch):
        s, a, r, s2, d = batch
        q = self.online(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            best = self.online(s2).argmax(1, keepdim=True)
            y = self.target(s2).gather(1, best).squeeze(1)
            y.mul_(1 - d).mul_(self.gamma).add_(r)
        loss = F.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        for p in self.online.parameters():
            p.grad.data.clamp_(-1, 1)
        self.opt.step()
        with torch.no_grad():
            for tp, p in zip(self.target.parameters(), self.online.parameters()):
                tp.lerp_(p, self.tau)
        return loss.item()


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    agent, memory = Agent(4, 2), ReplayBuffer(100, 4)
    state = rng.normal(size=4).astype(np.float32)
    losses = []
    for t in range(160):
        action = agent.act(state, 0.3, rng, 2)
        nxt = (0.9 * state + 0.1 * rng.normal(size=4)).astype(np.float32)
        nxt[0] += 0.1 if action else -0.1
        done = float(abs(nxt[0]) > 2)
        memory.push(state, action, -abs(float(nxt[0])), nxt, done)
        state = nxt
        if t > 32:
            losses.append(agent.learn(memory.sample(16, rng)))
    print("mean loss", sum(losses[-20:]) / 20)


if __name__ == "__main__":
    main()
