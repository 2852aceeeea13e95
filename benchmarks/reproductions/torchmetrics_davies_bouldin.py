"""torchmetrics 1.9.0, functional/clustering/davies_bouldin_score.py:63: distances are assigned after cdist saved them.

The diagonal is always zero, so the write always happens. Raises for data that require grad.
"""

import torch

data = torch.randn(12, 3, requires_grad=True)
labels = torch.arange(12) % 3

intra_dists = torch.zeros(3)
centroids = torch.zeros((3, 3))
for k in range(3):
    cluster_k = data[labels == k, :]
    centroids[k] = cluster_k.mean(dim=0)
    intra_dists[k] = (cluster_k - centroids[k]).pow(2.0).sum(dim=1).sqrt().mean()
centroid_distances = torch.cdist(centroids, centroids)
centroid_distances[centroid_distances == 0] = float("inf")
combined_intra_dists = intra_dists.unsqueeze(0) + intra_dists.unsqueeze(1)
scores = (combined_intra_dists / centroid_distances).max(dim=1).values
try:
    scores.mean().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
