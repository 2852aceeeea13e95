import torch


def spec_augment(feat, n_freq, n_time):
    """Zero random bands in place."""
    for _ in range(n_freq):
        f0 = int(torch.randint(feat.size(1) - 2, ()))
        feat[:, f0 : f0 + 2] = 0
    for _ in range(n_time):
        t0 = int(torch.randint(feat.size(2) - 3, ()))
        feat[:, :, t0 : t0 + 3] = 0
    return feat


def length_mask(x, lengths):
    idx = torch.arange(x.size(1))
    return x.masked_fill_((idx[None] >= lengths[:, None]).unsqueeze(-1), 0.0)  # BUG
