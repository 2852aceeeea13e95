import torch


class GridTask:
    def __init__(self, n, obs_dim, actions):
        self.n, self.obs_dim, self.actions = n, obs_dim, actions
        self.proj = torch.randn(actions, obs_dim)
        self.state = torch.randn(n, obs_dim)

    def reset(self):
        self.state.normal_()
        return self.state.clone()

    def step(self, a):
        reward = (self.state * self.proj[a]).sum(-1).tanh()
        self.state.mul_(0.9).add_(torch.randn_like(self.state), alpha=0.4)
        return self.state.clone(), reward
