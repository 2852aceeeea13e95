import torch
import torch.nn.functional as F


def _sine(x):
    return torch.sin(x.sum(1))


def _quad(x):
    return x.pow(2).mean(1)


def _sign(x):
    return (x[:, 0] > 0).float()


class TaskSuite:
    fns = {"sine": _sine, "quad": _quad, "sign": _sign}

    def __init__(self, weights, dim):
        self.weights, self.dim = weights, dim

    @property
    def names(self):
        return list(self.weights)

    def batch(self, n):
        x = torch.randn(n, self.dim)
        x.clamp_(-2.5, 2.5)
        return x, {k: self.fns[k](x) for k in self.names}


def task_loss(name, pred, target):
    if name == "sign":
        return F.binary_cross_entropy_with_logits(pred, target)
    return F.mse_loss(pred, target)
