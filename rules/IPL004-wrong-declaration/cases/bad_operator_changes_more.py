import torch
from torch import Tensor


@torch.library.custom_op("ipl004_cases::exchange", mutates_args=("x",))
def exchange(x: Tensor, y: Tensor) -> None:  # expect: IPL004
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)


y = torch.ones(3)
exchange(torch.zeros(3), y)
changed = not bool(y.any())
