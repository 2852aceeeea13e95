import torch
import torch.nn as nn

from quant import Observer, QLinear


def set_observers(model, on):
    for m in model.modules():
        if isinstance(m, Observer):
            m.train(on)


def main():
    torch.manual_seed(46)
    torch.set_num_threads(1)
    net = nn.Sequential(QLinear(6, 24), QLinear(24, 24), QLinear(24, 2, act=False))
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    x = torch.randn(96, 6)
    y = (x[:, 0] > x[:, 1]).long()
    for ep in range(6):
        net.train()
        if ep >= 4:
            set_observers(net, False)
        acc = 0
        for xb, yb in zip(x.split(32), y.split(32)):
            # clean and noisy view through the same observers, one backward
            clean, noisy = net(xb), net(xb + 0.05 * torch.randn_like(xb))
            loss = nn.functional.cross_entropy(clean, yb)
            loss += (clean - noisy).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            acc += (clean.argmax(1) == yb).sum().item()
        print(ep, round(loss.item(), 4), acc)


if __name__ == "__main__":
    main()
