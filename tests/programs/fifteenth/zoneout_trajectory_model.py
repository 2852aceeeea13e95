"""Pedestrian trajectory prediction with a zoneout recurrent encoder."""
from typing import List, Optional, Tuple

import torch
from torch import Tensor, nn


class ZoneoutRNN(nn.Module):
    """Elman network; randomly chosen units keep their previous value."""

    def __init__(self, d_in: int, d_hid: int, p: float = 0.2):
        super().__init__()
        self.p = p
        self.ih = nn.Linear(d_in, d_hid)
        self.hh = nn.Linear(d_hid, d_hid, bias=False)

    def candidate(self, x: Tensor, h: Tensor) -> Tensor:
        return torch.tanh(self.ih(x) + self.hh(h))

    def frozen_units(self, h: Tensor) -> Optional[Tensor]:
        if not self.training or self.p == 0:
            return None
        return torch.rand_like(h) < self.p

    def forward(self, xs: Tensor, h: Tensor) -> Tuple[List[Tensor], Tensor]:
        outs = []
        for x in xs.unbind(1):
            new = self.candidate(x, h)
            hold = self.frozen_units(new)
            if hold is not None:
                new.data[hold] = h.data[hold]  # BUG silent
            h = new
            outs.append(h)
        return outs, h


class Trajectory(nn.Module):
    def __init__(self, d_hid: int = 24, horizon: int = 4):
        super().__init__()
        self.d_hid, self.horizon = d_hid, horizon
        self.enc = ZoneoutRNN(2, d_hid)
        self.dec = nn.GRUCell(2, d_hid)
        self.out = nn.Linear(d_hid, 2)

    def forward(self, past: Tensor) -> Tensor:
        vel = past[:, 1:] - past[:, :-1]
        _, h = self.enc(vel, past.new_zeros(len(past), self.d_hid))
        pos, v = past[:, -1], vel[:, -1]
        track = []
        for _ in range(self.horizon):
            h = self.dec(v, h)
            v = self.out(h)
            pos = pos + v
            track.append(pos)
        return torch.stack(track, 1)


def crowd(n: int, steps: int) -> Tensor:
    heading = torch.randn(n, 1, 2)
    noise = 0.1 * torch.randn(n, steps, 2)
    path = (heading + noise).cumsum(1)
    path -= path[:, :1].clone()
    return path


def displacement(pred: Tensor, true: Tensor) -> Tuple[Tensor, Tensor]:
    d = (pred - true).norm(dim=-1)
    return d.mean(), d[:, -1].mean()


# --- driver ---
def main(steps: int = 3, observed: int = 6) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Trajectory()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(steps):
        path = crowd(12, observed + model.horizon)
        pred = model(path[:, :observed])
        ade, fde = displacement(pred, path[:, observed:])
        opt.zero_grad()
        ade.backward()
        opt.step()
        print(f"{step} ADE {ade.item():.3f} FDE {fde.item():.3f}")


if __name__ == "__main__":
    main()
