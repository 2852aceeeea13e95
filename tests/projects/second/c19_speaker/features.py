import torch


def cmvn(x):
    x = x - x.mean(-1, keepdim=True)
    x /= x.std(-1, keepdim=True) + 1e-5
    return x


def spec_aug(x, width=2):
    x = x.clone()
    f = int(torch.randint(x.size(1) - width, ()))
    x[:, f : f + width].zero_()
    return x
