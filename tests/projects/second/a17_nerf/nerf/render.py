import torch


def volume_render(rgb, sigma, deltas, white_bg=False):
    alpha = 1 - torch.exp(-sigma * deltas)
    trans = torch.cumprod(1 - alpha + 1e-10, dim=-1)
    trans = torch.roll(trans, 1, dims=-1)
    trans[..., 0] = 1
    weights = alpha * trans
    color = (weights.unsqueeze(-1) * rgb).sum(-2)
    if white_bg:
        color += 1 - weights.sum(-1, keepdim=True)
    weights /= weights.sum(-1, keepdim=True) + 1e-6  # BUG
    return color, weights
