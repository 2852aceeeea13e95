import torch
import torch.nn as nn


class Dynamics(nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        eye = torch.eye(4)
        eye[0, 2] = eye[1, 3] = dt
        self.F = nn.Parameter(eye)
        self.log_q = nn.Parameter(torch.full((4,), -3.0))

    @property
    def Q(self):
        return torch.diag(self.log_q.exp())


class Observation(nn.Module):
    def __init__(self, feat_dim):
        super().__init__()
        H = torch.zeros(2, 4)
        H[:, :2].fill_diagonal_(1.0)
        self.register_buffer("H", H)
        self.encoder = nn.Sequential(nn.Linear(feat_dim, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, feat):
        z, log_r = self.encoder(feat).chunk(2, dim=-1)
        return z, torch.diag_embed(log_r.exp() + 1e-3)


class DifferentiableKalman(nn.Module):
    def __init__(self, feat_dim):
        super().__init__()
        self.dyn = Dynamics()
        self.obs = Observation(feat_dim)
        self.m0 = nn.Parameter(torch.zeros(4))

    def predict(self, m, P):
        F = self.dyn.F
        return m @ F.t(), F @ P @ F.t() + self.dyn.Q

    def correct(self, m, P, z, R):
        H = self.obs.H
        S = H @ P @ H.t() + R
        K = torch.linalg.solve(S, H @ P).transpose(-1, -2)
        innov = z - m @ H.t()
        m = m + (K @ innov.unsqueeze(-1)).squeeze(-1)
        P -= K @ H @ P  # BUG
        return m, P, innov, S

    def forward(self, feats):
        b, T, _ = feats.shape
        m = self.m0.expand(b, -1)
        P = torch.eye(4).expand(b, 4, 4).clone()
        means, nll = [], 0.0
        for t in range(T):
            m, P = self.predict(m, P)
            m, P, innov, S = self.correct(m, P, *self.obs(feats[:, t]))
            maha = (innov.unsqueeze(1) @ torch.linalg.solve(S, innov.unsqueeze(-1))).squeeze()
            nll = nll + 0.5 * (maha + torch.logdet(S)).mean()
            means.append(m)
        return torch.stack(means, 1), nll / T


def simulate(b, T, feat_dim, gen):
    vel = torch.randn(b, 1, 2, generator=gen) * 0.3
    pos = torch.cumsum(vel.expand(b, T, 2), 1)
    mix = torch.randn(2, feat_dim, generator=gen)
    return pos, pos @ mix + 0.1 * torch.randn(b, T, feat_dim, generator=gen)


def train_tracker(model, pos, feats, lr=1e-3, beta=0.1):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    means, nll = model(feats)
    loss = (means[..., :2] - pos).pow(2).mean() + beta * nll
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(22)
gen = torch.Generator().manual_seed(0)
print(train_tracker(DifferentiableKalman(5), *simulate(3, 4, 5, gen)))
