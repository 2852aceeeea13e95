import torch
import torch.nn as nn


class CondBN(nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.bn = nn.BatchNorm1d(d, affine=False)
        self.emb = nn.Embedding(classes, 2 * d)
        self.emb.weight.data[:, :d].normal_(1, 0.02)
        self.emb.weight.data[:, d:].zero_()

    def forward(self, x, y):
        g, b = self.emb(y).chunk(2, 1)
        return self.bn(x) * g + b


class Gen(nn.Module):
    def __init__(self, z=4, classes=3):
        super().__init__()
        self.z = z
        self.l1, self.cbn, self.l2 = nn.Linear(z, 32), CondBN(32, classes), nn.Linear(32, 64)

    def forward(self, n, y):
        h = self.cbn(self.l1(torch.randn(n, self.z)), y).relu_()
        return self.l2(h).tanh_().view(n, 1, 8, 8)
