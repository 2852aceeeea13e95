import torch.nn.functional as F
from functools import partial

leaky = partial(F.leaky_relu, negative_slope=0.1)
tanh = F.tanh
sigmoid = F.sigmoid
