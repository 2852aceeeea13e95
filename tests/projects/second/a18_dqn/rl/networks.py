from torch import nn


class DuelingNet(nn.Module):
    def __init__(self, obs, act, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, width), nn.ReLU())
        self.adv = nn.Linear(width, act)
        self.val = nn.Linear(width, 1)

    def forward(self, s):
        h = self.body(s)
        a = self.adv(h)
        return self.val(h) + a - a.mean(-1, keepdim=True)
