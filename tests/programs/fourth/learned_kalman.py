import torch
import torch.nn as nn


def constant_velocity(dt):
    F = torch.eye(4)
    F[0, 2] = F[1, 3] = dt
    H = torch.zeros(2, 4)
    H[0, 0] = H[1, 1] = 1.0
    return F, H


class NoiseModel(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(dim))

    def forward(self):
        return torch.diag(nn.functional.softplus(self.raw) + 1e-3)


class Track:
    __slots__ = ("mean", "cov", "age")

    def __init__(self, xy, p0=1.0):
        self.mean = torch.cat([xy, torch.zeros(2)])
        self.cov = p0 * torch.eye(4)
        self.age = 0


class KalmanTracker(nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        F, H = constant_velocity(dt)
        self.register_buffer("F", F)
        self.register_buffer("H", H)
        self.q, self.r = NoiseModel(4), NoiseModel(2)
        self.gate = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())

    def predict(self, track):
        track.mean = self.F @ track.mean
        track.cov = self.F @ track.cov @ self.F.t() + self.q()
        track.age += 1

    def correct(self, track, z):
        innovation = z - self.H @ track.mean
        S = self.H @ track.cov @ self.H.t() + self.r()
        K = track.cov @ self.H.t() @ torch.linalg.inv(S)
        weight = self.gate(innovation)
        track.mean = track.mean + weight * (K @ innovation)
        track.cov -= K @ self.H @ track.cov  # BUG
        return innovation, S

    def nll(self, innovation, S):
        maha = innovation @ torch.linalg.solve(S, innovation)
        return 0.5 * (maha + torch.logdet(S))

    def forward(self, detections):
        track = Track(detections[0])
        total = detections.new_zeros(())
        for z in detections[1:]:
            self.predict(track)
            innovation, S = self.correct(track, z)
            total += self.nll(innovation, S)
        return total / (len(detections) - 1), track


def simulate(n, noise=0.05):
    v = torch.randn(2)
    pos = torch.arange(n).unsqueeze(1) * 0.1 * v
    pos += noise * torch.randn_like(pos)
    return pos


def calibrate(tracker, sequences, epochs=1, lr=1e-2):
    opt = torch.optim.Adam(tracker.parameters(), lr=lr)
    for _ in range(epochs):
        opt.zero_grad(set_to_none=True)
        loss = torch.stack([tracker(seq)[0] for seq in sequences]).mean()
        loss.backward()
        opt.step()
    return tracker


# --- driver ---
torch.manual_seed(0)
calibrate(KalmanTracker(), [simulate(5) for _ in range(2)])
