import torch


class ScaleShiftEnv:
    """Contextual bandit whose reward scale drifts."""

    def __init__(self, obs_dim, n_actions):
        self.obs_dim = obs_dim
        self.w = torch.randn(n_actions, obs_dim)
        self.scale = torch.ones(())

    def rollout(self, agent, n):
        obs = torch.randn(n, self.obs_dim)
        act, logp = agent.sample(obs)
        rew = (obs * self.w[act]).sum(1)
        rew.mul_(self.scale).add_(0.5 * self.scale)
        self.scale.mul_(1.3)
        return {"obs": obs, "act": act, "logp": logp, "ret": rew}
