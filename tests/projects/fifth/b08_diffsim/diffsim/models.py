"""Planar vehicle models. State layout: x, y, yaw, speed."""
import math

import torch
from torch import nn

X, Y, YAW, V = range(4)


def wrap_angle_(a):
    a.add_(math.pi).remainder_(2 * math.pi).sub_(math.pi)
    return a


class VehicleModel(nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        self.dt = dt

    def derivatives(self, state, control):
        raise NotImplementedError

    def step(self, state, control):
        raise NotImplementedError


class Unicycle(VehicleModel):
    """control = (accel, yaw rate). Euler integration."""

    def derivatives(self, state, control):
        yaw, v = state[..., YAW], state[..., V]
        return torch.stack([v * torch.cos(yaw), v * torch.sin(yaw), control[..., 1], control[..., 0]], -1)

    def step(self, state, control):
        new = state + self.dt * self.derivatives(state, control)
        wrap_angle_(new[..., YAW])
        return new


class Bicycle(VehicleModel):
    """Kinematic bicycle; control = (accel, steer).

    The wheel base is a parameter so that it can be identified from data.
    """

    def __init__(self, dt=0.1, wheelbase=2.7, max_steer=0.6):
        super().__init__(dt)
        self.wheelbase = nn.Parameter(torch.tensor(float(wheelbase)))
        self.max_steer = max_steer

    def slip_rate(self, v, steer):
        return v * torch.tan(steer) / self.wheelbase

    def step(self, state, control):
        steer = control[..., 1].clamp(-self.max_steer, self.max_steer)
        new = state.clone()
        yaw, v = new[..., YAW], new[..., V]
        dx = v * torch.cos(yaw)
        dy = v * torch.sin(yaw)
        dyaw = self.slip_rate(state[..., V], steer)
        new[..., X] += self.dt * dx  # BUG
        new[..., Y] += self.dt * dy
        new[..., YAW] += self.dt * dyaw
        new[..., V] += self.dt * control[..., 0]
        wrap_angle_(new[..., YAW])
        return new


MODELS = {"unicycle": Unicycle, "bicycle": Bicycle}
