"""Streaming system identification of a quadrotor: sensors land in one shared ring buffer."""
import threading

import numpy as np
import torch
import torch.nn as nn


class SensorRing:
    def __init__(self, size, channels):
        self.lock = threading.Lock()
        self.data = np.zeros((size, channels), dtype=np.float32)
        self.head = 0

    def write(self, rows):
        with self.lock:
            for row in rows:
                self.data[self.head] = row  # BUG silent
                self.head = (self.head + 1) % len(self.data)

    def tensor(self):
        return torch.from_numpy(self.data)


class Quadrotor:
    mass, drag = 1.2, 0.15

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.v = np.zeros(3, dtype=np.float32)

    def run(self, n, dt=0.02):
        rows = np.zeros((n, 7), dtype=np.float32)
        for k in range(n):
            u = self.rng.uniform(-1, 1, size=3).astype(np.float32)
            acc = u / self.mass - self.drag * self.v
            self.v += dt * acc
            rows[k, :3], rows[k, 3:6], rows[k, 6] = self.v, u, 1.0
            rows[k, :3] += 0.01 * self.rng.randn(3)
        return rows


class Dynamics(nn.Module):
    def __init__(self, hidden=12):
        super().__init__()
        self.linear = nn.Linear(6, 3, bias=False)
        self.residual = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 3))

    def forward(self, x):
        return self.linear(x) + 0.1 * self.residual(x)


class OnlineIdentifier:
    def __init__(self, ring, source, lr=1e-2):
        self.ring, self.source = ring, source
        self.model = Dynamics()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.errors = []

    def predict_error(self):
        frames = self.ring.tensor()
        state, control, valid = frames[:, :3], frames[:, 3:6], frames[:, 6:]
        pred = self.model(frames[:, :6])
        target = state.roll(-1, 0) - state
        weight = (valid * valid.roll(-1, 0)).clone()
        weight[-1] = 0
        return ((pred - target).square() * weight).sum() / weight.sum().clamp_(min=1)

    def tick(self, n_new):
        loss = self.predict_error()
        self.ring.write(self.source.run(n_new))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.errors.append(loss.item())


def warm_up(ring, source):
    ring.write(source.run(len(ring.data)))


# --- driver ---
torch.manual_seed(0)
ring, quad = SensorRing(12, 7), Quadrotor(0)
warm_up(ring, quad)
ident = OnlineIdentifier(ring, quad)
for _ in range(2):
    ident.tick(8)
