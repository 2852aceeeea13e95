import copy

import torch
import torch.nn.functional as F

from .networks import SquashedGaussianActor, TwinQ

AGENTS = {}


def register(name):
    def deco(cls):
        AGENTS[name] = cls
        return cls
    return deco


def build_agent(name, **kw):
    return AGENTS[name](**kw)


class BaseAgent:
    def __init__(self, obs_dim, act_dim, hidden=32, gamma=0.99, tau=0.01, lr=3e-4):
        self.gamma, self.tau = gamma, tau
        self.actor = SquashedGaussianActor(obs_dim, act_dim, hidden)
        self.critic = TwinQ(obs_dim, act_dim, hidden)
        self.target = copy.deepcopy(self.critic)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=lr)

    def soft_update(self):
        with torch.no_grad():
            for p, tp in zip(self.critic.parameters(), self.target.parameters()):
                tp.mul_(1 - self.tau).add_(p, alpha=self.tau)

    def update(self, batch):
        raise NotImplementedError


@register("sac")
class SAC(BaseAgent):
    alpha = 0.2

    def critic_loss(self, b):
        with torch.no_grad():
            a2, lp2 = self.actor(b["next_obs"])
            t1, t2 = self.target(b["next_obs"], a2)
            backup = b["rew"] + self.gamma * (1 - b["done"]) * (torch.min(t1, t2) - self.alpha * lp2)
        q1, q2 = self.critic(b["obs"], b["act"])
        return F.mse_loss(q1, backup) + F.mse_loss(q2, backup)

    def actor_loss(self, b):
        a, lp = self.actor(b["obs"])
        q1, q2 = self.critic(b["obs"], a)
        return (self.alpha * lp - torch.min(q1, q2)).mean()

    def update_critic(self, loss):
        self.critic_opt.zero_grad()
        loss.backward()
        self.critic_opt.step()  # BUG

    def update_actor(self, loss):
        self.actor_opt.zero_grad()
        loss.backward()
        self.actor_opt.step()

    def update(self, batch):
        losses = {"critic": self.critic_loss(batch), "actor": self.actor_loss(batch)}
        self.update_critic(losses["critic"])
        self.update_actor(losses["actor"])
        self.soft_update()
        return {k: v.item() for k, v in losses.items()}
