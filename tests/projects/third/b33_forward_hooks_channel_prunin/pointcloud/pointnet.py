import torch
import torch.nn as nn
import torch.nn.functional as F


class STN(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.conv = nn.Sequential(nn.Conv1d(k, 16, 1), nn.BatchNorm1d(16), nn.ReLU(inplace=True))
        self.fc = nn.Linear(16, k * k)
        self.fc.weight.data.zero_()
        self.fc.bias.data.zero_()

    def forward(self, x):
        x = self.conv(x).max(2)[0]
        x = self.fc(x)
        iden = torch.eye(self.k).flatten()
        x += iden
        return x.view(-1, self.k, self.k)


class SharedMLP(nn.Sequential):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.add_module('conv', nn.Conv1d(c_in, c_out, 1))
        self.add_module('bn', nn.BatchNorm1d(c_out))
        self.add_module('act', nn.ReLU(inplace=True))


class PointNetCls(nn.Module):
    def __init__(self, n_cls=3):
        super().__init__()
        self.stn = STN()
        self.mlp1 = SharedMLP(3, 16)
        self.mlp2 = SharedMLP(16, 32)
        self.head = nn.Sequential(nn.Linear(32, 16), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(16, n_cls))

    def forward(self, pts):
        trans = self.stn(pts)
        x = torch.bmm(pts.transpose(1, 2), trans).transpose(1, 2)
        x = self.mlp2(self.mlp1(x))
        return self.head(x.max(2)[0]), trans


def transform_regularizer(trans):
    d = trans.size(1)
    diff = torch.bmm(trans, trans.transpose(1, 2))
    diff = diff - torch.eye(d)
    return diff.norm(dim=(1, 2)).mean()
