import torch

from nets import Siamese
from quant import convert


def main():
    net = convert(Siamese())
    opt = torch.optim.SGD(net.parameters(), 0.01)
    for _ in range(2):
        sim = net(torch.randn(4, 6), torch.randn(4, 6))
        loss = (1 - sim).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
