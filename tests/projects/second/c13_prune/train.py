import torch
from torch import nn

from prune import MaskedLinear, global_prune_


def main(rounds=2):
    net = nn.Sequential(MaskedLinear(5, 8), nn.ReLU(True), MaskedLinear(8, 2))
    opt = torch.optim.Adam(net.parameters())
    out = []
    for r in range(rounds):
        for _ in range(2):
            opt.zero_grad()
            loss = net(torch.randn(4, 5)).pow(2).mean()
            loss.backward()
            for m in net:
                if isinstance(m, MaskedLinear):
                    m.weight.grad.mul_(m.mask)
            out += [loss] + [p.grad.clone() for p in net.parameters()]
            opt.step()
        global_prune_(net, 0.2 * (r + 1))
    return out


if __name__ == "__main__":
    main()
