import math
from collections import namedtuple
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions import Categorical

Step = namedtuple("Step", "logp value entropy reward done")


@dataclass
class ACConfig:
    obs_dim: int = 4
    n_actions: int = 3
    hidden: int = 16
    horizon: int = 6
    n_envs: int = 2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    lr: float = 3e-3


class PointWorld:
    """Vectorised toy world: walk a point toward the origin."""

    def __init__(self, n, dim):
        self.n, self.dim = n, dim
        self.state = torch.randn(n, dim)
        self.moves = torch.randn(3, dim) * 0.1

    def observe(self):
        return self.state.clone()

    def act(self, a):
        self.state += self.moves[a]
        dist = self.state.norm(dim=-1)
        done = dist > 4
        self.state[done] = torch.randn(int(done.sum()), self.dim)
        return -dist, done.float()


class ActorCritic(nn.Module):
    def __init__(self, cfg: ACConfig):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(cfg.obs_dim, cfg.hidden), nn.Tanh())
        self.pi = nn.Linear(cfg.hidden, cfg.n_actions)
        self.v = nn.Linear(cfg.hidden, 1)
        self.gamma_logit = nn.Parameter(torch.tensor(math.log(0.95 / 0.05)))

    @property
    def gamma(self):
        return torch.sigmoid(self.gamma_logit)

    def forward(self, obs):
        z = self.body(obs)
        return Categorical(logits=self.pi(z)), self.v(z).squeeze(-1)


def discounted_returns(rewards, dones, bootstrap, gamma):
    T, N = rewards.shape
    returns = torch.zeros(T + 1, N)
    returns[T] = bootstrap
    for t in range(T - 1, -1, -1):
        returns[t] = rewards[t] + gamma * returns[t + 1] * (1.0 - dones[t])  # BUG
    return returns[:T]


def collect(model, env, cfg):
    steps = []
    for _ in range(cfg.horizon):
        dist, v = model(env.observe())
        a = dist.sample()
        r, d = env.act(a)
        steps.append(Step(dist.log_prob(a), v, dist.entropy(), r, d))
    with torch.no_grad():
        last = model(env.observe())[1]
    return Step(*(torch.stack(x) for x in zip(*steps))), last


def update(model, opt, env, cfg):
    traj, last = collect(model, env, cfg)
    returns = discounted_returns(traj.reward, traj.done, last, model.gamma)
    adv = returns - traj.value
    pg = -(traj.logp * adv.detach()).mean()
    vf = adv.pow(2).mean()
    loss = pg + cfg.vf_coef * vf - cfg.ent_coef * traj.entropy.mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(1)
cfg = ACConfig()
model = ActorCritic(cfg)
optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg.lr)
update(model, optimizer, PointWorld(cfg.n_envs, cfg.obs_dim), cfg)
