import torch.nn as nn

from .spectral import SNConv2d, SNLinear


class Critic(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.c1 = SNConv2d(1, ch, 3, stride=2, padding=1)
        self.c2 = SNConv2d(ch, ch, 3, stride=2, padding=1)
        self.fc = SNLinear(ch, 1)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, x):
        x = self.act(self.c1(x))
        x = self.act(self.c2(x))
        return self.fc(x.sum((2, 3)))
