import torch


def segment_sum(x, index, n):
    out = x.new_zeros((n,) + tuple(x.shape[1:]))
    return out.index_add_(0, index, x)


def segment_mean(x, index, n):
    cnt = torch.zeros(n, dtype=x.dtype).index_add_(0, index, torch.ones_like(index, dtype=x.dtype))
    out = segment_sum(x, index, n)
    out /= cnt.clamp_(min=1).view((n,) + (1,) * (x.dim() - 1))
    return out


def segment_max(x, index, n):
    idx = index.view((-1,) + (1,) * (x.dim() - 1)).expand_as(x)
    out = x.new_full((n,) + tuple(x.shape[1:]), float("-inf"))
    return out.scatter_reduce(0, idx, x, "amax")


def edge_softmax(score, dst, n):
    """Softmax over the in-edges of each node. score: (E, H)."""
    with torch.no_grad():
        top = segment_max(score, dst, n)
    score = score - top[dst]
    score.exp_()
    denom = segment_sum(score, dst, n)
    score /= denom[dst]  # BUG
    return score


def edge_sigmoid(score, dst, n):
    """Gate in place of a softmax."""
    return score.sigmoid()
