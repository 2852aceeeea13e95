import torch
import torch.nn as nn
from torch.autograd import Function


class ReverseLayerF(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        output = grad_output.neg()
        output *= ctx.alpha
        return output, None


class DANN(nn.Module):
    def __init__(self, d, c):
        super(DANN, self).__init__()
        self.feature = nn.Sequential()
        self.feature.add_module('f_fc1', nn.Linear(d, 24))
        self.feature.add_module('f_bn1', nn.BatchNorm1d(24))
        self.feature.add_module('f_relu1', nn.ReLU(True))
        self.feature.add_module('f_fc2', nn.Linear(24, 16))
        self.class_classifier = nn.Sequential(nn.Linear(16, 16), nn.ReLU(True), nn.Linear(16, c))
        self.domain_classifier = nn.Sequential(nn.Linear(16, 16), nn.ReLU(True), nn.Linear(16, 1))

    def forward(self, x, alpha):
        feature = self.feature(x)
        feature = feature.view(-1, 16)
        reverse = ReverseLayerF.apply(feature, alpha)
        return self.class_classifier(feature), self.domain_classifier(reverse).squeeze(1)
