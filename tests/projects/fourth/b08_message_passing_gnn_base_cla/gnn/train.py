import torch
import torch.nn.functional as F


class Fitter:
    def __init__(self, net, lr, accumulate=2):
        self.net = net
        self.accumulate = accumulate
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def epoch(self, graphs):
        total, n = torch.zeros(()), 0
        self.opt.zero_grad()
        for i, g in enumerate(graphs):
            loss = F.cross_entropy(self.net(g), g.y) / self.accumulate
            loss.backward()
            if (i + 1) % self.accumulate == 0:
                self.opt.step()
                self.opt.zero_grad()
            total += loss.detach() * self.accumulate
            n += 1
        return (total / n).item()
