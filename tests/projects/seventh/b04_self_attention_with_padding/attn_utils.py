import torch


def lengths_to_mask(lengths, max_len=None):
    max_len = max_len or int(lengths.max())
    rng = torch.arange(max_len, device=lengths.device)
    return rng[None, :] >= lengths[:, None]


def split_heads(x, h):
    b, t, d = x.shape
    return x.view(b, t, h, d // h).transpose(1, 2)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).contiguous().view(b, t, h * d)


def drop_padding(weights, pad_mask):
    # weights: [b, h, q, k]   pad_mask: [b, k]
    m = pad_mask[:, None, None, :]
    weights.masked_fill_(m, 0.0)  # BUG
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)
