"""Differentiable k-means and a NetVLAD layer: soft assignments, then weighted means per cluster."""
import torch
import torch.nn.functional as F
from torch import nn


def soft_kmeans(x, centers, beta=5.0, iters=3):
    """x: (b, n, d), centers: (k, d) -> (b, k, d), (b, n, k)"""
    mu = centers.expand(x.size(0), -1, -1)
    for _ in range(iters):
        dist = torch.cdist(x, mu).pow(2)
        assign = torch.softmax(-beta * dist, dim=-1)  # NOT
        mass = assign.sum(dim=1).unsqueeze(-1).clamp_min(1e-6)
        mu = torch.bmm(assign.transpose(1, 2), x) / mass
    return mu, assign


class NetVLAD(nn.Module):
    def __init__(self, num_clusters, dim, alpha=2.0):
        super().__init__()
        self.centroids = nn.Parameter(torch.rand(num_clusters, dim))
        self.conv = nn.Conv1d(dim, num_clusters, 1)
        with torch.no_grad():
            self.conv.weight.copy_((2.0 * alpha * self.centroids).unsqueeze(-1))
            self.conv.bias.copy_(-alpha * self.centroids.norm(dim=1))

    def forward(self, x):
        # x: (b, d, n)
        soft_assign = F.softmax(self.conv(x), dim=1)
        vlad = torch.einsum("bkn,bdn->bkd", soft_assign, x) - soft_assign.sum(-1, keepdim=True) * self.centroids
        vlad = F.normalize(vlad, p=2, dim=2).flatten(1)
        return F.normalize(vlad, p=2, dim=1)


class Retrieval(nn.Module):
    def __init__(self, dim=6, k=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(4, dim), nn.Tanh())
        self.init = nn.Parameter(torch.randn(k, dim) * 0.5)
        self.vlad = NetVLAD(k, dim)

    def forward(self, pts):
        h = self.enc(pts)
        mu, assign = soft_kmeans(h, self.init)
        recon = assign @ mu
        return self.vlad(h.transpose(1, 2)), recon, h


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Retrieval().eval()
    pts = torch.randn(2, 9, 4, requires_grad=True)
    desc, recon, h = net(pts)
    loss = (recon - h).pow(2).mean() + (desc[0] * desc[1]).sum()
    loss.backward()
    return [desc, recon, pts.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
