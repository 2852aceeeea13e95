"""Differentiable forward kinematics with learnable link offsets, calibrated against a motion capture rig."""
from dataclasses import dataclass
from typing import List

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LinkSpec:
    name: str
    length: float
    axis: str = "z"


PLANAR_ARM = [LinkSpec("base", 0.30), LinkSpec("upper", 0.45, "y"), LinkSpec("fore", 0.35, "y"), LinkSpec("wrist", 0.12, "x")]

_AXIS = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}


def axis_rotation(angle: Tensor, axis: str) -> Tensor:
    """(B,) angles to (B, 4, 4) homogeneous rotations."""
    i, j = _AXIS[axis]
    out = torch.eye(4, dtype=angle.dtype).repeat(angle.shape[0], 1, 1)
    c, s = torch.cos(angle), torch.sin(angle)
    out[:, i, i] = c
    out[:, j, j] = c
    out[:, i, j] = -s
    out[:, j, i] = s
    return out


class Frame:
    """A batch of poses which can be moved along the chain."""

    def __init__(self, batch: int):
        self.pose = torch.eye(4).repeat(batch, 1, 1)

    def rotate(self, rot: Tensor) -> "Frame":
        self.pose = self.pose @ rot
        return self

    def advance(self, offset: Tensor) -> "Frame":
        world = self.pose @ nn.functional.pad(offset, (0, 1))
        self.pose[:, :3, 3] += world[:, :3]  # BUG
        return self

    @property
    def position(self) -> Tensor:
        return self.pose[:, :3, 3]


class CalibratedArm(nn.Module):
    def __init__(self, links: List[LinkSpec]):
        super().__init__()
        self.links = links
        self.offsets = nn.ParameterList([nn.Parameter(torch.tensor([0.0, 0.0, l.length])) for l in links])
        self.bias = nn.Parameter(torch.zeros(len(links)))

    def forward(self, q: Tensor) -> Tensor:
        q = q + self.bias
        frame = Frame(q.shape[0])
        for k, link in enumerate(self.links):
            frame.rotate(axis_rotation(q[:, k], link.axis)).advance(self.offsets[k])
        return frame.position


def calibrate(arm: CalibratedArm, angles: Tensor, tips: Tensor, steps: int = 5, lr: float = 1e-2) -> List[float]:
    opt = torch.optim.Adam(arm.parameters(), lr=lr)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        err = (arm(angles) - tips).norm(dim=-1)
        loss = err.mean()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(0)
arm = CalibratedArm(PLANAR_ARM)
q = torch.rand(32, 4) * 2 - 1
tips = torch.randn(32, 3) * 0.4
print(calibrate(arm, q, tips))
