import torch


def scatter_add(v, idx, n):
    out = torch.zeros(n, v.size(-1))
    out.index_add_(0, idx, v)
    return out


def scatter_mean(v, idx, n):
    cnt = torch.zeros(n).index_add_(0, idx, torch.ones(len(idx))).clamp_(min=1)
    return scatter_add(v, idx, n).div_(cnt[:, None])
