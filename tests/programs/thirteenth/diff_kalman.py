# Differentiable Kalman filter: learn Q, R and the observation matrix by likelihood.
import math
import torch


def softdiag(raw):
    return torch.diag_embed(torch.nn.functional.softplus(raw) + 1e-3)


class GaussianState:
    __slots__ = ("mu", "P")

    def __init__(self, mu, P):
        self.mu, self.P = mu, P


class KalmanFilter(torch.nn.Module):
    def __init__(self, n, m, dt=0.1):
        super().__init__()
        F = torch.eye(n)
        F[range(n - 1), range(1, n)] = dt
        self.register_buffer("F", F)
        self.H = torch.nn.Parameter(torch.randn(m, n) * 0.3)
        self.q = torch.nn.Parameter(torch.zeros(n))
        self.r = torch.nn.Parameter(torch.zeros(m))
        self.n, self.m = n, m

    def prior(self, batch):
        return GaussianState(torch.zeros(batch, self.n), torch.eye(self.n).repeat(batch, 1, 1))

    def predict(self, s):
        s.mu = s.mu @ self.F.t()
        s.P = self.F @ s.P @ self.F.t() + softdiag(self.q)
        return s

    def innovation(self, s, y):
        v = y - s.mu @ self.H.t()
        S = self.H @ s.P @ self.H.t() + softdiag(self.r)
        return v, S

    def correct(self, s, v, S):
        PHt = s.P @ self.H.t()
        K = torch.linalg.solve(S, PHt.transpose(1, 2)).transpose(1, 2)
        s.mu = s.mu + (K @ v[..., None])[..., 0]
        s.P -= K @ PHt.transpose(1, 2)  # BUG
        return s

    def log_likelihood(self, ys):
        s = self.prior(len(ys))
        ll = torch.zeros(len(ys))
        for t in range(ys.shape[1]):
            s = self.predict(s)
            v, S = self.innovation(s, ys[:, t])
            L = torch.linalg.cholesky(S)
            w = torch.linalg.solve_triangular(L, v[..., None], upper=False)[..., 0]
            ll = ll - 0.5 * (w.square().sum(-1) + self.m * math.log(2 * math.pi))
            ll = ll - L.diagonal(dim1=-2, dim2=-1).log().sum(-1)
            s = self.correct(s, v, S)
        return ll


def simulate(batch, T, m):
    pos, vel = torch.randn(batch), torch.randn(batch)
    mix = torch.randn(m)
    rows = []
    for _ in range(T):
        vel += 0.1 * torch.randn(batch)
        pos += 0.1 * vel
        rows.append(pos[:, None] * mix + 0.2 * torch.randn(batch, m))
    return torch.stack(rows, 1)


def fit(model, ys, iters, lr=0.02):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    trace = []
    for _ in range(iters):
        nll = -model.log_likelihood(ys).mean()
        opt.zero_grad()
        nll.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 5.0)
        opt.step()
        trace.append(nll.item())
    return trace


# --- driver ---
torch.manual_seed(0)
print(fit(KalmanFilter(2, 3), simulate(5, 12, 3), iters=3))
