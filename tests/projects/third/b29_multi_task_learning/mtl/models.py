import torch
import torch.nn as nn


class Trunk(nn.Module):
    def __init__(self, d_in, width):
        super().__init__()
        self.fc1 = nn.Linear(d_in, width)
        self.fc2 = nn.Linear(width, width)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.fc2(self.relu(self.fc1(x))))


HEADS = {
    'reg': lambda w: nn.Linear(w, 1),
    'cls': lambda w: nn.Linear(w, 3),
    'bin': lambda w: nn.Sequential(nn.Linear(w, 8), nn.ReLU(inplace=True), nn.Linear(8, 1)),
}


class MultiTaskNet(nn.Module):
    def __init__(self, tasks, d_in=8, width=16):
        super().__init__()
        self.trunk = Trunk(d_in, width)
        self.heads = nn.ModuleDict({t: HEADS[t](width) for t in tasks})
        self.log_var = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in tasks})

    def forward(self, x):
        z = self.trunk(x)
        return {t: h(z.clone()) for t, h in self.heads.items()}

    def task_parameters(self, t):
        return list(self.trunk.parameters()) + list(self.heads[t].parameters()) + [self.log_var[t]]
