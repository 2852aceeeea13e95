import abc

import torch

from .nets import ActorCritic
from .storage import RolloutStorage

ALGOS = {}


def algo(name):
    def deco(cls):
        ALGOS[name] = cls
        return cls
    return deco


class OnPolicy(abc.ABC):
    def __init__(self, hp):
        self.hp = hp
        self.net = ActorCritic(hp.obs_dim, hp.actions)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=hp.lr, eps=1e-5)
        self.storage = RolloutStorage(hp.horizon, hp.n_envs, hp.obs_dim)

    @abc.abstractmethod
    def act(self, obs):
        ...

    @abc.abstractmethod
    def update(self):
        ...

    def step_opt(self, loss):
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return loss.item()


@algo("a2c")
class A2C(OnPolicy):
    """Single pass: the graph built while acting is the one that is trained."""

    def act(self, obs):
        dist, value = self.net(obs)
        a = dist.sample()
        return a, dict(logp=dist.log_prob(a), value=value, ent=dist.entropy())

    def update(self):
        s = self.storage
        value = s.stacked("value")
        with torch.no_grad():
            _, last = self.net(s.current)
            adv = s.gae(value, last, self.hp.gamma, self.hp.lam)
            target = adv + value
            adv.sub_(adv.mean()).div_(adv.std() + 1e-6)
        loss = -(s.stacked("logp") * adv).mean()
        loss = loss + self.hp.vf_coef * (value - target).pow(2).mean()
        return self.step_opt(loss - 0.01 * s.stacked("ent").mean())


@algo("ppo")
class PPO(OnPolicy):
    """Acts without a graph and recomputes everything in the update."""

    @torch.no_grad()
    def act(self, obs):
        dist, value = self.net(obs)
        a = dist.sample()
        return a, dict(logp=dist.log_prob(a), value=value, action=a)

    def update(self):
        s = self.storage
        value, old = s.stacked("value"), s.stacked("logp")
        with torch.no_grad():
            adv = s.gae(value, self.net(s.current)[1], self.hp.gamma, self.hp.lam)
        out = 0.0
        for _ in range(2):
            dist, v = self.net(s.obs[:-1])
            ratio = (dist.log_prob(s.stacked("action")) - old).exp()
            pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            out = self.step_opt(pg + self.hp.vf_coef * (v - adv - value).pow(2).mean())
        return out
