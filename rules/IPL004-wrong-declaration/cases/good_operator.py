import torch
from torch import Tensor


@torch.library.custom_op("ipl004_cases::exchanged", mutates_args=("x", "y"))
def exchanged(x: Tensor, y: Tensor) -> None:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)


exchanged(torch.zeros(3), torch.ones(3))
