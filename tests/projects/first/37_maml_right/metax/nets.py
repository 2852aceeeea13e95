import torch
import torch.nn as nn
import torch.nn.functional as F


class Regressor(nn.Module):
    def __init__(self, h=16):
        super().__init__()
        self.l1, self.l2 = nn.Linear(1, h), nn.Linear(h, 1)
        self.context = None

    def functional(self, x, params):
        x = F.relu(F.linear(x, params["l1.weight"], params["l1.bias"]), inplace=True)
        return F.linear(x, params["l2.weight"], params["l2.bias"])

    def forward(self, x):
        return self.functional(x, dict(self.named_parameters()))
