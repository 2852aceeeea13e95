"""The second index writes into the copy that the first has made."""

import torch

x = torch.ones(4)
x[x > 0][0] = 5  # expect: IPL206
assert x.max() == 1
