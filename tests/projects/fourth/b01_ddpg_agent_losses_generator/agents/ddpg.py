import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from .base import Agent, named_losses


def mlp(*sizes, out_act=None):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(nn.ReLU(inplace=True))
    if out_act is not None:
        layers.append(out_act)
    return nn.Sequential(*layers)


class DDPGAgent(Agent):
    def __init__(self, obs_dim, act_dim, hidden, tau, gamma=0.95):
        super().__init__()
        self.tau, self.gamma = tau, gamma
        self.actor = mlp(obs_dim, hidden, act_dim, out_act=nn.Tanh())
        self.critic = mlp(obs_dim + act_dim, hidden, hidden, 1)
        self.actor_t = copy.deepcopy(self.actor).requires_grad_(False)
        self.critic_t = copy.deepcopy(self.critic).requires_grad_(False)
        self.optimizers = {
            "critic": torch.optim.Adam(self.critic.parameters(), lr=1e-3),
            "actor": torch.optim.Adam(self.actor.parameters(), lr=5e-4),
        }

    @classmethod
    def from_args(cls, obs_dim, act_dim, args):
        return cls(obs_dim, act_dim, args.hidden, args.tau)

    @torch.no_grad()
    def act(self, obs, noise=0.1):
        a = self.actor(obs)
        a.add_(torch.randn_like(a), alpha=noise)
        return a.clamp_(-1, 1)

    def q(self, obs, act):
        return self.critic(torch.cat([obs, act], dim=-1)).squeeze(-1)

    @named_losses
    def losses(self, batch):
        with torch.no_grad():
            nxt = self.actor_t(batch["next_obs"])
            target = self.critic_t(torch.cat([batch["next_obs"], nxt], -1)).squeeze(-1)
            target.mul_(self.gamma).mul_(1 - batch["done"]).add_(batch["rew"])
        yield "critic", F.mse_loss(self.q(batch["obs"], batch["act"]), target)
        yield "actor", -self.q(batch["obs"], self.actor(batch["obs"])).mean()

    def after_update(self):
        self.polyak(self.actor, self.actor_t, self.tau)
        self.polyak(self.critic, self.critic_t, self.tau)
