import torch
import torch.nn as nn
from ops import conv_bn, preact_conv, build_act


class Cell(nn.Module):
    def __init__(self, ch, act="relu"):
        super().__init__()
        self.branch1 = conv_bn(ch, ch, 1)
        self.branch2 = preact_conv(ch, ch, 3, act)

    def forward(self, x):
        a = self.branch1(x)
        b = self.branch2(x)  # BUG
        return a + b


class Network(nn.Module):
    def __init__(self, cin=3, ch=8, n_cells=2, n_cls=4, act="relu"):
        super().__init__()
        self.stem = conv_bn(cin, ch, 3)
        self.cells = nn.ModuleList([Cell(ch, act) for _ in range(n_cells)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.final_act = build_act(act)
        self.fc = nn.Linear(ch, n_cls)

    def forward(self, x):
        x = self.stem(x)
        for cell in self.cells:
            x = cell(x)
        return self.fc(torch.flatten(self.pool(self.final_act(x)), 1))
