import torch
from torch import nn
from curriculum import SelfPaced


class Learner:
    def __init__(self, net, n, lr=0.05):
        self.net = net
        self.curriculum = SelfPaced(n)
        self.ce = nn.CrossEntropyLoss(reduction="none")
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)

    def batch_loss(self, x, y, lo, hi):
        per_sample = self.ce(self.net(x[lo:hi]), y[lo:hi])
        w = self.curriculum.weights[lo:hi]
        loss = (w * per_sample).sum() / w.sum()
        self.curriculum.update(lo, hi, per_sample.detach())
        return loss

    def epoch(self, x, y, bs):
        tot = 0.0
        for lo in range(0, len(x), bs):
            hi = min(lo + bs, len(x))
            loss = self.batch_loss(x, y, lo, hi)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            tot += loss.item() * (hi - lo)
        self.curriculum.end_epoch()
        return tot / len(x)


def noisy_data(n):
    x = torch.randn(n, 6)
    y = (x[:, 0] + x[:, 1] > 0).long()
    flip = torch.rand(n) < 0.2
    return x, torch.where(flip, 1 - y, y), flip


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y, flip = noisy_data(120)
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
    learner = Learner(net, len(x))
    for e in range(5):
        l = learner.epoch(x, y, 24)
        w = learner.curriculum.weights
        print("epoch %d loss %.4f w(clean) %.2f w(noisy) %.2f" % (e, l, w[~flip].mean().item(), w[flip].mean().item()))
