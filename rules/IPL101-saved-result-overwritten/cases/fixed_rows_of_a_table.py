"""Integers pick rows of a module's weights: the result is not integers, and has a gradient."""

import torch
from torch import nn

table = nn.Embedding(7, 3)
words = torch.randint(7, (4,))

gate = table(words).sigmoid()
gate = gate + 1
gate.sum().backward()
