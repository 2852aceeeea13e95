import torch.nn.functional as F


def total_loss(rec, x, commit, beta=0.25):
    loss = F.mse_loss(rec, x)
    loss += beta * commit
    return loss
