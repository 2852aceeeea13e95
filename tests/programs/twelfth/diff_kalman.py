"""Kalman filter whose noise covariances are learned by maximum likelihood, with a neural measurement model."""
import torch
from torch import nn


class State:
    __slots__ = ("m", "P")

    def __init__(self, m, P):
        self.m, self.P = m, P


class LearnedNoise(nn.Module):
    def __init__(self, n, init):
        super().__init__()
        self.raw = nn.Parameter(torch.full((n,), float(init)))

    def forward(self):
        return torch.diag(nn.functional.softplus(self.raw))


class KalmanFilter(nn.Module):
    def __init__(self, dt=0.1, obs=2):
        super().__init__()
        F = torch.eye(4)
        F[0, 2] = F[1, 3] = dt
        H = torch.zeros(obs, 4)
        H[0, 0] = H[1, 1] = 1
        self.register_buffer("F", F)
        self.register_buffer("H", H)
        self.Q, self.R = LearnedNoise(4, -3), LearnedNoise(obs, -1)
        self.drag = nn.Parameter(torch.zeros(()))
        self.log_scale = nn.Parameter(torch.zeros(obs, 1))

    @property
    def Hs(self):
        return self.H * self.log_scale.exp()

    def predict(self, s):
        F = self.F * (1 - torch.sigmoid(self.drag) * 0.01)
        P = F @ s.P @ F.T
        P += self.Q()
        return State(s.m @ F.T, P)

    def innovation(self, s, z):
        H = self.Hs
        S = H @ s.P @ H.T + self.R()
        return z - s.m @ H.T, S

    def correct(self, s, y, S):
        H = self.Hs
        PHt = s.P @ H.T
        K = torch.linalg.solve(S, PHt.transpose(-1, -2)).transpose(-1, -2)
        s.m = s.m + (K @ y.unsqueeze(-1)).squeeze(-1)
        s.P -= K @ PHt.mT  # BUG
        return s

    def nll(self, zs):
        B, T, _ = zs.shape
        s = State(zs.new_zeros(B, 4), torch.eye(4).repeat(B, 1, 1))
        total = zs.new_zeros(B)
        for t in range(T):
            s = self.predict(s)
            y, S = self.innovation(s, zs[:, t])
            L = torch.linalg.cholesky(S)
            w = torch.linalg.solve_triangular(L, y.unsqueeze(-1), upper=False).squeeze(-1)
            total += 0.5 * w.square().sum(-1) + L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
            s = self.correct(s, y, S)
        return total.mean() / T


class CameraFrontend(nn.Module):
    def __init__(self, feats):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(feats, 16), nn.ReLU(inplace=True), nn.Linear(16, 2))

    def forward(self, x):
        return self.net(x)


def train(frontend, kf, sequences, truth_weight=1.0):
    opt = torch.optim.Adam([*frontend.parameters(), *kf.parameters()], 5e-3)
    for feats, truth in sequences:
        z = frontend(feats)
        loss = kf.nll(z) + truth_weight * (z - truth).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.4f}")


# --- driver ---
torch.manual_seed(22)
train(CameraFrontend(6), KalmanFilter(), [(torch.randn(4, 6, 6), torch.randn(4, 6, 2)) for _ in range(3)])
