import torch


def segment_sum(v, idx, n):
    out = v.new_zeros(n, v.size(-1))
    out.index_add_(0, idx, v)
    return out


def segment_mean(v, idx, n):
    s = segment_sum(v, idx, n)
    return s.div_(torch.bincount(idx, minlength=n).clamp_(min=1).unsqueeze(-1))
