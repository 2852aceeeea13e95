import torch


class Rollout:
    def __init__(self, n, obs_dim, act_dim):
        self.obs = torch.zeros(n, obs_dim)
        self.act = torch.zeros(n, act_dim)
        self.rew = torch.zeros(n)
        self.logp = torch.zeros(n)

    def fill(self, policy):
        with torch.no_grad():
            for i in range(len(self.obs)):
                o = torch.randn(self.obs.size(1))
                dist, _ = policy(o)
                a = dist.sample()
                self.obs[i] = o
                self.act[i] = a
                self.rew[i] = -a.pow(2).sum()
                self.logp[i] = dist.log_prob(a).sum()
