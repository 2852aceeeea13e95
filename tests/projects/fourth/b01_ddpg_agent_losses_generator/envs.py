import torch


class PointEnv:
    """Drive a point mass to the origin."""

    def __init__(self, dim=3, horizon=20):
        self.dim = dim
        self.horizon = horizon
        self._pos = torch.zeros(dim)
        self._t = 0

    @property
    def obs_dim(self):
        return self.dim

    @property
    def act_dim(self):
        return self.dim

    def reset(self):
        self._pos.uniform_(-1, 1)
        self._t = 0
        return self._pos.clone()

    def step(self, action):
        self._pos += 0.2 * action.clamp(-1, 1)
        self._pos.clamp_(-2, 2)
        self._t += 1
        reward = -self._pos.norm().item()
        return self._pos.clone(), reward, self._t >= self.horizon
