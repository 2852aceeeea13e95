import torch


def dequantise(x, levels=256):
    x = x.float()
    x += torch.rand_like(x)
    x /= levels
    return logit(x)


def logit(x, a=0.05):
    x.mul_(1 - 2 * a).add_(a)
    return x.log() - (1 - x).log()
