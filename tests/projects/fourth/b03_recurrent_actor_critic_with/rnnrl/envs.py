import torch


class VecChain:
    """Batch of small chain worlds; episodes end at random."""

    def __init__(self, n, obs_dim, p_done=0.2):
        self.n, self.obs_dim, self.p_done = n, obs_dim, p_done
        self.pos = torch.zeros(n)

    def observe(self):
        obs = torch.zeros(self.n, self.obs_dim)
        obs[:, 0] = self.pos
        obs[:, 1:].normal_(0, 0.1)
        return obs

    def reset(self):
        self.pos.zero_()
        return self.observe()

    def step(self, action):
        self.pos += action.float() - 1.0
        reward = -self.pos.abs()
        done = torch.rand(self.n) < self.p_done
        self.pos[done] = 0.0
        return self.observe(), reward, done
