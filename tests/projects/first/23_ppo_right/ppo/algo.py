import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, o, a, h=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(o, h), nn.Tanh())
        self.pi, self.v = nn.Linear(h, a), nn.Linear(h, 1)

    def forward(self, obs):
        f = self.body(obs)
        return Categorical(logits=self.pi(f)), self.v(f).squeeze(-1)


class PPO:
    def __init__(self, net, clip=0.2, epochs=2, lr=3e-4, max_norm=0.5):
        self.net, self.clip, self.epochs, self.max_norm = net, clip, epochs, max_norm
        self.opt = torch.optim.Adam(net.parameters(), lr=lr, eps=1e-5)

    def update(self, storage):
        for _ in range(self.epochs):
            for obs, act, old, ret, adv in storage.minibatches(2):
                dist, v = self.net(obs)
                ratio = (dist.log_prob(act) - old).exp()
                s1, s2 = ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv
                loss = -torch.min(s1, s2).mean() + 0.5 * (ret - v).pow(2).mean() - 0.01 * dist.entropy().mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), self.max_norm)
                self.opt.step()
        return loss.item()
