"""Range-bearing EKF with network predicted measurement noise; Joseph form update."""
import torch
from torch import nn, Tensor
from typing import Tuple, Sequence


def wrap(a: Tensor) -> Tensor:
    return torch.atan2(a.sin(), a.cos())


def motion(x: Tensor, u: Tensor, dt: float = 0.1) -> Tuple[Tensor, Tensor]:
    """Unicycle model and its Jacobian. x: B,3  u: B,2 (v, w)."""
    v, w, th = u[:, 0], u[:, 1], x[:, 2]
    nxt = x.clone()
    nxt[:, 0] += dt * v * th.cos()
    nxt[:, 1] += dt * v * th.sin()
    nxt[:, 2] += dt * w
    J = torch.eye(3).repeat(len(x), 1, 1)
    J[:, 0, 2] = -dt * v * th.sin()
    J[:, 1, 2] = dt * v * th.cos()
    return nxt, J


def measure(x: Tensor, lm: Tensor) -> Tuple[Tensor, Tensor]:
    d = lm - x[:, :2]
    q = d.square().sum(1)
    r = q.sqrt()
    H = x.new_zeros(len(x), 2, 3)
    H[:, 0, :2] = -d / r[:, None]
    H[:, 1, 0], H[:, 1, 1], H[:, 1, 2] = d[:, 1] / q, -d[:, 0] / q, -1.0
    return torch.stack([r, wrap(torch.atan2(d[:, 1], d[:, 0]) - x[:, 2])], 1), H


class NoiseNet(nn.Module):
    def __init__(self, ctx: int):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(ctx, 12), nn.Tanh(), nn.Linear(12, 2))

    def forward(self, c: Tensor) -> Tensor:
        return self.f(c).exp().clamp(1e-3, 10.0)


class LearnedEKF(nn.Module):
    def __init__(self, ctx: int, landmarks: Tensor):
        super().__init__()
        self.noise = NoiseNet(ctx)
        self.log_q = nn.Parameter(torch.full((3,), -4.0))
        self.register_buffer("landmarks", landmarks)

    def update(self, x, P, z, lm, r):
        zhat, H = measure(x, lm)
        y = z - zhat
        y[:, 1] = wrap(y[:, 1].clone())
        S = H @ P @ H.mT
        S.diagonal(dim1=-2, dim2=-1).add_(r)
        K = torch.linalg.solve(S, H @ P).mT
        A = torch.eye(3) - K @ H
        Pn = A @ P @ A.mT
        Pn += (K * r.unsqueeze(1)) @ K.mT
        return x + (K @ y.unsqueeze(-1)).squeeze(-1), Pn

    def forward(self, x, controls, zs, ids, ctx) -> Tensor:
        P = torch.eye(3).mul_(0.1).repeat(len(x), 1, 1)
        path = []
        for t in range(controls.shape[1]):
            x, J = motion(x, controls[:, t])
            P = J @ P @ J.mT
            P.diagonal(dim1=-2, dim2=-1).add_(self.log_q.exp())
            x, P = self.update(x, P, zs[:, t], self.landmarks[ids[:, t]], self.noise(ctx[:, t]))
            path.append(x)
        return torch.stack(path, 1)


def pose_loss(est: Tensor, ref: Tensor) -> Tensor:
    err = est - ref
    turn = err[..., 2].clone()
    err[..., 2] = 1 - torch.cos(turn)
    return err.square().sum(-1).mean()


def fit(ekf: LearnedEKF, batches: Sequence[dict], lr: float = 1e-2) -> None:
    opt = torch.optim.Adam(ekf.parameters(), lr)
    for b in batches:
        ref = b.pop("ref")
        loss = pose_loss(ekf(**b), ref)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


# --- driver ---
torch.manual_seed(23)
mk = lambda: dict(x=torch.zeros(3, 3), controls=torch.rand(3, 5, 2), zs=torch.rand(3, 5, 2) * 3, ids=torch.randint(0, 4, (3, 5)),
                  ctx=torch.randn(3, 5, 4), ref=torch.randn(3, 5, 3) * 0.2)
fit(LearnedEKF(4, torch.randn(4, 2) * 4), [mk(), mk(), mk()])
