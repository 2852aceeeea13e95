import torch
from torch import nn


class RMSELoss(nn.Module):
    def __init__(self, eps=1e-8):
        super().__init__()
        self.eps = eps

    def forward(self, yhat, y):
        mse = (yhat.float() - y).pow(2).mean()
        return torch.sqrt(mse + self.eps)
