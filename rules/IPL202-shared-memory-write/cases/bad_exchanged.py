"""Two tensors over one memory, each with a counter of its own."""

import torch

weight = torch.randn(4, requires_grad=True)
x = torch.randn(4)
other = torch.from_dlpack(x)
loss = (weight * x).sum()
other.zero_()  # expect: IPL202
loss.backward()
