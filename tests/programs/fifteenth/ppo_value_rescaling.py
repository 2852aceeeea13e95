"""PPO with a value head whose output lives on a running scale of the returns."""
import torch
from torch import nn
from torch.distributions import Normal


class ReturnScale(nn.Module):
    def __init__(self, beta=0.1, eps=1e-4):
        super().__init__()
        self.beta, self.eps = beta, eps
        self.register_buffer("mean", torch.zeros(1))
        self.register_buffer("second", torch.ones(1))
        self.register_buffer("std", torch.ones(1))

    @torch.no_grad()
    def update(self, returns):
        self.mean.lerp_(returns.mean(), self.beta)
        self.second.lerp_(returns.square().mean(), self.beta)
        var = self.second - self.mean ** 2
        torch.sqrt(var.clamp_(min=self.eps), out=self.std)  # BUG

    def to_raw(self, v):
        return v * self.std + self.mean


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim, width=32):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, width), nn.Tanh(), nn.Linear(width, act_dim))
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.5))
        self.vf = nn.Sequential(nn.Linear(obs_dim, width), nn.Tanh(), nn.Linear(width, 1))
        self.scale = ReturnScale()

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.scale.to_raw(self.vf(obs)).squeeze(-1)


class PPO:
    def __init__(self, agent, clip=0.2, epochs=2, minibatches=2, lr=3e-4):
        self.agent, self.clip, self.epochs, self.mb = agent, clip, epochs, minibatches
        self.opt = torch.optim.Adam(agent.parameters(), lr=lr, eps=1e-5)

    def policy_loss(self, obs, act, old_logp, adv):
        logp = self.agent.dist(obs).log_prob(act).sum(-1)
        ratio = (logp - old_logp).exp()
        return -torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv).mean()

    def value_loss(self, obs, ret):
        loss = 0.5 * (self.agent.value(obs) - ret).square().mean()
        self.agent.scale.update(ret)
        return loss

    def minibatch_indices(self, n):
        for _ in range(self.epochs):
            yield from torch.randperm(n).chunk(self.mb)

    def learn(self, obs, act, old_logp, ret):
        with torch.no_grad():
            adv = ret - self.agent.value(obs)
            adv -= adv.mean()
            adv /= adv.std() + 1e-8
        log = []
        for idx in self.minibatch_indices(len(obs)):
            loss = self.policy_loss(obs[idx], act[idx], old_logp[idx], adv[idx])
            loss = loss + 0.5 * self.value_loss(obs[idx], ret[idx])
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
            self.opt.step()
            log.append(loss.item())
        return sum(log) / len(log)


def fake_rollout(agent, n, obs_dim):
    obs = torch.randn(n, obs_dim)
    with torch.no_grad():
        d = agent.dist(obs)
        act = d.sample()
        return obs, act, d.log_prob(act).sum(-1), 50 + 10 * obs.sum(-1)


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    agent = Agent(4, 2)
    algo = PPO(agent)
    for it in range(3):
        print(it, algo.learn(*fake_rollout(agent, 32, 4)))
