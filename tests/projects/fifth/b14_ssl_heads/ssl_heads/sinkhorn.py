import torch


@torch.no_grad()
def distributed_sinkhorn(scores, eps=0.05, n_iter=3):
    Q = torch.exp(scores / eps).t()
    K, B = Q.shape
    Q /= Q.sum()
    for _ in range(n_iter):
        Q /= Q.sum(dim=1, keepdim=True)
        Q /= K
        Q /= Q.sum(dim=0, keepdim=True)
        Q /= B
    Q *= B
    return Q.t()
