import torch
from torch import nn

from .dynamics import Particles


class GoalEnv(nn.Module):
    """Unrolled environment; agents stop once they reach their goal.

    rollout(policy, pos, goal, steps) -> dict(pos=(T, B, N, 2), reward=(T, B, N), done=(B, N))

    absorbing: freeze agents at their goal (default True).
    """

    def __init__(self, goal_radius=0.2, absorbing=True, **dyn):
        super().__init__()
        self.dyn = Particles(**dyn)
        self.goal_radius, self.absorbing = goal_radius, absorbing

    def observe(self, pos, vel, goal):
        obs = torch.cat([pos, vel, goal - pos], -1)
        return obs

    def freeze(self, done, old, new):
        return torch.where(done.unsqueeze(-1), old, new)

    def reached(self, pos, goal):
        with torch.no_grad():
            return (pos - goal).norm(dim=-1) < self.goal_radius

    def rollout(self, policy, pos, goal, steps=4):
        vel = torch.zeros_like(pos)
        done = self.reached(pos, goal)
        traj, rewards = [], []
        for _ in range(steps):
            act = policy(self.observe(pos, vel, goal))
            npos, nvel = self.dyn(pos, vel, act)
            if self.absorbing:
                npos = self.freeze(done, pos, npos)
                nvel = self.freeze(done, vel, nvel)
            pos, vel = npos, nvel
            r = -(pos - goal).norm(dim=-1)
            r -= 0.01 * act.pow(2).sum(-1)
            rewards.append(r)
            traj.append(pos)
            done |= self.reached(pos, goal)  # BUG
        return {"pos": torch.stack(traj), "reward": torch.stack(rewards), "done": done}


class MLPPolicy(nn.Sequential):
    def __init__(self, hidden=16, max_act=1.0):
        super().__init__(nn.Linear(6, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 2), nn.Tanh())
        self.max_act = max_act

    def forward(self, obs):
        return super().forward(obs) * self.max_act


def discounted_return(reward, gamma=0.95):
    w = torch.full((reward.size(0),), gamma)
    w[0] = 1.0
    w.cumprod_(0)
    return (w.view(-1, 1, 1) * reward).sum(0).mean()
