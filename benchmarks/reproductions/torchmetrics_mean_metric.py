"""torchmetrics 1.9.0, aggregation.py:576: an expanded weight is written where values are nan.

`MeanMetric(nan_strategy=0.0).update(values, weight=2.0)` broadcasts the weight, and sets the weight of one nan element
to 1: the one number that all weights share. No error: the mean is wrong from then on.
"""

import torch

value = torch.tensor([1.0, float("nan"), 3.0])
weight = torch.broadcast_to(torch.as_tensor(2.0), value.shape)
nans = torch.isnan(value)
value[nans] = 0.0
try:
    weight[nans] = 1
except RuntimeError as error:
    print(error)
else:
    if weight.tolist() == [2.0, 1.0, 2.0]:
        raise SystemExit("only one weight was changed")
    print("the weights are", weight.tolist(), "and should be [2.0, 1.0, 2.0]")
