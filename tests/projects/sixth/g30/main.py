from typing import Callable, Optional

import torch
from torch import Tensor, nn


class ODEFunc(nn.Module):
    def __init__(self, dim: int, hidden: int = 24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.Tanh(), nn.Linear(hidden, dim))
        self.nfe = 0
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.2)
                nn.init.zeros_(m.bias)

    def forward(self, t: Tensor, y: Tensor) -> Tensor:
        self.nfe += 1
        tt = t.expand(y.shape[:-1] + (1,))
        return self.net(torch.cat([y, tt], -1))


def rk4_step(f: Callable, t: Tensor, dt: Tensor, y: Tensor) -> Tensor:
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    acc = k2 + k3
    acc.mul_(2).add_(k1).add_(k4)
    acc.mul_(1 / 6)
    return y + dt * acc


def odeint(f: Callable, y0: Tensor, ts: Tensor, method: str = "rk4", noise: Optional[float] = None) -> Tensor:
    traj = y0.new_empty((len(ts),) + tuple(y0.shape))
    traj[0] = y0
    y = y0
    for i in range(1, len(ts)):
        dt = ts[i] - ts[i - 1]
        if method == "euler":
            y = y + dt * f(ts[i - 1], y)
        else:
            y = rk4_step(f, ts[i - 1], dt, y)
        traj[i] = y
    if noise:
        traj += noise * torch.randn_like(traj)
    return traj


def spiral(ts: Tensor) -> Tensor:
    A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    out = torch.empty(len(ts), 2)
    out[0] = torch.tensor([2.0, 0.0])
    for i in range(1, len(ts)):
        dt = ts[i] - ts[i - 1]
        out[i] = out[i - 1] + dt * (out[i - 1] ** 3 @ A.t())  # plain data, no grad
    return out


def main() -> None:
    torch.manual_seed(30)
    torch.set_num_threads(1)
    ts = torch.linspace(0, 0.5, 60)
    true = spiral(ts)
    func = ODEFunc(2)
    y0_shift = nn.Parameter(torch.zeros(2))
    opt = torch.optim.Adam([*func.parameters(), y0_shift], lr=1e-2)
    for it in range(6):
        s = torch.randint(0, 50, (8,))
        y0 = true[s] + y0_shift
        target = torch.stack([true[s + i] for i in range(8)])
        pred = odeint(func, y0, ts[:8], "rk4" if it % 2 else "euler", noise=0.001)
        err = pred - target
        err.abs_()
        loss = err.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, func.nfe, f"{loss.item():.5f}")


if __name__ == "__main__":
    main()
