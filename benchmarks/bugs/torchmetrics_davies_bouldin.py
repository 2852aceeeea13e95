"""The Davies-Bouldin score of data that require a gradient has none, although it is computed by torch."""

import torch
from torchmetrics.functional.clustering import davies_bouldin_score

data = torch.randn(6, 2, requires_grad=True)
davies_bouldin_score(data, torch.tensor([0, 0, 0, 1, 1, 1])).backward()
