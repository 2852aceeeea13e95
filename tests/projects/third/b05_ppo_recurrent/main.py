import torch
from ppo.agent import PPOAgent


class MemoryEnv:
    """Vectorised toy env: remember the sign of the first observation."""

    def __init__(self, n=4, dim=3, horizon=6):
        self.n, self.dim, self.horizon = n, dim, horizon

    def reset(self):
        self.t = torch.zeros(self.n)
        self.cue = torch.randint(0, 2, (self.n,))
        return self._obs(first=True)

    def _obs(self, first=False):
        o = torch.randn(self.n, self.dim)
        o[:, 0] = (self.cue * 2 - 1).float() if first else 0.0
        return o

    def step(self, action):
        self.t += 1
        r = (action == self.cue).float()
        done = (self.t >= self.horizon).float()
        self.t.mul_(1 - done)
        return self._obs(), r, done


def main(iters=3):
    torch.manual_seed(3)
    torch.set_num_threads(1)
    env, agent = MemoryEnv(), PPOAgent(3, 2)
    for i in range(iters):
        batch = agent.collect(env, 8)
        loss = agent.update(batch)
        print(f"iter {i} loss {loss:.4f} reward {batch['rewards'].mean():.3f}")


if __name__ == "__main__":
    main()
