"""Nothing in this file is of the kind that the comment silences."""


import torch

x = torch.ones(3)
x += 1
