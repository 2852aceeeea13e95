import torch
from torch import nn
from optimx import SAM, sam_step


def run():
    m = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    s = SAM(m.parameters(), torch.optim.SGD(m.parameters(), 0.1))
    r = sam_step(m, s, nn.functional.mse_loss, torch.randn(5, 4), torch.randn(5, 1), 0.1)
    return [torch.tensor(r)]


run()
