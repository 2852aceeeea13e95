"""Advantage actor-critic on a toy vector environment."""
from collections import namedtuple

import torch
import torch.nn as nn
from torch.distributions import Categorical

Rollout = namedtuple("Rollout", "obs actions rewards dones")


class ToyEnv:
    """Batch of independent random-walk tasks."""

    def __init__(self, n, obs_dim, n_actions):
        self.n, self.obs_dim = n, obs_dim
        self.w = torch.randn(obs_dim, n_actions)

    def reset(self):
        self.state = torch.randn(self.n, self.obs_dim)
        return self.state.clone()

    def step(self, action):
        reward = (self.state @ self.w).gather(1, action[:, None]).squeeze(1)
        self.state += 0.1 * torch.randn_like(self.state)
        done = (torch.rand(self.n) < 0.05).float()
        return self.state.clone(), reward, done


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class A2C:
    def __init__(self, env, net, gamma=0.95, vf=0.5, ent=0.01):
        self.env, self.net, self.gamma, self.vf, self.ent = env, net, gamma, vf, ent
        self.opt = torch.optim.Adam(net.parameters(), lr=3e-3)
        self.obs = env.reset()

    @torch.no_grad()
    def collect(self, horizon):
        rows = []
        for _ in range(horizon):
            dist, _ = self.net(self.obs)
            act = dist.sample()
            nxt, rew, done = self.env.step(act)
            rows.append((self.obs, act, rew, done))
            self.obs = nxt
        return Rollout(*(torch.stack(c) for c in zip(*rows)))

    def returns(self, roll):
        with torch.no_grad():
            _, acc = self.net(self.obs)
        out = torch.empty_like(roll.rewards)
        for t in reversed(range(len(out))):
            acc = roll.rewards[t] + self.gamma * (1 - roll.dones[t]) * acc
            out[t] = acc
        return out

    @staticmethod
    def policy_term(dist, actions, weight):
        weight.sub_(weight.mean()).div_(weight.std() + 1e-6)  # BUG
        return -(dist.log_prob(actions) * weight).mean()

    def losses(self, roll):
        dist, values = self.net(roll.obs)
        adv = self.returns(roll) - values
        critic = adv.square().mean()
        actor = self.policy_term(dist, roll.actions, adv.detach())
        return actor, critic, dist.entropy().mean()

    def update(self, horizon=6):
        actor, critic, entropy = self.losses(self.collect(horizon))
        total = actor + self.vf * critic - self.ent * entropy
        self.opt.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return {"actor": actor.item(), "critic": critic.item()}


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(3)
    agent = A2C(ToyEnv(8, 5, 3), ActorCritic(5, 3))
    for it in range(3):
        print(it, agent.update())
