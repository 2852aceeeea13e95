import torch
from torch import nn

from .forces import Drag, Gravity, Springs


class World(nn.Module):
    """Mass-spring system with learnable stiffness and mass.

    Semi-implicit Euler. The result of ``simulate`` is a dict with "pos" (T, N, 2) and, when
    ``track_energy`` is set, "energy" (T,) for use in conservation penalties.
    """

    def __init__(self, edges, rest, n, dt=1e-2, drag=0.1, ground=None, track_energy=False):
        super().__init__()
        e = torch.as_tensor(edges)
        self.register_buffer("i", e[:, 0])
        self.register_buffer("j", e[:, 1])
        self.register_buffer("rest", torch.as_tensor(rest, dtype=torch.float))
        self.log_k = nn.Parameter(torch.full((len(e),), 3.0))
        self.log_m = nn.Parameter(torch.zeros(n))
        self.dt, self.drag, self.ground, self.track_energy = dt, drag, ground, track_energy

    def forces(self):
        m = self.log_m.exp()
        fs = [Gravity(m), Springs(self.i, self.j, self.rest, self.log_k.exp(), 0.05)]
        if self.drag:
            fs.append(Drag(self.drag))
        return m, fs

    def _energy(self, m, fs, pos, vel):
        kin = 0.5 * (m * vel.pow(2).sum(1)).sum()
        return kin + sum(f.energy(pos) for f in fs)

    def _advance(self, m, fs, pos, vel):
        total = torch.zeros_like(pos)
        for f in fs:
            total += f(pos, vel)
        vel.add_(total / m.unsqueeze(1), alpha=self.dt)  # BUG
        pos = pos + self.dt * vel
        if self.ground is not None:
            pos = torch.cat([pos[:, :1], pos[:, 1:].clamp(min=self.ground)], 1)
        return pos, vel

    def simulate(self, pos, vel=None, steps=5):
        vel = torch.zeros_like(pos) if vel is None else vel.clone()
        m, fs = self.forces()
        traj, energy = [], []
        for _ in range(steps):
            if self.track_energy:
                energy.append(self._energy(m, fs, pos, vel))
            pos, vel = self._advance(m, fs, pos, vel)
            traj.append(pos)
        out = {"pos": torch.stack(traj)}
        if energy:
            out["energy"] = torch.stack(energy)
        return out

    forward = simulate
