import torch


def scatter_sum(src, index, n):
    out = src.new_zeros(n, src.size(1))
    out.index_add_(0, index, src)
    return out


def scatter_mean(src, index, n):
    total = scatter_sum(src, index, n)
    count = torch.zeros(n, 1)
    count.index_add_(0, index, torch.ones(index.numel(), 1))
    return total / count.clamp_(min=1)


AGGREGATORS = {"sum": scatter_sum, "mean": scatter_mean}
