"""monai 1.6.1 (selfattention.py:192, crossattention.py:168), vit-pytorch 1.26.11 (vivit.py:68, vivit_with_moss.py:93).

A constant `dropout_p` is handed to the fused kernel: in evaluation two passes over one input differ.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dropout_p):
        super().__init__()
        self.dropout_p = dropout_p

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout_p)


torch.manual_seed(0)
model = Attention(0.5).eval()
x = torch.randn(1, 2, 8, 4)
with torch.no_grad():
    difference = (model(x, x, x) - model(x, x, x)).abs().max().item()
if difference == 0:
    raise SystemExit("no dropout in evaluation")
print(f"two evaluations of one input differ by {difference:.2f}")
