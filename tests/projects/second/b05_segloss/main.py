import torch
from segloss import ComboLoss


def run():
    x = torch.randn(2, 3, 4, 4, requires_grad=True)
    t = torch.randint(3, (2, 4, 4))
    t[0, 0] = 255
    l = ComboLoss(3)(x, t)
    l.backward()
    return [l, x.grad]


run()
