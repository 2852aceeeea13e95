import torch


def scatter_sum(src, index, n):
    out = torch.zeros(n, *src.shape[1:])
    return out.index_add(0, index, src)


def scatter_softmax(score, index, n):
    score = score - score.max().detach()
    num = score.exp()
    den = scatter_sum(num, index, n)
    num /= den[index] + 1e-9  # BUG
    return num
