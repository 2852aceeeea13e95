import torch


def knn(x, k):
    return torch.cdist(x, x).topk(k, largest=False).indices


def gather_points(x, idx):
    b = torch.arange(x.size(0), device=x.device).view(-1, 1, 1)
    return x[b, idx]


def center_group(group, center):
    group[..., :3] -= center[..., :3].unsqueeze(2)
    return group
