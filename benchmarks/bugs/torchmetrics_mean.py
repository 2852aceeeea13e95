"""MeanMetric counts all values of an update by the weight of the missing ones, if one is nan."""

import torch
from torchmetrics import MeanMetric

metric = MeanMetric(nan_strategy=0.0)
metric.update(torch.tensor([1.0, float("nan"), 3.0]), weight=2.0)
print("sum of weights:", metric.weight.item())
one_by_one = MeanMetric(nan_strategy=0.0)
for value in (1.0, float("nan"), 3.0):
    one_by_one.update(torch.tensor(value), weight=2.0)
print("one by one:    ", one_by_one.weight.item())
