import torch.nn as nn
import torch.nn.functional as F

from .fake_quant import LSQ, FakeQuant


class QLinear(nn.Linear):
    def __init__(self, i, o):
        super().__init__(i, o)
        self.aq, self.wq = FakeQuant(), LSQ()

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = QLinear(6, 16), nn.Linear(16, 16), QLinear(16, 3)

    def forward(self, x):
        x = F.relu(self.a(x), inplace=True)
        x = F.relu(self.b(x), inplace=True)
        return self.c(x)
