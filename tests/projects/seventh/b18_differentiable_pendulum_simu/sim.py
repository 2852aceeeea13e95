from dataclasses import dataclass
import torch


@dataclass
class State:
    theta: torch.Tensor
    omega: torch.Tensor

    @classmethod
    def rest(cls, theta0):
        return cls(theta0.clone(), torch.zeros_like(theta0))


class Pendulum(torch.nn.Module):
    def __init__(self, length=1.0, damping=0.1, g=9.81):
        super().__init__()
        self.log_length = torch.nn.Parameter(torch.tensor(float(length)).log())
        self.damping = torch.nn.Parameter(torch.tensor(float(damping)))
        self.g = g

    def acceleration(self, s: State):
        k = self.g / self.log_length.exp()
        return -k * torch.sin(s.theta) - self.damping * s.omega

    def step(self, s: State, dt: float):
        # semi implicit euler
        s.omega = s.omega + dt * self.acceleration(s)
        s.theta += dt * s.omega  # BUG
        return s

    def rollout(self, theta0, n, dt=0.02):
        s = State.rest(theta0)
        traj = []
        for _ in range(n):
            s = self.step(s, dt)
            traj.append(s.theta.clone())
        return torch.stack(traj, dim=-1)
