"""Assignment by an index writes the tensor itself, and so does a view."""

import torch

x = torch.zeros(4, 2)
x[[0, 1]] = 1
x[[0, 1]] += 1
x[x > 1] = 3
x[2].fill_(4)
x[1:][0] = 5
x.view(-1)[0] = 6
assert x[0, 0] == 6
assert x[1, 0] == 5
