import torch


def scatter_sum(src, index, n):
    out = src.new_zeros((n,) + src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_max(src, index, n):
    out = src.new_full((n,) + src.shape[1:], float("-inf"))
    idx = index.view(-1, *([1] * (src.dim() - 1))).expand_as(src)
    return out.scatter_reduce(0, idx, src, reduce="amax", include_self=True)


def edge_softmax(score, index, n):
    with torch.no_grad():
        m = scatter_max(score, index, n)
    num = (score - m[index]).exp()
    den = scatter_sum(num, index, n)
    num /= den[index] + 1e-16  # BUG
    return num
