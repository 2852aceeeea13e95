import torch.nn as nn


def st_net(d_in, d_out, hidden=16):
    return nn.Sequential(nn.Linear(d_in, hidden), nn.Tanh(), nn.Linear(hidden, 2 * d_out))
