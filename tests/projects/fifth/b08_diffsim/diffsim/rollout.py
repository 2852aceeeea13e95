import torch
from torch import nn

from .models import MODELS


class Rollout(nn.Module):
    """Unroll a vehicle model over a control sequence.

    model: "unicycle" | "bicycle"
    forward(state0 (B, 4), controls (B, T, 2)) -> (B, T + 1, 4), differentiable in both.
    """

    def __init__(self, model="bicycle", **model_kwargs):
        super().__init__()
        self.model = MODELS[model](**model_kwargs)

    def forward(self, state0, controls):
        states = [state0]
        for t in range(controls.size(1)):
            states.append(self.model.step(states[-1], controls[:, t]))
        return torch.stack(states, 1)


def tracking_cost(traj, ref, w_pos=1.0, w_yaw=0.1):
    err = traj - ref
    cost = w_pos * err[..., :2].pow(2).sum(-1)
    cost += w_yaw * (1 - torch.cos(err[..., 2]))
    return cost.mean()


def comfort_cost(traj, dt):
    acc = (traj[:, 1:, 3] - traj[:, :-1, 3]) / dt
    return acc.square_().mean()
