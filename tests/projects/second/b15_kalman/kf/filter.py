import torch
from torch import nn

from .linalg import jitter_, symmetrise
from .state import State


class KalmanFilter(nn.Module):
    def __init__(self, d, obs):
        super().__init__()
        self.A = nn.Parameter(torch.eye(d))
        self.H = nn.Parameter(torch.randn(obs, d) * 0.1)
        self.log_q = nn.Parameter(torch.zeros(d))
        self.log_r = nn.Parameter(torch.zeros(obs))

    def predict(self, s):
        cov = symmetrise(self.A @ s.cov @ self.A.t() + torch.diag(self.log_q.exp()))
        return State(s.mean @ self.A.t(), cov)

    def update(self, s, y):
        S = self.H @ s.cov @ self.H.t() + torch.diag(self.log_r.exp())
        L = torch.linalg.cholesky(S)
        K = torch.cholesky_solve(self.H @ s.cov, L).transpose(-1, -2)
        r = y - s.mean @ self.H.t()
        nll = 0.5 * (torch.cholesky_solve(r.unsqueeze(-1), L).squeeze(-1) * r).sum(-1)
        L = jitter_(L)
        nll = nll + torch.diagonal(L, dim1=-2, dim2=-1).log().sum(-1)
        return State(s.mean + (K @ r.unsqueeze(-1)).squeeze(-1), s.cov - K @ self.H @ s.cov), nll

    def forward(self, ys):
        s = State.initial(ys.size(0), self.A.size(0))
        total = 0
        for y in ys.unbind(1):
            s, nll = self.update(self.predict(s), y)
            total = total + nll
        return total.mean()
