import functools

import torch.nn as nn

from .forces import Drag, ForceSum, Spring, Thrust
from .integrators import INTEGRATORS


class World(nn.Module):
    def __init__(self, integrator, mass=1.0):
        super().__init__()
        self.forces = ForceSum([Drag(), Spring(), Thrust()])
        self.integrator = integrator
        self.mass = mass

    @classmethod
    def from_args(cls, args):
        return cls(INTEGRATORS[args.integrator](args.dt))

    def acceleration(self, act, body):
        return self.forces(body, act).div_(self.mass)

    def rollout(self, body, policy, horizon):
        """Yields the body after each step."""
        for _ in range(horizon):
            act = policy(body.features())
            body = self.integrator.advance(functools.partial(self.acceleration, act), body)
            yield body
