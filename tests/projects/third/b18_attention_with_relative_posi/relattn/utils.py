import torch


def relative_buckets(n, max_dist):
    pos = torch.arange(n)
    rel = pos[None, :] - pos[:, None]
    rel.clamp_(-max_dist, max_dist).add_(max_dist)
    return rel


def apply_mask(x, mask, value):
    """Fill x where mask is True (mask broadcastable to x)."""
    return x.masked_fill_(mask, value)  # BUG
