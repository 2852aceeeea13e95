"""A function of a library: who calls it is not in sight."""

import torch


def drop_diagonal(scores):
    scores = scores.clone()
    scores.fill_diagonal_(float("-inf"))
    return scores


library = {"drop_diagonal": drop_diagonal}

x = torch.rand(3, 3)
before = x.clone()
library["drop_diagonal"](x)
changed = not torch.equal(x, before)
