import torch
from torch import nn

from style import PerceptualLoss


def main():
    img = nn.Parameter(torch.rand(1, 3, 8, 8))
    ref = torch.rand(1, 3, 8, 8)
    crit = PerceptualLoss()
    opt = torch.optim.LBFGS([img], max_iter=2)

    def closure():
        opt.zero_grad()
        loss = crit(img, ref)
        loss.backward()
        return loss

    for _ in range(2):
        opt.step(closure)
        with torch.no_grad():
            img.clamp_(0, 1)


main()
