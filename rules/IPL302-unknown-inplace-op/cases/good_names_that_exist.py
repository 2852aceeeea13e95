"""In-place methods that exist, and an attribute of one's own with a trailing underscore."""

import torch


class Model:
    def softmax_(self, x):
        return torch.softmax(x, -1)

    def fit(self, x):
        self.mean_ = x.mean(0)
        return self.softmax_(x) - self.mean_


x = torch.rand(2, 3)
x.mul_(2).add_(1).clamp_(0, 2)
Model().fit(x)
