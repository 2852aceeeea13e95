import numpy as np
import torch


class ReplayBuffer:
    """Ring buffer on numpy arrays; oldest rows get overwritten."""

    def __init__(self, capacity, obs_dim):
        self.state = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_state = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.action = np.zeros((capacity,), dtype=np.int64)
        self.reward = np.zeros((capacity,), dtype=np.float32)
        self.done = np.zeros((capacity,), dtype=np.float32)
        self.capacity = capacity
        self.ptr = 0
        self.size = 0

    def push(self, s, a, r, s2, d):
        i = self.ptr
        self.state[i] = s
        self.next_state[i] = s2
        self.action[i] = a
        self.reward[i] = r
        self.done[i] = d
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n, rng):
        idx = rng.integers(0, self.size, size=n)
        return tuple(
            torch.from_numpy(x[idx])
            for x in (self.state, self.action, self.reward, self.next_state, self.done)
        )
