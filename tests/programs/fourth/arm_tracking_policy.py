"""Planar/3D arm: learn joint offsets so the tool follows a reference trajectory."""
from dataclasses import dataclass, field
from typing import List

import math
import torch
import torch.nn as nn


@dataclass
class Link:
    length: float
    axis: str = "z"


@dataclass
class ArmConfig:
    links: List[Link] = field(default_factory=lambda: [Link(0.4), Link(0.3, "y"), Link(0.2, "z")])
    hidden: int = 16
    obs_dim: int = 6
    smooth: float = 1e-2


def rotation(axis, angle):
    c, s = angle.cos(), angle.sin()
    o, z = torch.ones_like(c), torch.zeros_like(c)
    if axis == "z":
        rows = [c, -s, z, s, c, z, z, z, o]
    else:
        rows = [c, z, s, z, o, z, -s, z, c]
    return torch.stack(rows, dim=-1).view(*angle.shape, 3, 3)


class ForwardKinematics(nn.Module):
    def __init__(self, cfg: ArmConfig):
        super().__init__()
        self.axes = [l.axis for l in cfg.links]
        self.lengths = nn.Parameter(torch.tensor([l.length for l in cfg.links]))

    def forward(self, q):
        batch = q.shape[0]
        frame = torch.eye(4).repeat(batch, 1, 1)
        points = []
        for i, axis in enumerate(self.axes):
            step = torch.eye(4).repeat(batch, 1, 1)
            step[:, :3, :3] = rotation(axis, q[:, i])
            frame = torch.bmm(frame, step)
            frame[:, :3, 3] += frame[:, :3, 0] * self.lengths[i]  # BUG
            points.append(frame[:, :3, 3])
        return torch.stack(points, dim=1)


class Policy(nn.Module):
    def __init__(self, cfg: ArmConfig):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cfg.obs_dim, cfg.hidden), nn.Tanh(), nn.Linear(cfg.hidden, len(cfg.links)))

    def forward(self, obs):
        return self.net(obs) * math.pi


class TrackingTask:
    def __init__(self, cfg, policy, fk):
        self.cfg, self.policy, self.fk = cfg, policy, fk

    def loss(self, obs, target):
        q = self.policy(obs)
        tip = self.fk(q)[:, -1]
        err = (tip - target).norm(dim=-1)
        return err.mean() + self.cfg.smooth * q.pow(2).mean()


def fit(task, optimizer, batches):
    history = []
    for obs, target in batches:
        optimizer.zero_grad()
        loss = task.loss(obs, target)
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(0)
cfg = ArmConfig()
policy, fk = Policy(cfg), ForwardKinematics(cfg)
opt = torch.optim.Adam(list(policy.parameters()) + list(fk.parameters()), lr=1e-3)
fit(TrackingTask(cfg, policy, fk), opt, [(torch.randn(4, 6), torch.rand(4, 3)) for _ in range(2)])
