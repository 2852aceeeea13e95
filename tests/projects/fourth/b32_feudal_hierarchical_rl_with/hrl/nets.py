import torch
import torch.nn as nn
from torch.distributions import Categorical


class Perception(nn.Module):
    def __init__(self, d_in, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, width), nn.ReLU(inplace=True), nn.Linear(width, width))

    def forward(self, obs):
        return torch.tanh(self.net(obs))


class GoalHead(nn.Module):
    def __init__(self, width, goals):
        super().__init__()
        self.score = nn.Linear(width, goals)

    def forward(self, h):
        return Categorical(logits=self.score(h))


class WorkerHead(nn.Module):
    def __init__(self, width, goals, actions):
        super().__init__()
        self.goal = nn.Embedding(goals, width)
        self.pi = nn.Linear(width, actions)

    def forward(self, h, g):
        return Categorical(logits=self.pi(h * torch.sigmoid(self.goal(g))))
