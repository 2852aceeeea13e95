import torch
import torch.nn.functional as F
from torch import nn

from attacks import PGD


def main():
    net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(inplace=True), nn.Linear(10, 3))
    atk, opt, out = PGD(net), torch.optim.SGD(net.parameters(), 0.1), []
    for _ in range(2):
        x, y = torch.rand(4, 6), torch.randint(3, (4,))
        adv = atk(x, y)
        loss = F.cross_entropy(net(adv), y) + F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        out += [adv, loss] + [p.grad.clone() for p in net.parameters()]
        opt.step()
    return out


if __name__ == "__main__":
    main()
