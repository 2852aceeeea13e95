"""Relaxed subset sampling (Xie & Ermon 2019) and friends."""
import torch
from torch import nn
from torch.nn import functional as F

EPSILON = 1.2e-38


def gumbel_like(x):
    u = torch.empty_like(x).uniform_(1e-6, 1 - 1e-6)
    return u.log_().neg_().log_().neg_()


def gumbel_keys(w, training=True):
    return w + gumbel_like(w) if training else w


def continuous_topk(w, k, t):
    """Sum of k successive softmaxes, each with the mass drawn so far taken out."""
    khot = None
    p = torch.zeros_like(w)
    for _ in range(k):
        w = w + torch.log((1.0 - p).clamp_(min=EPSILON))
        p = F.softmax(w / t, dim=-1)
        khot = p if khot is None else khot.add_(p)  # BUG
    return khot


def hard_topk(soft, k):
    idx = soft.topk(k, dim=-1)[1]
    hard = torch.zeros_like(soft).scatter_(-1, idx, 1.0)
    return hard - soft.detach() + soft


def sinkhorn_sort(scores, t, n_iter=5):
    n = scores.shape[-1]
    target = torch.linspace(-1, 1, n)
    logp = -(scores.unsqueeze(-1) - target).pow_(2) / t
    for _ in range(n_iter):
        logp = logp - torch.logsumexp(logp, -1, keepdim=True)
        logp = logp - torch.logsumexp(logp, -2, keepdim=True)
    return logp.exp()


class SubsetOperator(nn.Module):
    """Draws a (relaxed) subset of size ``k``.

    hard: straight-through k-hot vector.
    """

    def __init__(self, k, tau=1.0, hard=False):
        super().__init__()
        self.k, self.tau, self.hard = k, tau, hard

    def forward(self, scores):
        keys = gumbel_keys(scores, self.training)
        khot = continuous_topk(keys, self.k, self.tau)
        if self.hard:
            khot = hard_topk(khot, self.k)
        return khot

    def extra_repr(self):
        return "k={}, tau={}, hard={}".format(self.k, self.tau, self.hard)
