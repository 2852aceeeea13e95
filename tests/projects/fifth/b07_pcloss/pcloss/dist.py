import torch


def square_distance(src, dst):
    """Squared euclid distance between each two points, (B, N, C), (B, M, C) -> (B, N, M)."""
    d = -2 * torch.matmul(src, dst.permute(0, 2, 1))
    d += torch.sum(src ** 2, -1, keepdim=True)
    d += torch.sum(dst ** 2, -1).unsqueeze(1)
    return d.clamp_(min=1e-12)


def pairwise(src, dst, p=2):
    if p == 1:
        return (src.unsqueeze(2) - dst.unsqueeze(1)).abs_().sum(-1)
    return square_distance(src, dst).sqrt_()
